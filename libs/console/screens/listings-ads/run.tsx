import type { SyncLog } from '@sluice/contracts';

/** What a run is of, in words. */
export const RUN_TYPES: Readonly<Record<SyncLog['run_type'], string>> = {
  full: 'Everything',
  incremental: 'What changed',
  single: 'One product',
};

export const TRIGGERS: Readonly<Record<SyncLog['trigger'], string>> = {
  schedule: 'by schedule',
  manual: 'by hand',
  repair: 'by a repair',
};

/** What each status of a run means. */
export const OUTCOMES: Readonly<Record<SyncLog['status'], string>> = {
  running: 'It is in progress.',
  completed: 'Everything was done.',
  partial: 'Some of it was done, some was not.',
  failed: 'It could not be done.',
  cancelled: 'It was ended because the module was turned off or the store was disconnected.',
};

type Counts = Pick<SyncLog, 'items_processed' | 'items_skipped' | 'items_failed' | 'items_deleted'>;

const COUNTS: readonly (readonly [keyof Counts, name: string, meaning: string])[] = [
  ['items_processed', 'Sent', 'The merchant account took them.'],
  ['items_skipped', 'Skipped', 'Unchanged since they were sent, or excluded from the feed.'],
  ['items_failed', 'Failed', 'The merchant account refused them.'],
  ['items_deleted', 'Deleted', 'Taken back, for the store lists them no longer.'],
];

/** What became of the items of a run; no item is in two counts. */
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

/** How long a run took or has taken, in words. */
export function lasted({ started_at, completed_at }: Pick<SyncLog, 'started_at' | 'completed_at'>): string {
  if (completed_at === null) return 'not ended';
  const seconds = Math.round((Date.parse(completed_at) - Date.parse(started_at)) / 1_000);
  if (seconds < 1) return 'less than a second';
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
