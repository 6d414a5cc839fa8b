import { KeyedHash } from '@sluice/kernel';

export interface FixedWindowsOptions {
  /** Uses of one subject within a window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Subjects counted simultaneously: a power of two, at least 4. 16 bytes each, allocated once. */
  readonly subjects: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** Of one subject: two halves of its hash, the tenth of a second at which its window began, and its uses. */
const FIELDS = 4;
const START = 2;
const COUNT = 3;
/** Places where a subject may be stored: together one cache line. */
const WAYS = 4;
const TENTH_MS = 100;

/**
 * Counts uses by subject in windows that begin with a subject's first use, in memory of a fixed size.
 * A subject is identified by 64 bits of a keyed hash. When more subjects than fit are active within one
 * window, those with the fewest uses are dropped first and start again at zero: the limiter may then admit
 * more than the limit, never less.
 */
export class FixedWindows {
  private readonly table: Uint32Array;
  private readonly lastSet: number;
  private readonly hash = new KeyedHash();
  private readonly begun: number;

  constructor(private readonly options: FixedWindowsOptions) {
    this.table = new Uint32Array(options.subjects * FIELDS);
    this.lastSet = options.subjects / WAYS - 1;
    this.begun = options.now();
  }

  /**
   * Counts one use, including rejected ones. Returns 0, or the milliseconds until the window ends if the
   * limit is exceeded.
   * @param realm separates equal subjects of different kinds
   */
  use(subject: string, realm = 0): number {
    const { table, options } = this;
    const { first, second } = this.hash.make(subject, realm);
    const passedMs = options.now() - this.begun;
    const now = Math.floor(passedMs / TENTH_MS);
    const windowTenths = options.windowMs / TENTH_MS;
    const set = ((first ^ (second << 7)) & this.lastSet) * WAYS * FIELDS;
    let place = set;
    let fewest = Infinity;
    for (let at = set; at < set + WAYS * FIELDS; at += FIELDS) {
      const end = (table[at + START] ?? 0) + windowTenths;
      const count = now < end ? (table[at + COUNT] ?? 0) : 0;
      if (count > 0 && table[at] === first && table[at + 1] === second) {
        table[at + COUNT] = count + 1;
        return count < options.limit ? 0 : Math.max(1, end * TENTH_MS - passedMs);
      }
      if (count < fewest) {
        fewest = count;
        place = at;
      }
    }
    table[place] = first;
    table[place + 1] = second;
    table[place + START] = now;
    table[place + COUNT] = 1;
    return 0;
  }
}
