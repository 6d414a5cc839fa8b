import type { App, Build } from '@sluice/contracts';
import { useEffect, useState } from 'react';
import { ApiError } from '../../../api/client';
import { Button } from '../../../parts/button';
import { showToast } from '../../../parts/toasts';
import { audience, audienceOf, onlyPinned, ring, rings } from '../../../texts/audience';
import * as texts from '../../../texts/build-dialogs';
import { build as nameOf } from '../../../texts/shared';
import { useBuild } from '../../builds/data';

function wordsOfAudience({ audience: of }: Build): string {
  const { limits, pinnedOnly } = audienceOf({ audience: of });
  return pinnedOnly ? onlyPinned : limits.join(', ') || texts.none;
}

/** The members of a build that a person can change, with their names and values as text. */
const FIELDS: readonly (readonly [keyof Build, string, (value: Build) => string])[] = [
  ['status', texts.status, ({ status }) => status],
  ['recall_reason', texts.recalled, ({ recall_reason: reason }) => (reason === null ? texts.no : texts.quoted(reason))],
  ['rollout_percentage', texts.rollout, ({ rollout_percentage: percentage }) => texts.percent(percentage ?? 100)],
  ['rollout_enabled', texts.rolloutHalted, ({ rollout_enabled: enabled }) => (enabled ? texts.no : texts.yes)],
  ['mandatory', texts.mandatory, ({ mandatory }) => (mandatory ? texts.yes : texts.no)],
  ['min_native_version', texts.minNativeName, (build) => build.min_native_version ?? texts.none],
  ['native_range', texts.nativeRangeName, (build) => build.native_range ?? texts.none],
  ['fingerprint', texts.fingerprintName, (build) => build.fingerprint ?? texts.none],
  ['audience', audience, wordsOfAudience],
  ['ring', ring, (build) => rings[build.ring]],
  [
    'release_notes',
    texts.releaseNotesName,
    ({ release_notes: notes }) => (notes === null ? texts.none : texts.quoted(notes)),
  ],
];

/** A build that a dialog is about to change, as the person saw it and as it is now. */
export interface WatchedBuild {
  /** A request sends the revision of this one. */
  readonly seen: Build;
  readonly current: Build;
  /** Marks the current one as seen. */
  readonly accept: () => void;
  /** Hides an error that only reports the change that is shown already. */
  readonly judge: (error: Error | null) => Error | null;
}

/**
 * Watches a build while a dialog is open, unless the dialog itself is changing it. If the build is deleted elsewhere,
 * the dialog closes with a message.
 */
export function useWatchedBuild(
  app: App,
  opened: Build,
  { open, busy, close }: { readonly open: boolean; readonly busy: boolean; readonly close: () => void },
): WatchedBuild {
  const [seen, setSeen] = useState(opened);
  const isWatching = open && !busy;
  const now = useBuild(app, opened.id, isWatching);
  const isGone = isWatching && hasErrorCode(now.error, 'BUILD_NOT_FOUND');
  useEffect(() => {
    if (!isGone) return;
    showToast(texts.deletedMeanwhile(nameOf(opened)));
    close();
  }, [isGone, opened, close]);
  const isNewer = isWatching && now.data !== undefined && now.data.revision > seen.revision;
  const current = isNewer ? now.data : seen;
  return {
    seen,
    current,
    accept: () => setSeen(current),
    judge: (error) => (hasErrorCode(error, 'BUILD_CHANGED') && isNewer ? null : error),
  };
}

function hasErrorCode(error: Error | null, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}

/**
 * The changes of others to a build since the person saw it: both values, and the person's own. Until the person chooses,
 * the server rejects their request. `take`: puts the current values into the form; left out where there is no form.
 */
export function ConcurrentChanges({
  of: { seen, current, accept },
  mine = {},
  take,
}: {
  readonly of: WatchedBuild;
  readonly mine?: Partial<Build>;
  readonly take?: (current: Build) => void;
}) {
  if (current === seen) return null;
  const changed = FIELDS.filter(([, , words]) => words(current) !== words(seen));
  const own = { ...seen, ...mine };
  return (
    <div className="note warn" role="alert">
      <p>
        <strong>{texts.changedElsewhere}</strong>
      </p>
      <ul>
        {changed.map(([field, name, words]) => (
          <li key={field}>
            {texts.valueNow(
              name,
              words(current),
              words(seen),
              field in mine && words(own) !== words(seen) ? words(own) : undefined,
            )}
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
            {texts.useTheirs}
          </Button>
        )}
        <Button onClick={accept}>{take === undefined ? texts.proceed : texts.keepMine}</Button>
      </div>
    </div>
  );
}
