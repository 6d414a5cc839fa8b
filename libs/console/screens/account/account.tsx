import { useSession } from '../../api/session';
import { PageHead } from '../../parts/page';
import { Tabs, type Tab } from '../../parts/tabs';
import './account.css';
import * as texts from '../../texts/account';
import { Health } from './health';
import { Owners } from './owners';
import { ReadModels } from './read-models';
import { SettingsInForce } from './settings';
import { You } from './you';

const OF_EVERYONE: readonly Tab[] = [
  { path: '', name: texts.you, screen: You },
  { path: '/settings', name: texts.settings, screen: SettingsInForce },
];
/** Of the first owner alone. */
const OF_THE_OPERATOR: readonly Tab[] = [
  { path: '/health', name: texts.health, screen: Health },
  { path: '/owners', name: texts.owners, screen: Owners },
  { path: '/read-models', name: texts.readModels, screen: ReadModels },
];

/** Who is signed in, and the installation. */
export default function Account() {
  const session = useSession();
  const tabs = session.data?.owner.operator === true ? [...OF_EVERYONE, ...OF_THE_OPERATOR] : OF_EVERYONE;
  return (
    <>
      <PageHead title={texts.title} />
      <Tabs of={texts.title} label={texts.tabs} root="/account" tabs={tabs} props={{}} />
    </>
  );
}
