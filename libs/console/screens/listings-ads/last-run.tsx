import type { SyncLog } from '@sluice/contracts';
import { Link } from 'wouter';
import { Section } from '../../parts/page';
import { Status } from '../../parts/values';
import * as texts from '../../texts/listings/sync';
import { nextStep } from './module-error';
import { durationOf, RunCounts, RunStart } from './run';

/** The result of the last run, with its counts. */
export function LastRun({ run }: { readonly run: SyncLog }) {
  return (
    <Section title={texts.lastRun} actions={<Link to={`/listings-ads/sync/${run.id}`}>{texts.showLog}</Link>}>
      <p>
        <Status of={run.status} /> {texts.outcomes[run.status]}
      </p>
      <p>
        <RunStart of={run} />
        {texts.runTook(durationOf(run))}
      </p>
      {run.error_message !== null && <p className="fault">{run.error_message}</p>}
      {nextStep(run.details['code'])}
      <RunCounts of={run} />
    </Section>
  );
}
