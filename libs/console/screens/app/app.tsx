import type { App } from '@sluice/contracts';
import { lazy } from 'react';
import { Link, Route, Switch, useParams } from 'wouter';
import { ApiError } from '../../api/client';
import { useGet } from '../../api/queries';
import { PageHead } from '../../parts/page';
import { ErrorNote, Loading } from '../../parts/states';
import { Tabs, type Tab } from '../../parts/tabs';
import { ApiKeys } from './api-keys/api-keys';
import { Device } from './device/device';
import { History } from './history/history';
import { RemovedApp } from './history/removed-app';
import { Builds } from './releases/builds';
import { Releases, ReleasesAhead } from './releases/releases';
import { AppSettings } from './releases/settings';
import { Signing } from './signing/signing';

/** The charts are a load of their own. */
const Adoption = lazy(() => import('./adoption/adoption'));

/** The screens of one app, in the order of its tabs. */
const TABS: readonly Tab<{ readonly app: App }>[] = [
  { path: '', name: 'Releases', screen: Releases },
  { path: '/builds', name: 'Builds', screen: Builds, deep: true },
  { path: '/api-keys', name: 'API keys', screen: ApiKeys },
  { path: '/signing', name: 'Signing', screen: Signing },
  { path: '/adoption', name: 'Adoption', screen: Adoption },
  { path: '/device', name: 'Device', screen: Device },
  { path: '/history', name: 'History', screen: History },
  { path: '/settings', name: 'Settings', screen: AppSettings },
];

export default function AppScreens() {
  const { app: id } = useParams<{ app: string }>();
  const app = useGet<App>(`/apps/${id}`, ['apps', Number(id)]);
  if (app.isPending) {
    return (
      <>
        <Loading what="the app" />
        <Route path="/apps/:app">
          <ReleasesAhead app={Number(id)} />
        </Route>
      </>
    );
  }
  if (app.error instanceof ApiError && app.error.code === 'APP_NOT_FOUND') return <Gone id={id} />;
  if (app.isError) return <ErrorNote error={app.error} again={() => void app.refetch()} />;
  return (
    <>
      <PageHead title={app.data.name} lead={<code>{app.data.app_id}</code>} />
      <Tabs of={app.data.name} label="App" root={`/apps/${id}`} tabs={TABS} props={{ app: app.data }} />
    </>
  );
}

/** Of an app that is not there any more only its history is. */
function Gone({ id }: { readonly id: string }) {
  return (
    <Switch>
      <Route path="/apps/:app/history">
        <RemovedApp id={Number(id)} />
      </Route>
      <Route>
        <PageHead title="There is no such app" />
        <p>It may have been deleted. Of a deleted app its history stays.</p>
        <p>
          <Link to={`/apps/${id}/history`}>Its history</Link>
        </p>
      </Route>
    </Switch>
  );
}
