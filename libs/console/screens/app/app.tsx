import type { App } from '@sluice/contracts';
import { lazy } from 'react';
import { Link, Route, Switch, useParams } from 'wouter';
import { ApiError } from '../../api/client';
import { useGet } from '../../api/queries';
import { PageHead } from '../../parts/page';
import { ErrorNote, Loading } from '../../parts/states';
import { Tabs, type Tab } from '../../parts/tabs';
import * as texts from '../../texts/app';
import { ApiKeys } from './api-keys/api-keys';
import { Device } from './device/device';
import { DeletedApp } from './history/deleted-app';
import { History } from './history/history';
import { Builds } from './releases/builds';
import { Releases, ReleasesAhead } from './releases/releases';
import { AppSettings } from './releases/settings';
import { Signing } from './signing/signing';

/** Loaded separately because of the charts. */
const Adoption = lazy(() => import('./adoption/adoption'));

/** The screens of one app, in the order of its tabs. */
const TABS: readonly Tab<{ readonly app: App }>[] = [
  { path: '', name: texts.releases, screen: Releases },
  { path: '/builds', name: texts.builds, screen: Builds, deep: true },
  { path: '/api-keys', name: texts.apiKeys, screen: ApiKeys },
  { path: '/signing', name: texts.signing, screen: Signing },
  { path: '/adoption', name: texts.adoption, screen: Adoption },
  { path: '/device', name: texts.device, screen: Device },
  { path: '/history', name: texts.history, screen: History },
  { path: '/settings', name: texts.settings, screen: AppSettings },
];

export default function AppScreens() {
  const { app: id } = useParams<{ app: string }>();
  const app = useGet<App>(`/apps/${id}`, ['apps', Number(id)]);
  if (app.isPending) {
    return (
      <>
        <Loading what={texts.loading} />
        <Route path="/apps/:app">
          <ReleasesAhead app={Number(id)} />
        </Route>
      </>
    );
  }
  if (app.error instanceof ApiError && app.error.code === 'APP_NOT_FOUND') return <AppNotFound id={id} />;
  if (app.isError) return <ErrorNote error={app.error} retry={() => void app.refetch()} />;
  return (
    <>
      <PageHead title={app.data.name} lead={<code>{app.data.app_id}</code>} />
      <Tabs of={app.data.name} label={texts.tabs} root={`/apps/${id}`} tabs={TABS} props={{ app: app.data }} />
    </>
  );
}

/** A deleted app has only its history left. */
function AppNotFound({ id }: { readonly id: string }) {
  return (
    <Switch>
      <Route path="/apps/:app/history">
        <DeletedApp id={Number(id)} />
      </Route>
      <Route>
        <PageHead title={texts.notFound} />
        <p>{texts.mayBeDeleted}</p>
        <p>
          <Link to={`/apps/${id}/history`}>{texts.showHistory}</Link>
        </p>
      </Route>
    </Switch>
  );
}
