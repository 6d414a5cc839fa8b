import type { SyncLog } from '@sluice/contracts';
import { Link } from 'wouter';
import { Section } from '../../parts/page';
import { Status, Time } from '../../parts/values';
import { nextStep } from './refused';
import { lasted, OUTCOMES, RUN_TYPES, RunCounts, TRIGGERS } from './run';

/** How the last run ended, with its counts. */
export function LastRun({ run }: { readonly run: SyncLog }) {
  return (
    <Section title="Last run" actions={<Link to={`/listings-ads/sync/${run.id}`}>Its log</Link>}>
      <p>
        <Status of={run.status} /> {OUTCOMES[run.status]}
      </p>
      <p>
        {RUN_TYPES[run.run_type]}, started {TRIGGERS[run.trigger]} <Time at={run.started_at} />; it took {lasted(run)}.
      </p>
      {run.error_message !== null && <p className="fault">{run.error_message}</p>}
      {nextStep(run.details['code'])}
      <RunCounts of={run} />
    </Section>
  );
}
