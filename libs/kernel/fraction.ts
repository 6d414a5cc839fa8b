import { hash } from 'node:crypto';

/** A number in [0, 1), evenly spread, the same for the same text everywhere: the first 53 bits of the SHA-256 of its UTF-8 over 2^53. */
export function hashFraction(text: string): number {
  const digest = hash('sha256', text, 'buffer');
  return (digest.readUIntBE(0, 6) * 2 ** 5 + (digest.readUInt8(6) >>> 3)) / 2 ** 53;
}
