import { hash } from 'node:crypto';

/** A number in [0, 1), evenly spread, the same for the same text everywhere: the first 53 bits of the SHA-256 of its UTF-8 over 2^53. */
export function hashFraction(text: string): number {
  // A character for each byte: a Buffer, or hex that is parsed, costs about as much as the hash itself.
  const digest = hash('sha256', text, 'binary');
  const byte = (at: number) => digest.charCodeAt(at);
  const first16 = (byte(0) << 8) | byte(1);
  const next32 = ((byte(2) << 24) | (byte(3) << 16) | (byte(4) << 8) | byte(5)) >>> 0;
  return ((first16 * 2 ** 32 + next32) * 2 ** 5 + (byte(6) >>> 3)) / 2 ** 53;
}
