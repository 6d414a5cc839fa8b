import { createHmac } from 'node:crypto';
import type { Collection, Row, StateStore } from '@sluice/document-store';
import { type Clock, KeyedHash } from '@sluice/kernel';
import { BUILDS, dayOf } from './domain/report';
import { Sketch } from './domain/sketch';

/** The devices that one build was offered, as a sketch, which names none of them. */
interface OfferedRow extends Row {
  readonly appId: number;
  readonly buildId: number;
  /** Sketch.text */
  readonly registers: string;
  /** By UTC day: how many they were at its end; left out where no device was new. */
  readonly reached: Readonly<Record<string, number>>;
}

/** In the state store. */
export const offeredDevices: Collection<OfferedRow> = { name: 'offeredDevices', indexes: [] };

/** Of 4 KB each. More builds than these are offered by turns. */
const MAX_SKETCHES = 2_000;
/** Sketches that are written simultaneously. */
const ABREAST = 50;
/** More than anybody asks for at a time. */
const MAX_DAYS = 400;

const idOf = (appId: number, buildId: number): string => `${appId}/${BUILDS}${buildId}/offered`;

interface Counted {
  readonly appId: number;
  readonly buildId: number;
  readonly sketch: Sketch;
  /** Since it was written. */
  changed: boolean;
}

export interface OfferedDevicesOptions {
  readonly state: StateStore;
  readonly clock: Clock;
  /** The same on every process, and known to no device. */
  readonly key: Buffer;
}

/**
 * Counts the devices that builds are offered, each once, within 2%: in memory, merged into the row of the build from time to
 * time. A merge that is repeated, or that comes late, changes nothing. What was not written is lost if the process is killed.
 */
export class OfferedDevices {
  private readonly counted = new Map<number, Counted>();
  private readonly hash: KeyedHash;

  constructor(private readonly options: OfferedDevicesOptions) {
    const digest = createHmac('sha256', options.key).update('offered devices').digest();
    this.hash = new KeyedHash([digest.readInt32LE(0), digest.readInt32LE(4)]);
  }

  note(appId: number, buildId: number, deviceId: string): void {
    const counted = this.counted.get(buildId) ?? this.begin(appId, buildId);
    if (counted?.sketch.add(deviceId, this.hash) === true) counted.changed = true;
  }

  /** Merges what changed into the store. @throws DocumentStoreUnavailableError; what was not written is written the next time */
  async write(): Promise<void> {
    const all = [...this.counted.values()];
    const changed = new Set(all.filter((each) => each.changed));
    await this.mergeAll([...changed]);
    if (all.length <= MAX_SKETCHES / 2) return;
    for (const each of all) if (!changed.has(each) && !each.changed) this.counted.delete(each.buildId);
  }

  /** Undefined: there is no room until the next write. */
  private begin(appId: number, buildId: number): Counted | undefined {
    if (this.counted.size >= MAX_SKETCHES) return undefined;
    const counted = { appId, buildId, sketch: Sketch.empty(), changed: false };
    this.counted.set(buildId, counted);
    return counted;
  }

  /** Several simultaneously, which a store may write in one transaction. */
  private async mergeAll(changed: readonly Counted[]): Promise<void> {
    for (let from = 0; from < changed.length; from += ABREAST) {
      const part = changed.slice(from, from + ABREAST);
      const outcomes = await Promise.allSettled(part.map((each) => this.merge(each)));
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    }
  }

  private async merge(counted: Counted): Promise<void> {
    const { appId, buildId, sketch } = counted;
    const id = idOf(appId, buildId);
    const day = dayOf(this.options.clock.now());
    counted.changed = false;
    try {
      await this.options.state.rows(offeredDevices).update(id, (row) => {
        const merged = Sketch.parse(row?.registers ?? '');
        const grew = merged.merge(sketch);
        // Of other processes: what they counted is not written again.
        sketch.merge(merged);
        if (!grew) return undefined;
        const reached = Object.entries({ ...row?.reached, [day]: merged.estimate() }).sort();
        const newest = Object.fromEntries(reached.slice(-MAX_DAYS));
        return { id, appId, buildId, registers: merged.text(), reached: newest };
      });
    } catch (error) {
      counted.changed = true;
      throw error;
    }
  }
}

export interface Offered {
  /** About how many devices the build was offered since it was made. */
  readonly devices: number;
  /** By UTC day: about how many were offered it for the first time. */
  readonly days: ReadonlyMap<string, number>;
}

/** By build; those that were offered to no device are left out. */
export async function readOffered(
  state: StateStore,
  appId: number,
  builds: readonly number[],
): Promise<ReadonlyMap<number, Offered>> {
  const ids = builds.map((buildId) => idOf(appId, buildId));
  const rows = await state.rows(offeredDevices).find({ where: { id: { in: ids } } });
  return new Map(rows.map(({ buildId, reached }) => [buildId, offeredOf(reached)]));
}

function offeredOf(reached: OfferedRow['reached']): Offered {
  let devices = 0;
  const days = new Map<string, number>();
  for (const [day, sum] of Object.entries(reached).sort()) {
    // The clock of another process may be in the next day.
    days.set(day, Math.max(0, sum - devices));
    devices = Math.max(devices, sum);
  }
  return { devices, days };
}
