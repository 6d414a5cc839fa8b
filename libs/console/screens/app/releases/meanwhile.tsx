import type { App, Build } from '@sluice/contracts';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../api/client';
import { Button } from '../../../parts/button';
import { say } from '../../../parts/toasts';
import { useBuild } from '../../builds/data';

/** What a person can change of a build, in words. */
const FIELDS: readonly (readonly [keyof Build, string, (value: Build) => string])[] = [
  ['status', 'Status', ({ status }) => status],
  ['rollout_percentage', 'Rollout', ({ rollout_percentage: percentage }) => `${percentage ?? 100} %`],
  ['rollout_enabled', 'Given to further devices', ({ rollout_enabled: enabled }) => (enabled ? 'yes' : 'no')],
  ['mandatory', 'Mandatory', ({ mandatory }) => (mandatory ? 'yes' : 'no')],
  ['min_native_version', 'Minimum native version', (build) => build.min_native_version ?? 'none'],
  ['release_notes', 'Release notes', ({ release_notes: notes }) => (notes === null ? 'none' : `“${notes}”`)],
];

/** A build that a dialog is about to change, as the person has seen it and as it is by now. */
export interface WatchedBuild {
  /** The one whose revision a request names. */
  readonly seen: Build;
  readonly current: Build;
  /** The current one has been seen. */
  readonly accept: () => void;
  /** Looks at the build again when a refusal says that it is another one by now; else answers the refusal. */
  readonly judge: (error: Error | null) => Error | null;
}

/**
 * Watches a build while a dialog is open, unless the dialog itself is changing it. A build that is deleted elsewhere
 * closes the dialog, which says so.
 */
export function useWatchedBuild(
  app: App,
  opened: Build,
  { open, busy, close }: { readonly open: boolean; readonly busy: boolean; readonly close: () => void },
): WatchedBuild {
  const [seen, setSeen] = useState(opened);
  const isWatching = open && !busy;
  const now = useBuild(app, opened.id, isWatching);
  const isGone = isWatching && isRefusedWith(now.error, 'BUILD_NOT_FOUND');
  useEffect(() => {
    if (!isGone) return;
    say(`${opened.version} in ${opened.channel} was deleted in the meantime.`);
    close();
  }, [isGone, opened, close]);
  const isNewer = isWatching && now.data !== undefined && now.data.revision > seen.revision;
  const current = isNewer ? now.data : seen;
  return {
    seen,
    current,
    accept: () => setSeen(current),
    judge: (error) => (isRefusedWith(error, 'BUILD_CHANGED') && isNewer ? null : error),
  };
}

function isRefusedWith(error: Error | null, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}

/**
 * What others changed of a build since the person saw it, with both values and their own. Until they choose, a request
 * of theirs is refused. `take`: puts the current values into the form; left out where there is none.
 */
export function Meanwhile({
  of: { seen, current, accept },
  mine = {},
  take,
}: {
  readonly of: WatchedBuild;
  readonly mine?: Partial<Build>;
  readonly take?: (current: Build) => void;
}) {
  if (current === seen) return null;
  const changed = FIELDS.filter(([field]) => current[field] !== seen[field]);
  const own = { ...seen, ...mine };
  return (
    <div className="note warn" role="alert">
      <p>
        <strong>This build was changed elsewhere while you were here.</strong>
      </p>
      <ul>
        {changed.map(([field, name, words]) => (
          <li key={field}>
            {name}: now {words(current)}, before {words(seen)}
            {field in mine && own[field] !== seen[field] && `, yours ${words(own)}`}
          </li>
        ))}
      </ul>
      <div className="buttons">
        {take !== undefined && (
          <Button
            onClick={() => {
              take(current);
              accept();
            }}
          >
            Use theirs
          </Button>
        )}
        <Button onClick={accept}>{take === undefined ? 'I have seen it' : 'Keep mine'}</Button>
      </div>
    </div>
  );
}
