import type { SyncLog } from '@sluice/contracts';
import { Link, useParams } from 'wouter';
import { LinkButton } from '../../parts/button';
import { Facts, Section } from '../../parts/page';
import { QueryState } from '../../parts/states';
import { useTitle } from '../../parts/title';
import { Copyable, Status, Time } from '../../parts/values';
import { LogDetails } from './log-details';
import { LISTINGS, usePlaneQuery } from './queries';
import { nextStep } from './refused';
import { lasted, OUTCOMES, RUN_TYPES, RunCounts, TRIGGERS } from './run';

/** One run in detail. */
export function Log() {
  const { log: id } = useParams<{ log: string }>();
  useTitle('One run · Listings and ads');
  const log = usePlaneQuery<SyncLog>(`/sync/logs/${encodeURIComponent(id)}`, LISTINGS, {
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? 2_000 : false),
  });
  return (
    <>
      <div>
        <LinkButton to="/listings-ads/sync">To all runs</LinkButton>
      </div>
      <QueryState of={log} what="the run" />
      {log.data !== undefined && <Told log={log.data} />}
    </>
  );
}

function Told({ log }: { readonly log: SyncLog }) {
  const product = log.details['product_id'];
  return (
    <>
      <Section title="One run">
        <p>
          <Status of={log.status} /> {OUTCOMES[log.status]}
        </p>
        {log.error_message !== null && (
          <div className="note danger">
            <p>{log.error_message}</p>
          </div>
        )}
        {nextStep(log.details['code'])}
        <RunCounts of={log} />
        <Facts
          facts={{
            What: `${RUN_TYPES[log.run_type]}${typeof product === 'string' ? `: ${product}` : ''}`,
            Started: <Time at={log.started_at} />,
            How: TRIGGERS[log.trigger],
            Ended: <Time at={log.completed_at} none="not yet" />,
            Took: lasted(log),
          }}
        />
        <p>
          Id: <Copyable text={log.id} label="the id of the run" />
        </p>
        {typeof product === 'string' && (
          <p>
            <Link to={`/listings-ads/offers?product=${encodeURIComponent(product)}`}>The offers of this product</Link>
          </p>
        )}
      </Section>
      <LogDetails details={log.details} />
    </>
  );
}
