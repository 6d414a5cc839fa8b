import type { DeviceRow, HeldRows } from '../devices/followed-rows';
import type { DeviceSet } from './domain/select-build';

/** A device that rolled a build back. The id is `appId/buildId/retries/device`. */
export interface RolledBackDevice extends DeviceRow {
  readonly buildId: number;
  /** How often an operator had retried the build by then. */
  readonly retries: number;
}

type Retried = Pick<RolledBackDevice, 'buildId'> & { readonly retries?: number };

/** Of one build, since it was retried last: by device, the day on which its row was written. */
interface OfBuild {
  readonly appId: number;
  readonly retries: number;
  readonly devices: Map<string, number>;
}

const DAY_MS = 86_400_000;

/** Which devices rolled which builds back, in memory. */
export class Rollbacks implements HeldRows<RolledBackDevice> {
  private builds = new Map<number, OfBuild>();
  private apps = new Map<number, Set<number>>();
  private total = 0;

  /** @param changed called with each build when a first device has rolled it back */
  constructor(private readonly changed: (buildId: number) => void = () => undefined) {}

  /** Of all builds. */
  get size(): number {
    return this.total;
  }

  sizeOf(appId: number): number {
    let size = 0;
    for (const buildId of this.buildsOf(appId)) size += this.builds.get(buildId)?.devices.size ?? 0;
    return size;
  }

  /** The builds of the app that a device rolled back. */
  buildsOf(appId: number): Iterable<number> {
    return this.apps.get(appId) ?? [];
  }

  /** The devices that rolled the build back since it was retried so often; undefined: none did. */
  devicesOf({ buildId, retries = 0 }: Retried): (DeviceSet & { readonly size: number }) | undefined {
    const held = this.builds.get(buildId);
    return held !== undefined && held.retries >= retries ? held.devices : undefined;
  }

  has(build: Retried, device: string): boolean {
    return this.devicesOf(build)?.has(device) ?? false;
  }

  /** Whether the row of the device was written on the UTC day of this time. */
  isOfDay({ buildId }: Retried, device: string, time: number): boolean {
    return this.builds.get(buildId)?.devices.get(device) === Math.floor(time / DAY_MS);
  }

  /** A row of fewer retries than a known one of the build is left out. */
  add({ appId, buildId, retries, device, at }: RolledBackDevice): void {
    let held = this.builds.get(buildId);
    const isFirst = held === undefined || held.retries < retries;
    if (held === undefined || isFirst) {
      this.total -= held?.devices.size ?? 0;
      this.builds.set(buildId, (held = { appId, retries, devices: new Map() }));
      this.apps.set(appId, (this.apps.get(appId) ?? new Set()).add(buildId));
    }
    if (held.retries > retries) return;
    this.total -= held.devices.size;
    held.devices.set(device, Math.floor(at / DAY_MS));
    this.total += held.devices.size;
    if (isFirst) this.changed(buildId);
  }

  delete({ appId, buildId, device }: Pick<RolledBackDevice, 'appId' | 'buildId' | 'device'>): void {
    const held = this.builds.get(buildId);
    if (held?.devices.delete(device) !== true) return;
    this.total -= 1;
    if (held.devices.size > 0) return;
    this.builds.delete(buildId);
    const builds = this.apps.get(appId);
    builds?.delete(buildId);
    if (builds?.size === 0) this.apps.delete(appId);
  }

  forget(appId: number, devices: readonly string[]): void {
    for (const buildId of [...this.buildsOf(appId)]) {
      for (const device of devices) this.delete({ appId, buildId, device });
    }
  }

  replaceBy({ builds, apps, total }: Rollbacks): void {
    Object.assign(this, { builds, apps, total });
    for (const buildId of builds.keys()) this.changed(buildId);
  }
}
