import type { SyncLog } from '@sluice/contracts';
import { Time } from '../../parts/values';
import * as texts from '../../texts/listings/sync';

/** The scope and the trigger of a run, and when it started. */
export function RunStart({ of: run }: { readonly of: Pick<SyncLog, 'run_type' | 'trigger' | 'started_at'> }) {
  return (
    <>
      {texts.runStarted(texts.runTypes[run.run_type], run.trigger)} <Time at={run.started_at} />
    </>
  );
}

type Counts = Pick<SyncLog, 'items_processed' | 'items_skipped' | 'items_failed' | 'items_deleted'>;

const COUNTS: readonly (readonly [keyof Counts, name: string, meaning: string])[] = [
  ['items_processed', texts.sent, texts.sentHelp],
  ['items_skipped', texts.skipped, texts.skippedHelp],
  ['items_failed', texts.failed, texts.failedHelp],
  ['items_deleted', texts.deleted, texts.deletedHelp],
];

/** The counts of a run. Each item is counted once. */
export function RunCounts({ of: counts }: { readonly of: Counts }) {
  return (
    <dl className="run-counts">
      {COUNTS.map(([member, name, meaning]) => (
        <div key={member}>
          <dt>{name}</dt>
          <dd>
            <strong>{counts[member].toLocaleString()}</strong>
            <small>{meaning}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The duration of a run that has ended. */
export function durationOf({ started_at, completed_at }: Pick<SyncLog, 'started_at' | 'completed_at'>): string {
  if (completed_at === null) return texts.notEnded;
  const seconds = Math.round((Date.parse(completed_at) - Date.parse(started_at)) / 1_000);
  if (seconds < 1) return texts.lessThanSecond;
  if (seconds < 120) return texts.seconds(seconds);
  return seconds < 7_200 ? texts.minutes(Math.round(seconds / 60)) : texts.hours((seconds / 3_600).toFixed(1));
}
