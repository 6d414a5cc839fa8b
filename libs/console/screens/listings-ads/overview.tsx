import type { ListingsOverview } from '@sluice/contracts';
import { Link } from 'wouter';
import { Section } from '../../parts/page';
import { Empty, QueryState } from '../../parts/states';
import { LinkButton } from '../../parts/button';
import { statusMeanings } from '../../texts/listings/offers';
import * as texts from '../../texts/listings/overview';
import { Connection } from './connection';
import { LastRun } from './last-run';
import { Limits } from './limits';
import { ModuleSection } from './module';
import { Progress } from './progress';
import { useConnection, useOverview } from './queries';
import { STATUSES } from './statuses';

export function Overview() {
  const overview = useOverview();
  const isConnected = useConnection().data?.connected === true;
  return (
    <>
      <Connection />
      <Progress />
      <QueryState of={overview} what={texts.loading} />
      {overview.data !== undefined && <Summary overview={overview.data} />}
      <Limits isConnected={isConnected} />
      <ModuleSection />
    </>
  );
}

function Summary({ overview: { listings, sync } }: { readonly overview: ListingsOverview }) {
  const last = sync.last_run;
  return (
    <>
      {listings.total > 0 && <Listings listings={listings} />}
      {last === null ? <FirstSync running={sync.running} /> : last.status !== 'running' && <LastRun run={last} />}
    </>
  );
}

function Listings({ listings }: Pick<ListingsOverview, 'listings'>) {
  return (
    <Section title={texts.offers}>
      <ul className="listing-tiles">
        <li>
          <Link to="/listings-ads/offers">
            <strong>{listings.total.toLocaleString()}</strong> {texts.inTotal}
          </Link>
          <small>{texts.offersHelp}</small>
        </li>
        {STATUSES.map((status) => (
          <li key={status} className={status}>
            <Link to={`/listings-ads/offers?status=${status}`}>
              <strong>{listings[status].toLocaleString()}</strong> {status}
            </Link>
            <small>{statusMeanings[status]}</small>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** The next step before the first sync. */
function FirstSync({ running }: { readonly running: boolean }) {
  const connected = useConnection().data?.connected === true;
  if (running) return null;
  return (
    <Empty title={texts.nothingSynced}>
      <p>{texts.firstSync}</p>
      <div className="buttons">
        <LinkButton to="/listings-ads/feed">{texts.checkFeed}</LinkButton>
        {connected && (
          <LinkButton to="/listings-ads/sync" kind="primary">
            {texts.toSync}
          </LinkButton>
        )}
      </div>
    </Empty>
  );
}
