import type { SyncLog } from '@sluice/contracts';
import { Link, useParams } from 'wouter';
import { LinkButton } from '../../parts/button';
import { Facts, Section } from '../../parts/page';
import { QueryState } from '../../parts/states';
import { useTitle } from '../../parts/title';
import { Copyable, Status, Time } from '../../parts/values';
import { title } from '../../texts/listings/module';
import * as texts from '../../texts/listings/sync';
import { LogDetails } from './log-details';
import { nextStep } from './module-error';
import { LISTINGS, usePlaneQuery } from './queries';
import { durationOf, RunCounts } from './run';

/** The details of one run. */
export function Log() {
  const { log: id } = useParams<{ log: string }>();
  useTitle(`${texts.run} · ${title}`);
  const log = usePlaneQuery<SyncLog>(`/sync/logs/${encodeURIComponent(id)}`, LISTINGS, {
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? 2_000 : false),
  });
  return (
    <>
      <div>
        <LinkButton to="/listings-ads/sync">{texts.toRuns}</LinkButton>
      </div>
      <QueryState of={log} what={texts.loadingRun} />
      {log.data !== undefined && <Run log={log.data} />}
    </>
  );
}

function Run({ log }: { readonly log: SyncLog }) {
  const product = log.details['product_id'];
  const type = texts.runTypes[log.run_type];
  return (
    <>
      <Section title={texts.run}>
        <p>
          <Status of={log.status} /> {texts.outcomes[log.status]}
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
            [texts.scope]: typeof product === 'string' ? texts.scopeOf(type, product) : type,
            [texts.started]: <Time at={log.started_at} />,
            [texts.trigger]: texts.triggers[log.trigger],
            [texts.ended]: <Time at={log.completed_at} none={texts.notYet} />,
            [texts.duration]: durationOf(log),
          }}
        />
        <p>
          {texts.runId} <Copyable text={log.id} label={texts.theRunId} />
        </p>
        {typeof product === 'string' && (
          <p>
            <Link to={`/listings-ads/offers?product=${encodeURIComponent(product)}`}>{texts.offersOfProduct}</Link>
          </p>
        )}
      </Section>
      <LogDetails details={log.details} />
    </>
  );
}
