import type { App, Build } from '@sluice/contracts';
import type { DialogState } from '../../../parts/dialog';
import { useWatched, type Watched, type WatchedKind } from '../../../parts/watched';
import { audience, audienceOf, onlyPinned, ring, rings } from '../../../texts/audience';
import * as texts from '../../../texts/build-dialogs';
import { build as nameOf, yesOrNo } from '../../../texts/shared';

export function wordsOfAudience({ audience: of }: Pick<Build, 'audience'>): string {
  const { limits, pinnedOnly } = audienceOf({ audience: of });
  return pinnedOnly ? onlyPinned : limits.join(', ') || texts.none;
}

/** The members of a build that a person can change, with their names and values as text. */
const FIELDS: WatchedKind<Build>['fields'] = [
  ['status', texts.status, ({ status }) => status],
  [
    'recall_reason',
    texts.recalled,
    ({ recall_reason: reason }) => (reason === null ? yesOrNo(false) : texts.quoted(reason)),
  ],
  ['rollout_percentage', texts.rollout, ({ rollout_percentage: percentage }) => texts.percent(percentage ?? 100)],
  ['rollout_enabled', texts.rolloutHalted, ({ rollout_enabled: enabled }) => yesOrNo(!enabled)],
  ['mandatory', texts.mandatory, ({ mandatory }) => yesOrNo(mandatory)],
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

export const watchedBuild = (app: App, build: Build): WatchedKind<Build> => ({
  ...{ path: `/apps/${app.id}/builds/${build.id}`, scope: ['builds', app.id], name: nameOf(build), fields: FIELDS },
});

export function useWatchedBuild(
  app: App,
  build: Build,
  dialog: DialogState & { readonly busy: boolean },
): Watched<Build> {
  return useWatched(build, watchedBuild(app, build), dialog);
}
