import type { App, Build, BuildPlatform, Channel } from '@sluice/contracts';
import { ErrorNote, Loading } from '../../../parts/states';
import { audienceOf, pinnedOnlyWords } from '../../../texts/audience';
import * as texts from '../../../texts/build-dialogs';
import { build as nameOf, buildId, nativeWords, state } from '../../../texts/shared';
import { servedIn, useBuilds, useHolder } from '../../builds/data';
import { isForEvery, isSamePlatform, type NativeRules } from '../../builds/native-rules';
import { compareVersions } from '../../builds/versions';
import { isRecalled, isReplacement, percentageOf, reachesAll, servingOf } from './serving';

/** A build before its upload or promotion. */
export interface Coming {
  readonly version: string;
  /** Percent. */
  readonly rollout: number;
  readonly mandatory: boolean;
  readonly audience: Build['audience'];
  readonly native: NativeRules;
}

interface WhatChangesProps {
  readonly app: App;
  readonly channel: Channel;
  readonly coming: Coming;
}

/** The effect on the devices of a channel when `coming` is active in it; or why the server rejects it. */
export function WhatChanges({ app, channel, coming }: WhatChangesProps) {
  const active = useBuilds(app, servedIn(channel));
  const { build: holder } = useHolder(app, channel, coming);
  const newest = useBuilds(app, { channel }).data?.data;
  if (active.isPending || active.isPlaceholderData) return <Loading what={texts.loadingActive} />;
  if (active.isError) return <ErrorNote error={active.error} retry={() => void active.refetch()} />;
  const versionError = versionErrorOf(active.data.data, holder, coming);
  if (versionError !== undefined) {
    return (
      <p className="note warn" role="status">
        {versionError}
      </p>
    );
  }
  return (
    <section className="note info" aria-label={texts.effect}>
      <h3>{texts.effectIn(channel)}</h3>
      <ul>
        {sentences(active.data.data, coming, channel, newest).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}

/** Why a channel would reject an upload of this version; undefined while that is loading. */
export function useVersionError(
  app: App,
  channel: Channel,
  version: string | undefined,
  platform: BuildPlatform,
): string | undefined {
  const active = useBuilds(app, servedIn(channel));
  const { build: holder } = useHolder(app, channel, { version: version ?? '', native: { platform } });
  if (version === undefined || active.data === undefined || active.isPlaceholderData) return undefined;
  const ofPlatform = active.data.data.filter((build) => ['all', undefined, platform].includes(build.platform));
  return versionErrorOf(ofPlatform, holder, { version }, channel);
}

/** Why the server would reject it. `upload`: the channel of an upload; only there the version must be the highest. */
function versionErrorOf(
  active: readonly Build[],
  holder: Build | undefined,
  { version }: Pick<Coming, 'version'>,
  upload?: Channel,
): string | undefined {
  if (holder !== undefined) {
    if (isRecalled(holder)) return texts.versionRecalled(nameOf(holder));
    if (isReplacement(holder)) return texts.versionOfReplacement(nameOf(holder));
    return texts.versionInUse(nameOf(holder), holder.id, state(holder));
  }
  const head = [...active].sort((a, b) => compareVersions(a.version, b.version)).at(-1);
  if (upload === undefined || head === undefined || compareVersions(head.version, version) < 0) return undefined;
  return texts.notHigher(upload, head.version);
}

function limitsOf(audience: Build['audience']): readonly string[] {
  const { limits, pinnedOnly } = audienceOf({ audience });
  return pinnedOnly ? [pinnedOnlyWords(0)] : limits;
}

/** `known`: among these are the recalled builds. */
export function sentences(
  active: readonly Build[],
  coming: Coming,
  channel: Channel,
  known: readonly Build[] = [],
): string[] {
  const { version, rollout, mandatory, audience, native } = coming;
  const rivals = active.filter((build) => isSamePlatform(build, native));
  const served = servingOf(rivals).served.filter((build) => percentageOf(build) > 0);
  const newer = served.filter((build) => compareVersions(build.version, version) > 0);
  const older = servingOf(rivals.filter((build) => compareVersions(build.version, version) < 0)).served.filter(
    (build) => percentageOf(build) > 0,
  );
  const before = older.map((build) => build.version);
  const [head] = newer;
  const isCovered = newer.some(
    (build) => reachesAll(build) || (build.platform === native.platform && reachesAll({ ...build, platform: 'all' })),
  );
  const lines: string[] = [];
  if (rollout === 0) {
    lines.push(texts.noneAtZero(version));
  } else if (head !== undefined && isCovered) {
    lines.push(texts.noneBehind(version, head.version));
  } else {
    const serving = {
      newer: newer.map((build) => build.version),
      older: before,
      limits: [...nativeWords(native), ...limitsOf(audience)],
    };
    lines.push(...texts.whoGets(version, rollout, serving));
    for (const { version: replacement, recall_of: recalled } of rivals.filter(isReplacement)) {
      if (compareVersions(replacement, version) > 0) continue;
      const of = known.find(({ id }) => id === recalled)?.version ?? buildId(recalled ?? 0);
      lines.push(texts.recalledGet(of, replacement));
    }
    if (rollout < 100 || !isForEvery(native) || audience !== null) {
      lines.push(before.length === 0 ? texts.othersGetNothing : texts.othersContinue(before));
    }
    if (mandatory) lines.push(texts.isMandatory);
  }
  lines.push(active.length === 0 ? texts.onlyActive(channel) : texts.noDowngrade);
  return lines;
}
