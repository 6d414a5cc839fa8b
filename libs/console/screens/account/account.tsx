import type { ReactNode } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { useSession } from '../../api/session';
import { PageHead } from '../../parts/page';
import { NotFound } from '../../parts/states';
import './account.css';
import { Health } from './health';
import { Owners } from './owners';
import { ReadModels } from './read-models';
import { SettingsInForce } from './settings';
import { You } from './you';

interface Tab {
  readonly path: string;
  readonly name: string;
  readonly screen: () => ReactNode;
}

const OF_EVERYONE: readonly Tab[] = [
  { path: '/account', name: 'You', screen: You },
  { path: '/account/settings', name: 'Settings', screen: SettingsInForce },
];
/** Of the first owner alone. */
const OF_THE_OPERATOR: readonly Tab[] = [
  { path: '/account/health', name: 'Health', screen: Health },
  { path: '/account/owners', name: 'Owners', screen: Owners },
  { path: '/account/read-models', name: 'Read models', screen: ReadModels },
];

/** Who is signed in, and the installation. */
export default function Account() {
  const session = useSession();
  const [location] = useLocation();
  const tabs = session.data?.owner.operator === true ? [...OF_EVERYONE, ...OF_THE_OPERATOR] : OF_EVERYONE;
  return (
    <>
      <PageHead title="Account and installation" />
      <nav className="tabs" aria-label="Account">
        {tabs.map(({ path, name }) => (
          <Link key={path} to={path} aria-current={location === path ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <Switch>
        {tabs.map(({ path, screen: Screen }) => (
          <Route key={path} path={path}>
            <Screen />
          </Route>
        ))}
        <Route component={NotFound} />
      </Switch>
    </>
  );
}
