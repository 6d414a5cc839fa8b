import type { Channel } from '@sluice/contracts';
import { recallTarget, type ChannelRecalls, type RecallTarget } from './domain/recall-target';
import type { ServingRecall, ServingRepublished } from './serving.projection';

interface OfChannel {
  readonly recalled: Map<string, number>;
  readonly republished: Map<string, number>;
}

/** The recalls in force, and the versions that recalls gave to republished builds. */
export class Recalls {
  private readonly targets = new Map<number, RecallTarget>();
  private readonly channels = new Map<string, OfChannel>();

  /** @param changed called with each channel whose recalls changed */
  constructor(private readonly changed: (appId: number, channel: Channel) => void) {}

  has(buildId: number): boolean {
    return this.targets.has(buildId);
  }

  /** Where devices of this version go; undefined: it is not recalled. */
  targetOf(appId: number, channel: Channel, version: string): RecallTarget | undefined {
    const known = this.channels.get(`${appId}-${channel}`);
    return known === undefined ? undefined : recallTarget(version, this.of(known));
  }

  replaceRecall(before: ServingRecall | undefined, after: ServingRecall | undefined): void {
    if (before !== undefined) {
      this.targets.delete(before.buildId);
      this.channel(before).recalled.delete(before.version);
    }
    if (after !== undefined) {
      this.targets.set(after.buildId, after.target);
      this.channel(after).recalled.set(after.version, after.buildId);
    }
    this.notify(after ?? before);
  }

  replaceRepublished(before: ServingRepublished | undefined, after: ServingRepublished | undefined): void {
    if (before !== undefined) this.channel(before).republished.delete(before.version);
    if (after !== undefined) this.channel(after).republished.set(after.version, after.republishedFromId);
    this.notify(after ?? before);
  }

  private of({ recalled, republished }: OfChannel): ChannelRecalls {
    return {
      originOf: (version) => recalled.get(version) ?? republished.get(version),
      targetOf: (buildId) => this.targets.get(buildId),
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

  private notify(row: { readonly appId: number; readonly channel: Channel } | undefined): void {
    if (row !== undefined) this.changed(row.appId, row.channel);
  }
}
