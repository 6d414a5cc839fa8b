import type { StateStore } from '@sluice/document-store';
import type { Messaging } from '@sluice/messaging';
import type { Clock, Logger } from '@sluice/kernel';
import { type DevicePin, devicePins } from '../devices/device-pins';
import { FollowedRows } from '../devices/followed-rows';
import { beginningWith } from '../reports/domain/report';
import { pinKeyOf, Pins } from '../serving/pins';
import type { ServedBuilds } from '../serving/served-builds';

export interface PinStoreOptions {
  readonly index: { readonly builds: Pick<ServedBuilds, 'pins'> };
  /** The state store. */
  readonly state: StateStore;
  readonly messaging: Pick<Messaging, 'listen'>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What devices are pinned to. */
export type PinTarget = Pick<DevicePin, 'appId' | 'target'>;

/** The pins of a target that are valid. */
export interface ValidPins {
  readonly devices: number;
  /** Milliseconds since 1970; undefined: there is none. */
  readonly first: number | undefined;
  readonly last: number | undefined;
}

const PAGE = 1_000;

/** Stores which devices are pinned to which builds and channels. */
export class PinStore extends FollowedRows<DevicePin, Pins> {
  constructor({ index, state, messaging, clock, logger }: PinStoreOptions) {
    super({
      ...{ collection: devicePins, held: index.builds.pins, empty: () => new Pins() },
      ...{ state, messaging, clock, logger },
      fault: 'Pinned devices could not be read; the ones that are known are used',
    });
  }

  /** Of all apps, or of one; those that have expired and are not deleted yet among them. */
  size(appId?: number): Promise<number> {
    return this.rows.count(appId === undefined ? {} : { id: beginningWith(`${appId}/`) });
  }

  async of({ appId, target }: PinTarget, now: number): Promise<ValidPins> {
    const where = { appId, target, expiresAt: { gt: now } };
    const [devices, [first], [last]] = await Promise.all([
      this.rows.count(where),
      this.rows.find({ where, sort: [['expiresAt', 'asc']], limit: 1 }),
      this.rows.find({
        where,
        sort: [
          ['expiresAt', 'desc'],
          ['id', 'desc'],
        ],
        limit: 1,
      }),
    ]);
    return { devices, first: first?.expiresAt, last: last?.expiresAt };
  }

  /** Of these devices, the ones that are pinned to the target. */
  find(target: PinTarget, devices: readonly string[]): Promise<DevicePin[]> {
    const ids = devices.map((device) => idOf(target, device));
    return this.rows.find({ where: { id: { in: ids } } });
  }

  async put(pins: readonly Omit<DevicePin, 'id'>[]): Promise<void> {
    if (pins.length === 0) return;
    const rows = pins.map((pin) => ({ ...pin, id: idOf(pin, pin.device) }));
    await this.rows.putMany(rows);
    for (const row of rows) this.add(row);
  }

  /** Ends all pins of the target, a part at a time. */
  async end({ appId, target }: PinTarget, now: number): Promise<void> {
    const where = { appId, target, expiresAt: { gt: now } };
    for (;;) {
      const page = await this.rows.find({ where, limit: PAGE });
      await this.put(page.map((pin) => ({ ...pin, expiresAt: now, at: now })));
      if (page.length < PAGE) return;
    }
  }
}

function idOf(target: PinTarget, device: string): string {
  return `${pinKeyOf(target)}/${device}`;
}
