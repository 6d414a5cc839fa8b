import type { EffectiveSettings, ListingsModule } from '@sluice/contracts';
import { useMemo } from 'react';
import { useSettings } from '../../api/queries';
import { useIsOperator } from '../../api/session';
import { PageHead } from '../../parts/page';
import { Empty, ErrorNote, Loading } from '../../parts/states';
import { Tabs, type Tab } from '../../parts/tabs';
import * as texts from '../../texts/listings/module';
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

const TABS: readonly Tab[] = [
  { path: '', name: texts.overview, screen: Overview },
  { path: '/sync', name: texts.sync, screen: Syncs, deep: true },
  { path: '/offers', name: texts.offers, screen: Offers },
  { path: '/feed', name: texts.feed, screen: Feed },
  { path: '/diagnostics', name: texts.diagnostics, screen: Diagnostics },
  { path: '/settings', name: texts.settings, screen: Settings },
  { path: '/webhook', name: texts.webhook, screen: Webhook },
];

/** The listings module, or the button that turns it on. */
export default function ListingsAds() {
  const isOperator = useIsOperator();
  return (
    <>
      <PageHead title={texts.title} lead={texts.lead} />
      {isOperator ? (
        <Installed />
      ) : (
        <Empty title={texts.operatorOnly}>
          <p>{texts.operatorOnlyHelp}</p>
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
      {failed !== undefined && <ErrorNote error={failed.error as Error} retry={() => void failed.refetch()} />}
      {module.data !== undefined && installation.data !== undefined ? (
        <Module state={module.data} installation={installation.data} />
      ) : (
        failed === undefined && <Loading what={texts.loading} />
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
  return <Tabs of={texts.title} root="/listings-ads" tabs={TABS} props={{}} />;
}
