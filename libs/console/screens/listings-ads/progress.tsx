import { LinkButton } from '../../parts/button';
import { Section } from '../../parts/page';
import { Time } from '../../parts/values';
import * as texts from '../../texts/listings/sync';
import { useSyncStatus } from './queries';
import { RunStart } from './run';

/** The progress of the current run, if there is one. */
export function Progress() {
  const progress = useSyncStatus().data?.progress ?? null;
  if (progress === null) return null;
  const { items_read: read, items_expected: expected, log_id: log } = progress;
  const percent = expected > 0 && read <= expected ? Math.floor((read / expected) * 100) : undefined;
  return (
    <Section
      title={texts.inProgress}
      actions={<LinkButton to={`/listings-ads/sync/${log}`}>{texts.showLog}</LinkButton>}
    >
      <p>
        <RunStart of={progress} />
      </p>
      <progress
        className="run-progress"
        aria-label={texts.progress}
        max={100}
        {...(percent !== undefined && { value: percent })}
      />
      <p>
        {percent === undefined ? texts.itemsRead(read) : texts.itemsReadOf(read, expected, percent)}{' '}
        {texts.itemsDone(progress.items_processed, progress.items_failed, progress.items_deleted)}
      </p>
      <p>
        {texts.lastHeartbeat} <Time at={progress.heartbeat_at} none={texts.noHeartbeat} />
      </p>
    </Section>
  );
}
