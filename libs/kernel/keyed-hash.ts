import { randomInt } from 'node:crypto';

/** The key of a hash: two numbers of 32 bits. */
export type Seeds = readonly [number, number];

/**
 * A keyed hash of 64 bits, which no client can predict. Quick, and not safe for secrets. What it computes never changes, because
 * sketches in the store depend on it.
 */
export class KeyedHash {
  /** The halves of the hash that was made last, each of 32 bits. */
  first = 0;
  second = 0;

  /** @param seeds left out: others in each process */
  constructor(private readonly seeds: Seeds = [randomInt(2 ** 32), randomInt(2 ** 32)]) {}

  /** @param realm separates equal subjects of different kinds */
  make(subject: string, realm = 0): this {
    let first = this.seeds[0] ^ realm;
    let second = this.seeds[1] ^ Math.imul(realm, 0x9e3779b1);
    for (let at = 0; at < subject.length; at += 1) {
      const code = subject.charCodeAt(at);
      first = Math.imul(first ^ code, 0x85ebca6b);
      first ^= first >>> 13;
      second = Math.imul(second ^ code, 0xc2b2ae35);
      second ^= second >>> 16;
    }
    this.first = first >>> 0;
    this.second = second >>> 0;
    return this;
  }
}
