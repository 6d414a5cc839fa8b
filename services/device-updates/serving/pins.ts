import type { DevicePin } from '../devices/device-pins';
import type { HeldRows } from '../devices/followed-rows';
import type { DeviceSet } from './domain/select-build';

/** What devices are pinned to: `{appId}/{target}`. */
export function pinKeyOf({ appId, target }: Pick<DevicePin, 'appId' | 'target'>): string {
  return `${appId}/${target}`;
}

/** Which devices are pinned to which builds and channels, in memory. */
export class Pins implements HeldRows<DevicePin> {
  private targets = new Map<string, PinnedDevices>();
  private now = 0;

  /** @param changed called with each target when a first device was pinned to it, and when none is any longer */
  constructor(private readonly changed: (target: string) => unknown = () => undefined) {}

  /** The devices that are pinned to what has this key; undefined: none is. */
  of(key: string): DeviceSet | undefined {
    return this.targets.get(key);
  }

  add(pin: DevicePin): void {
    const { device, expiresAt, at, target } = pin;
    const key = pinKeyOf(pin);
    let pinned = this.targets.get(key);
    if (expiresAt <= Math.max(at, this.now)) {
      if (pinned !== undefined) this.remove(key, pinned, device);
      return;
    }
    if (pinned === undefined) {
      this.targets.set(key, (pinned = new PinnedDevices(pin, () => this.now)));
      this.changed(target);
    }
    pinned.until.set(device, expiresAt);
  }

  forget(appId: number, devices: readonly string[]): void {
    for (const [key, pinned] of this.targets) {
      if (pinned.of.appId === appId) for (const device of devices) this.remove(key, pinned, device);
    }
  }

  tick(now: number): void {
    this.now = now;
  }

  replaceBy({ targets }: Pins): void {
    const former = this.targets;
    this.targets = new Map();
    for (const [key, { of, until }] of targets) this.targets.set(key, new PinnedDevices(of, () => this.now, until));
    for (const { of } of new Map([...former, ...targets]).values()) this.changed(of.target);
  }

  private remove(key: string, pinned: PinnedDevices, device: string): void {
    pinned.until.delete(device);
    if (pinned.until.size > 0) return;
    this.targets.delete(key);
    this.changed(pinned.of.target);
  }
}

class PinnedDevices implements DeviceSet {
  constructor(
    readonly of: Pick<DevicePin, 'appId' | 'target'>,
    private readonly now: () => number,
    /** By device, when its pin expires. */
    readonly until = new Map<string, number>(),
  ) {}

  has(device: string): boolean {
    return (this.until.get(device) ?? 0) > this.now();
  }
}
