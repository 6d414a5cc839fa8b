import { hash } from 'node:crypto';

/** Words of 32 bits that stand for an id. */
const WORDS = 4;
const FIRST_SLOTS = 1_024;

/**
 * A set of ids that can be asked, not listed. Holds 128 bits of each one's SHA-256, outside the heap: a
 * catalogue's ids as strings are what a run would hold most of. That an id which was not added counts as
 * seen is as good as impossible.
 */
export class SeenIds {
  size = 0;
  /** A slot has WORDS words; the first is 0 where nothing is there. */
  private table = new Uint32Array(FIRST_SLOTS * WORDS);

  /** Whether it is new. */
  add(id: string): boolean {
    const digest = digestOf(id);
    const at = place(this.table, digest);
    if (isTaken(this.table, at)) return false;
    this.table.set(digest, at);
    this.size += 1;
    if (this.size * WORDS * 2 > this.table.length) this.grow();
    return true;
  }

  has(id: string): boolean {
    return isTaken(this.table, place(this.table, digestOf(id)));
  }

  private grow(): void {
    const grown = new Uint32Array(this.table.length * 2);
    for (let at = 0; at < this.table.length; at += WORDS) {
      const digest = this.table.subarray(at, at + WORDS);
      if (isTaken(digest, 0)) grown.set(digest, place(grown, digest));
    }
    this.table = grown;
  }
}

/** WORDS words, the first of them not 0. */
function digestOf(id: string): Uint32Array {
  // As text, for a Buffer of its own is memory outside the heap, which is given back late.
  const bytes = hash('sha256', id, 'binary');
  const digest = new Uint32Array(WORDS);
  for (let byte = 0; byte < WORDS * 4; byte += 1) {
    const word = byte >> 2;
    digest[word] = ((digest[word] ?? 0) << 8) | bytes.charCodeAt(byte);
  }
  digest[0] = (digest[0] ?? 0) | 1;
  return digest;
}

/** Where the digest is, or would be. Half of the slots are free, so there is such a place. */
function place(table: Uint32Array, digest: Uint32Array): number {
  const slots = table.length / WORDS;
  for (let slot = (digest[1] ?? 0) % slots; ; slot = (slot + 1) % slots) {
    const at = slot * WORDS;
    if (!isTaken(table, at) || digest.every((word, index) => table[at + index] === word)) return at;
  }
}

function isTaken(table: Uint32Array, at: number): boolean {
  return table[at] !== 0;
}
