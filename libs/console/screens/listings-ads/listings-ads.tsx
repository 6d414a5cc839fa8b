import type { EffectiveSettings, ListingsModule } from '@sluice/contracts';
import { useMemo } from 'react';
import { useSettings } from '../../api/queries';
import { useIsOperator } from '../../api/session';
import { PageHead } from '../../parts/page';
import { Empty, ErrorNote, Loading } from '../../parts/states';
import { Tabs, type Tab } from '../../parts/tabs';
import { CallbackError } from './callback-error';
import { Diagnostics } from './diagnostics';
import { Feed } from './feed';
import { ModuleOff } from './module';
import { Offers } from './offers';
import { Overview } from './overview';
import { planeOf, PlaneContext } from './plane';
import { useModule, useRunsEnd } from './queries';
import { Settings } from './settings';
import { Syncs } from './syncs';
import { Webhook } from './webhook';
import './listings-ads.css';

const TITLE = 'Listings and ads';

const TABS: readonly Tab[] = [
  { path: '', name: 'Overview', screen: Overview },
  { path: '/sync', name: 'Sync', screen: Syncs, deep: true },
  { path: '/offers', name: 'Offers', screen: Offers },
  { path: '/feed', name: 'Feed', screen: Feed },
  { path: '/diagnostics', name: 'Diagnostics', screen: Diagnostics },
  { path: '/settings', name: 'Settings', screen: Settings },
  { path: '/webhook', name: 'Webhook', screen: Webhook },
];

/** The admin tab listings-ads: the whole module, or what turns it on. */
export default function ListingsAds() {
  const isOperator = useIsOperator();
  return (
    <>
      <PageHead title={TITLE} lead="Pushes the products of your store to a merchant account of a search engine." />
      {isOperator ? (
        <Installed />
      ) : (
        <Empty title="Only for the operator">
          <p>The store belongs to the installation, so only its operator, the first owner, works with this module.</p>
        </Empty>
      )}
    </>
  );
}

function Installed() {
  const module = useModule();
  const installation = useSettings();
  const failed = [module, installation].find(({ isError }) => isError);
  return (
    <>
      <CallbackError />
      {failed !== undefined && <ErrorNote error={failed.error as Error} again={() => void failed.refetch()} />}
      {module.data !== undefined && installation.data !== undefined ? (
        <Module state={module.data} installation={installation.data} />
      ) : (
        failed === undefined && <Loading what="the module" />
      )}
    </>
  );
}

function Module({ state, installation }: { readonly state: ListingsModule; readonly installation: EffectiveSettings }) {
  const plane = useMemo(() => planeOf(installation), [installation]);
  if (!state.enabled || !state.entitled) return <ModuleOff state={state} />;
  return (
    <PlaneContext value={plane}>
      <Screens />
    </PlaneContext>
  );
}

function Screens() {
  useRunsEnd();
  return <Tabs of={TITLE} root="/listings-ads" tabs={TABS} props={{}} />;
}
