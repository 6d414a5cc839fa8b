import { type ChosenChannel, isInForce } from '../devices/chosen-channels';
import type { HeldRows } from '../devices/followed-rows';

type Choice = Pick<ChosenChannel, 'channel' | 'expiresAt' | 'at'>;

/** Which devices have chosen which channels, in memory. */
export class ChannelChoices implements HeldRows<ChosenChannel> {
  /** By app and device; also choices that are over, until the rows are read again: they count for the limits. */
  private apps = new Map<number, Map<string, Choice>>();
  private now = 0;

  /** Of all apps. */
  get size(): number {
    let size = 0;
    for (const devices of this.apps.values()) size += devices.size;
    return size;
  }

  sizeOf(appId: number): number {
    return this.apps.get(appId)?.size ?? 0;
  }

  /** Whether any device of the app has chosen a channel. */
  isUsedBy(appId: number): boolean {
    return this.apps.has(appId);
  }

  /** The choice of a device that may be stored under these hashes; undefined: it has none now. */
  of(appId: number, hashes: readonly string[]): Choice | undefined {
    const latest = this.latest(appId, hashes);
    return latest !== undefined && isInForce(latest, this.now) ? latest : undefined;
  }

  /** The same, also if it is over. */
  latest(appId: number, hashes: readonly string[]): Choice | undefined {
    const devices = this.apps.get(appId);
    if (devices === undefined) return undefined;
    let latest: Choice | undefined;
    for (const hash of hashes) {
      const choice = devices.get(hash);
      if (choice !== undefined && (latest === undefined || choice.at > latest.at)) latest = choice;
    }
    return latest;
  }

  /** A row that is older than the known one is left out. */
  add({ appId, device, channel, expiresAt, at }: ChosenChannel): void {
    let devices = this.apps.get(appId);
    if (devices === undefined) this.apps.set(appId, (devices = new Map<string, Choice>()));
    const before = devices.get(device);
    if (before === undefined || before.at <= at) devices.set(device, { channel, expiresAt, at });
  }

  forget(appId: number, devices: readonly string[]): void {
    const held = this.apps.get(appId);
    for (const device of devices) held?.delete(device);
    if (held?.size === 0) this.apps.delete(appId);
  }

  tick(now: number): void {
    this.now = now;
  }

  replaceBy({ apps }: ChannelChoices): void {
    this.apps = apps;
  }
}
