import type { ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { useSession } from '../../api/session';
import { PageHead } from '../../parts/page';
import { NotFound } from '../../parts/states';
import { Tabs, type Tab } from '../../parts/tabs';
import './account.css';
import { Health } from './health';
import { Owners } from './owners';
import { ReadModels } from './read-models';
import { SettingsInForce } from './settings';
import { You } from './you';

const ROOT = '/account';

interface Screen extends Tab {
  readonly screen: () => ReactNode;
}

const OF_EVERYONE: readonly Screen[] = [
  { path: '', name: 'You', screen: You },
  { path: '/settings', name: 'Settings', screen: SettingsInForce },
];
/** Of the first owner alone. */
const OF_THE_OPERATOR: readonly Screen[] = [
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
      <PageHead title="Account and installation" />
      <Tabs label="Account" root={ROOT} tabs={tabs} />
      <Switch>
        {tabs.map(({ path, screen: Shown }) => (
          <Route key={path} path={ROOT + path}>
            <Shown />
          </Route>
        ))}
        <Route component={NotFound} />
      </Switch>
    </>
  );
}
