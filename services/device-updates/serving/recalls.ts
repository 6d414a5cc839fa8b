import type { Channel } from '@sluice/contracts';
import { recallTarget, type ChannelRecalls, type RecallTarget } from './domain/recall-target';
import type { DeviceKind } from './domain/select-build';
import type { ServingRecall, ServingRepublished } from './serving.projection';

/** By version and platform. A version of all platforms is no version of a single one. */
interface OfChannel {
  readonly recalled: Map<string, number>;
  readonly republished: Map<string, number>;
}

type Versioned = Pick<ServingRecall, 'version' | 'platform'>;

/** Of a build for all platforms, its version alone. */
const keyOf = ({ version, platform }: Versioned): string =>
  platform === undefined ? version : `${version} ${platform}`;

/** The recalls in force, and the versions that recalls gave to republished builds. */
export class Recalls {
  /** By the integer id of the recalled build. */
  private readonly rows = new Map<number, ServingRecall>();
  private readonly channels = new Map<string, OfChannel>();

  /** @param changed called with each channel whose recalls changed */
  constructor(private readonly changed: (appId: number, channel: Channel) => void) {}

  has(buildId: number): boolean {
    return this.rows.has(buildId);
  }

  /** The recall of a build, which may be deleted; undefined: it is not recalled, or is a build of another app. */
  find(appId: number, buildId: number): ServingRecall | undefined {
    const row = this.rows.get(buildId);
    return row?.appId === appId ? row : undefined;
  }

  /** Those of the channel by which devices go back to the bundle inside their native app, in no order. */
  toEmbedded(appId: number, channel: Channel): ServingRecall[] {
    const recalled = [...(this.channels.get(`${appId}-${channel}`)?.recalled.values() ?? [])];
    return recalled.flatMap((buildId) => this.rows.get(buildId) ?? []).filter(({ target }) => target === 'embedded');
  }

  /** Whether a version of the channel is recalled, or given to a republished build. */
  concern(appId: number, channel: Channel): boolean {
    return this.channels.has(`${appId}-${channel}`);
  }

  /** Where devices of this version go; undefined: it is not recalled. */
  targetOf(
    appId: number,
    channel: Channel,
    { currentVersion: { version }, platform }: Pick<DeviceKind, 'currentVersion' | 'platform'>,
  ): RecallTarget | undefined {
    const known = this.channels.get(`${appId}-${channel}`);
    if (known === undefined) return undefined;
    const recalls = this.of(known);
    const ofPlatform = platform === 'ios' || platform === 'android' ? keyOf({ version, platform }) : version;
    return recallTarget(version, recalls) ?? recallTarget(ofPlatform, recalls);
  }

  /** Whether any version that devices run is recalled, or was given to a republished build, for one platform alone. */
  haveByPlatform(appId: number, channel: Channel): boolean {
    const { recalled, republished } = this.channels.get(`${appId}-${channel}`) ?? {};
    return [...(recalled?.keys() ?? []), ...(republished?.keys() ?? [])].some((key) => key.includes(' '));
  }

  replaceRecall(before: ServingRecall | undefined, after: ServingRecall | undefined): void {
    if (before !== undefined) {
      this.rows.delete(before.buildId);
      this.channel(before).recalled.delete(keyOf(before));
      this.dropIfEmpty(before);
    }
    if (after !== undefined) {
      this.rows.set(after.buildId, after);
      this.channel(after).recalled.set(keyOf(after), after.buildId);
    }
    this.notify(after ?? before);
  }

  replaceRepublished(before: ServingRepublished | undefined, after: ServingRepublished | undefined): void {
    if (before !== undefined) {
      this.channel(before).republished.delete(keyOf(before));
      this.dropIfEmpty(before);
    }
    if (after !== undefined) this.channel(after).republished.set(keyOf(after), after.republishedFromId);
    this.notify(after ?? before);
  }

  private of({ recalled, republished }: OfChannel): ChannelRecalls {
    return {
      originOf: (version) => recalled.get(version) ?? republished.get(version),
      targetOf: (buildId) => this.rows.get(buildId)?.target,
    };
  }

  private channel({ appId, channel }: { readonly appId: number; readonly channel: Channel }): OfChannel {
    const key = `${appId}-${channel}`;
    const known = this.channels.get(key) ?? {
      recalled: new Map<string, number>(),
      republished: new Map<string, number>(),
    };
    this.channels.set(key, known);
    return known;
  }

  private dropIfEmpty(row: { readonly appId: number; readonly channel: Channel }): void {
    const { recalled, republished } = this.channel(row);
    if (recalled.size === 0 && republished.size === 0) this.channels.delete(`${row.appId}-${row.channel}`);
  }

  private notify(row: { readonly appId: number; readonly channel: Channel } | undefined): void {
    if (row !== undefined) this.changed(row.appId, row.channel);
  }
}
