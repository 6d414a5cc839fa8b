import type { KeyedHash } from '@sluice/kernel';

/** Registers: the standard error of an estimate is 1.04 / √4096, 1.6%. */
const INDEX_BITS = 12;
const REGISTERS = 2 ** INDEX_BITS;
/** Of the hash that the rank is read from; a rank is 1 to 33. */
const RANK_BITS = 32;
/** As text, a register is one character from this one on. */
const ZERO = '0'.charCodeAt(0);

/**
 * About how many different texts were added, in 4 KB whatever their number: a HyperLogLog sketch, estimated as in Otmar Ertl,
 * “New cardinality estimation algorithms for HyperLogLog sketches” (2017). Merging is the maximum of each register, so the
 * order and the number of merges change nothing.
 */
export class Sketch {
  private constructor(private readonly registers: Uint8Array) {}

  static empty(): Sketch {
    return new Sketch(new Uint8Array(REGISTERS));
  }

  /** As `text` wrote it. */
  static parse(text: string): Sketch {
    return new Sketch(
      Uint8Array.from({ length: REGISTERS }, (_, at) => Math.max(0, (text.charCodeAt(at) || ZERO) - ZERO)),
    );
  }

  text(): string {
    return String.fromCharCode(...this.registers.map((rank) => rank + ZERO));
  }

  /**
   * Returns whether the sketch is another one now. @param hash with seeds that devices can't know, so that no client can choose
   * ids that count as many. Two sketches can be merged if their texts were added with the same seeds
   */
  add(text: string, hash: KeyedHash): boolean {
    const { first, second } = hash.make(text);
    return this.raise(spread(first) >>> (32 - INDEX_BITS), Math.clz32(spread(second)) + 1);
  }

  /** Returns whether the sketch is another one now. */
  merge(other: Sketch): boolean {
    let changed = false;
    for (let at = 0; at < REGISTERS; at += 1) changed = this.raise(at, other.registers[at] ?? 0) || changed;
    return changed;
  }

  estimate(): number {
    const counts = Array<number>(RANK_BITS + 2).fill(0);
    for (const rank of this.registers) counts[rank] = (counts[rank] ?? 0) + 1;
    let sum = REGISTERS * tau(1 - (counts[RANK_BITS + 1] ?? 0) / REGISTERS);
    for (let rank = RANK_BITS; rank >= 1; rank -= 1) sum = (sum + (counts[rank] ?? 0)) / 2;
    sum += REGISTERS * sigma((counts[0] ?? 0) / REGISTERS);
    return Math.round(REGISTERS ** 2 / (2 * Math.LN2 * sum));
  }

  private raise(at: number, rank: number): boolean {
    if (rank <= (this.registers[at] ?? 0)) return false;
    this.registers[at] = rank;
    return true;
  }
}

/** Lets each bit of the hash depend on all others: the finalizer of MurmurHash3. */
function spread(hash: number): number {
  let mixed = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function sigma(share: number): number {
  if (share === 1) return Infinity;
  let [x, y, z, before] = [share, 1, share, -1];
  while (z !== before) {
    before = z;
    x *= x;
    z += x * y;
    y += y;
  }
  return z;
}

function tau(share: number): number {
  if (share === 0 || share === 1) return 0;
  let [x, y, z, before] = [share, 1, 1 - share, -1];
  while (z !== before) {
    before = z;
    x = Math.sqrt(x);
    y /= 2;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
}
