import { useSession } from '../../api/session';
import { PageHead } from '../../parts/page';
import { Tabs, type Tab } from '../../parts/tabs';
import './account.css';
import { Health } from './health';
import { Owners } from './owners';
import { ReadModels } from './read-models';
import { SettingsInForce } from './settings';
import { You } from './you';

const TITLE = 'Account and installation';

const OF_EVERYONE: readonly Tab[] = [
  { path: '', name: 'You', screen: You },
  { path: '/settings', name: 'Settings', screen: SettingsInForce },
];
/** Of the first owner alone. */
const OF_THE_OPERATOR: readonly Tab[] = [
  { path: '/health', name: 'Health', screen: Health },
  { path: '/owners', name: 'Owners', screen: Owners },
  { path: '/read-models', name: 'Read models', screen: ReadModels },
];

/** Who is signed in, and the installation. */
export default function Account() {
  const session = useSession();
  const tabs = session.data?.owner.operator === true ? [...OF_EVERYONE, ...OF_THE_OPERATOR] : OF_EVERYONE;
  return (
    <>
      <PageHead title={TITLE} />
      <Tabs of={TITLE} label="Account" root="/account" tabs={tabs} props={{}} />
    </>
  );
}
