import type { ListingsOverview } from '@sluice/contracts';
import { Link } from 'wouter';
import { Section } from '../../parts/page';
import { Empty, QueryState } from '../../parts/states';
import { LinkButton } from '../../parts/button';
import { Connection } from './connection';
import { LastRun } from './last-run';
import { Limits } from './limits';
import { ModuleSection } from './module';
import { Progress } from './progress';
import { useConnection, useOverview } from './queries';
import { STATUS_WORDS, STATUSES } from './statuses';

export function Overview() {
  const overview = useOverview();
  return (
    <>
      <Connection />
      <Progress />
      <QueryState of={overview} what="the overview" />
      {overview.data !== undefined && <Summary overview={overview.data} />}
      <Limits />
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
    <Section title="Offers">
      <ul className="listing-tiles">
        <li>
          <Link to="/listings-ads/offers">
            <strong>{listings.total.toLocaleString()}</strong> in all
          </Link>
          <small>One for each product, or for each of its variations.</small>
        </li>
        {STATUSES.map((status) => (
          <li key={status} className={status}>
            <Link to={`/listings-ads/offers?status=${status}`}>
              <strong>{listings[status].toLocaleString()}</strong> {status}
            </Link>
            <small>{STATUS_WORDS[status]}</small>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What to do while nothing was ever pushed. */
function FirstSync({ running }: { readonly running: boolean }) {
  const connected = useConnection().data?.connected === true;
  if (running) return null;
  return (
    <Empty title="Nothing was pushed yet">
      <p>
        Look at the feed first: it shows what would be listed, and what would not and why. Then run the first sync; from
        then on one runs by itself at the interval of the settings.
      </p>
      <div className="buttons">
        <LinkButton to="/listings-ads/feed">Look at the feed</LinkButton>
        {connected && (
          <LinkButton to="/listings-ads/sync" kind="primary">
            To the first sync
          </LinkButton>
        )}
      </div>
    </Empty>
  );
}
