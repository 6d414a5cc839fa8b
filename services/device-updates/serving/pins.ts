import type { DevicePin } from '../devices/device-pins';
import type { HeldRows } from '../devices/followed-rows';
import type { DeviceSet } from './domain/select-build';

/** Which devices are pinned to which builds, in memory. */
export class Pins implements HeldRows<DevicePin> {
  private builds = new Map<number, PinnedDevices>();
  private now = 0;

  /** @param changed called with each build when a first device was pinned to it */
  constructor(private readonly changed: (buildId: number) => void = () => undefined) {}

  /** The devices that are pinned to the build; undefined: none is. */
  of(buildId: number): DeviceSet | undefined {
    return this.builds.get(buildId);
  }

  add({ appId, buildId, device, at, expiresAt }: DevicePin): void {
    let pinned = this.builds.get(buildId);
    if (expiresAt <= Math.max(at, this.now)) {
      pinned?.until.delete(device);
      return;
    }
    if (pinned === undefined) {
      this.builds.set(buildId, (pinned = new PinnedDevices(appId, () => this.now)));
      this.changed(buildId);
    }
    pinned.until.set(device, expiresAt);
  }

  forget(appId: number, devices: readonly string[]): void {
    for (const pinned of this.builds.values()) {
      if (pinned.appId === appId) for (const device of devices) pinned.until.delete(device);
    }
  }

  tick(now: number): void {
    this.now = now;
  }

  replaceBy({ builds }: Pins): void {
    const former = this.builds;
    this.builds = new Map();
    for (const [buildId, { appId, until }] of builds) {
      const pinned = new PinnedDevices(appId, () => this.now, until);
      this.builds.set(buildId, pinned);
    }
    for (const buildId of new Set([...former.keys(), ...builds.keys()])) this.changed(buildId);
  }
}

class PinnedDevices implements DeviceSet {
  constructor(
    readonly appId: number,
    private readonly now: () => number,
    /** By device, when its pin expires. */
    readonly until = new Map<string, number>(),
  ) {}

  has(device: string): boolean {
    return (this.until.get(device) ?? 0) > this.now();
  }
}
