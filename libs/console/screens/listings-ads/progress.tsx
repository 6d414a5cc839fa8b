import { LinkButton } from '../../parts/button';
import { Section } from '../../parts/page';
import { Time } from '../../parts/values';
import { useSyncStatus } from './queries';
import { RUN_TYPES, TRIGGERS } from './run';

/** The progress of the current run, if there is one. */
export function Progress() {
  const progress = useSyncStatus().data?.progress ?? null;
  if (progress === null) return null;
  const { items_read: read, items_expected: expected, log_id } = progress;
  const known = expected > 0 && read <= expected;
  const part = known ? Math.floor((read / expected) * 100) : undefined;
  const done = [
    `${progress.items_processed.toLocaleString()} sent`,
    `${progress.items_failed.toLocaleString()} failed`,
    `${progress.items_deleted.toLocaleString()} deleted`,
  ];
  return (
    <Section title="A sync is running" actions={<LinkButton to={`/listings-ads/sync/${log_id}`}>Its log</LinkButton>}>
      <p>
        {RUN_TYPES[progress.run_type]}, started {TRIGGERS[progress.trigger]} <Time at={progress.started_at} />.
      </p>
      <progress
        className="run-progress"
        aria-label="Progress of the sync"
        max={100}
        {...(part !== undefined && { value: part })}
      />
      <p>
        {read.toLocaleString()} {known && `of about ${expected.toLocaleString()}`} items read from the store
        {part !== undefined && ` (${part} %)`}; {done.join(', ')}.
      </p>
      <p>
        Last sign of life: <Time at={progress.heartbeat_at} none="none yet" />
      </p>
    </Section>
  );
}
