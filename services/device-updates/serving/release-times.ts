import type { Channel } from '@sluice/contracts';
import { LRUCache } from 'lru-cache';
import type { ServedBuild } from './served-builds';
import type { ServingIndex } from './serving-index';

/** Channels whose times are in memory. */
const REMEMBERED = 10_000;

interface Times {
  /** Of the channel when they were computed. */
  readonly channelRevision: number | undefined;
  /** Milliseconds since 1970, by the revision of the event that released a build, or recalled one. */
  readonly byRevision: ReadonlyMap<number, number>;
  /** Of the last recall to the bundle inside the native app. */
  readonly toEmbedded: number | undefined;
}

/**
 * When builds first became active in their channel, and when builds were last recalled to the bundle inside the native
 * app: each strictly later than the one before it in the channel, because clocks of replicas differ.
 */
export class ReleaseTimes {
  private readonly known = new LRUCache<string, Times>({ max: REMEMBERED });

  constructor(private readonly index: Pick<ServingIndex, 'builds' | 'channelRevision'>) {}

  /** Milliseconds since 1970. Undefined: the build never was active. */
  of({ facts: { appId, channel, release } }: ServedBuild): number | undefined {
    return release === undefined ? undefined : this.times(appId, channel).byRevision.get(release);
  }

  /** Milliseconds since 1970. Undefined: no recall in force is one to the bundle inside the native app. */
  ofRecallToEmbedded(appId: number, channel: Channel): number | undefined {
    return this.times(appId, channel).toEmbedded;
  }

  private times(appId: number, channel: Channel): Times {
    const { builds, channelRevision: revisionOf } = this.index;
    const channelRevision = revisionOf.call(this.index, appId, channel);
    const key = `${appId}/${channel}`;
    const before = this.known.get(key);
    if (before !== undefined && before.channelRevision === channelRevision) return before;
    const released = builds
      .ofApp(appId)
      .filter(({ facts }) => facts.channel === channel)
      .map(({ facts: { release, releasedAt } }) => [release, releasedAt] as const);
    const recalled = builds.recalls.toEmbedded(appId, channel).map(({ revision, at }) => [revision, at] as const);
    const byRevision = increasing([...released, ...recalled]);
    const lastRecall = Math.max(...recalled.map(([revision]) => revision ?? -1));
    const times = { channelRevision, byRevision, toEmbedded: byRevision.get(lastRecall) };
    this.known.set(key, times);
    return times;
  }
}

/** @param given revisions with the times that events have, as ISO 8601 */
function increasing(given: readonly (readonly [number | undefined, string | undefined])[]): Map<number, number> {
  const sorted = given
    .flatMap(([revision, at]) =>
      revision === undefined || at === undefined ? [] : [[revision, Date.parse(at)] as const],
    )
    .sort(([one], [other]) => one - other);
  let last = 0;
  return new Map(sorted.map(([revision, at]) => [revision, (last = Math.max(at, last + 1))] as const));
}
