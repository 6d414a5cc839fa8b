import { KeyedHash } from '@sluice/kernel';

export interface Seen {
  /** UTC, counted from 1970. */
  readonly day: number;
  /** Id of the build that runs; 0: none. */
  readonly build: number;
  /** What else is reported once, in any words. */
  readonly builds: string;
}

/** Of one device: two halves of its hash, when it was seen with which build, and the rest as a hash. */
const FIELDS = 4;
const ACTIVE = 2;
const REST = 3;
/** Places where a device may be stored: together one cache line. */
const WAYS = 4;
const HALF = 2 ** 16;

/**
 * What each device said last, in memory of a fixed size: 16 bytes for each. A device is identified by 64 bits of a keyed hash.
 * When more devices than fit are there, those that were seen on the earliest day are forgotten first.
 */
export class SeenDevices {
  private readonly table: Uint32Array;
  private readonly lastSet: number;
  private readonly hash = new KeyedHash();

  /** @param devices a power of two, at least 4 */
  constructor(devices: number) {
    this.table = new Uint32Array(devices * FIELDS);
    this.lastSet = devices / WAYS - 1;
  }

  /** Remembers what the device says; returns whether it said the same before. */
  note(device: string, { day, build, builds }: Seen): { readonly activeBefore: boolean; readonly sameBuilds: boolean } {
    const { table } = this;
    // Never 0, which is an empty place.
    const active = (day % HALF) * HALF + ((build % (HALF - 1)) + 1);
    const rest = this.hash.make(builds, build).first;
    const place = this.placeOf(device);
    const isKnown = this.isAt(place);
    const activeBefore = isKnown && table[place + ACTIVE] === active;
    const sameBuilds = isKnown && table[place + REST] === rest;
    table[place] = this.hash.first;
    table[place + 1] = this.hash.second;
    table[place + ACTIVE] = active;
    table[place + REST] = rest;
    return { activeBefore, sameBuilds };
  }

  forget(device: string): void {
    const place = this.placeOf(device);
    if (this.isAt(place)) this.table.fill(0, place, place + FIELDS);
  }

  /** Whether the device that was looked for last is at this place. */
  private isAt(place: number): boolean {
    const { table, hash } = this;
    return table[place + ACTIVE] !== 0 && table[place] === hash.first && table[place + 1] === hash.second;
  }

  /** Where the device is, else where it is to be. */
  private placeOf(device: string): number {
    const { first, second } = this.hash.make(device);
    const set = ((first ^ (second << 7)) & this.lastSet) * WAYS * FIELDS;
    let place = set;
    let earliest = Infinity;
    for (let at = set; at < set + WAYS * FIELDS; at += FIELDS) {
      if (this.isAt(at)) return at;
      const active = this.table[at + ACTIVE] ?? 0;
      if (active < earliest) {
        earliest = active;
        place = at;
      }
    }
    return place;
  }
}
