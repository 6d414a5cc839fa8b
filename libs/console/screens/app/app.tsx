import type { App } from '@sluice/contracts';
import { lazy } from 'react';
import { Link, Redirect, Route, Switch, useParams } from 'wouter';
import { ApiError } from '../../api/client';
import { useGet } from '../../api/queries';
import { PageHead } from '../../parts/page';
import { ErrorNote, Loading } from '../../parts/states';
import { APP_PLACES } from '../../parts/places';
import { Tabs, type Tab } from '../../parts/tabs';
import * as texts from '../../texts/app';
import { Releases, ReleasesAhead } from './releases/releases';

// Each screen but the first is loaded when it is opened.
const Adoption = lazy(() => import('./adoption/adoption'));
const ApiKeys = lazy(async () => ({ default: (await import('./api-keys/api-keys')).ApiKeys }));
const AppSettings = lazy(async () => ({ default: (await import('./releases/settings')).AppSettings }));
const Builds = lazy(async () => ({ default: (await import('./releases/builds')).Builds }));
const DeletedApp = lazy(async () => ({ default: (await import('./history/deleted-app')).DeletedApp }));
const Devices = lazy(async () => ({ default: (await import('./device/devices')).Devices }));
const History = lazy(async () => ({ default: (await import('./history/history')).History }));
const Signing = lazy(async () => ({ default: (await import('./signing/signing')).Signing }));

const SCREENS: Readonly<Record<(typeof APP_PLACES)[number]['to'], Tab<{ readonly app: App }>['screen']>> = {
  '': Releases,
  '/builds': Builds,
  '/api-keys': ApiKeys,
  '/signing': Signing,
  '/adoption': Adoption,
  '/devices': Devices,
  '/history': History,
  '/settings': AppSettings,
};
const TABS = APP_PLACES.map(({ to, name }) => ({ path: to, name, screen: SCREENS[to], deep: to === '/builds' }));

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
      {/* Its address in earlier releases. */}
      <Route path="/apps/:app/device">
        <Redirect to={`/apps/${id}/devices${location.hash}`} replace />
      </Route>
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
