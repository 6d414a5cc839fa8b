import { useQuery } from '@tanstack/react-query';
import type { App } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { Link, Route, Switch, useLocation, useParams } from 'wouter';
import { api } from '../../api/client';
import { PageHead } from '../../parts/page';
import { ErrorNote, Loading, NotFound } from '../../parts/states';
import { ApiKeys } from './api-keys/api-keys';
import { Builds } from './releases/builds';
import { Releases } from './releases/releases';
import { AppSettings } from './releases/settings';
import { Signing } from './signing/signing';

interface Tab {
  readonly path: string;
  readonly name: string;
  readonly screen: (props: { readonly app: App }) => ReactNode;
}

/** The screens of one app, in the order of its tabs. */
const TABS: readonly Tab[] = [
  { path: '', name: 'Releases', screen: Releases },
  { path: '/builds', name: 'Builds', screen: Builds },
  { path: '/api-keys', name: 'API keys', screen: ApiKeys },
  { path: '/signing', name: 'Signing', screen: Signing },
  { path: '/settings', name: 'Settings', screen: AppSettings },
];

export default function AppScreens() {
  const { app: id } = useParams<{ app: string }>();
  const app = useQuery({ queryKey: ['apps', Number(id), 'one'], queryFn: () => api.get<App>(`/apps/${id}`) });
  if (app.isPending) return <Loading what="the app" />;
  if (app.isError) return <ErrorNote error={app.error} again={() => void app.refetch()} />;
  return (
    <>
      <PageHead title={app.data.name} lead={<code>{app.data.app_id}</code>} />
      <Tabs id={id} />
      <Switch>
        {TABS.map(({ path, screen: Screen }) => (
          <Route key={path} path={path === '' ? '/apps/:app' : `/apps/:app${path}/*?`}>
            <Screen app={app.data} />
          </Route>
        ))}
        <Route component={NotFound} />
      </Switch>
    </>
  );
}

function Tabs({ id }: { readonly id: string }) {
  const [location] = useLocation();
  const root = `/apps/${id}`;
  return (
    <nav className="tabs" aria-label="App">
      {TABS.map(({ path, name }) => {
        const here = path === '' ? location === root : location.startsWith(root + path);
        return (
          <Link key={path} to={root + path} aria-current={here ? 'page' : undefined}>
            {name}
          </Link>
        );
      })}
    </nav>
  );
}
