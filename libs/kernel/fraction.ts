import { hash } from 'node:crypto';

/** A number in [0, 1), evenly spread, the same for the same text everywhere: the first 53 bits of the SHA-256 of its UTF-8 over 2^53. */
export function hashFraction(text: string): number {
  // As hex: a Buffer for each digest costs about as much as the hash itself.
  const digest = hash('sha256', text, 'hex');
  const first48 = Number.parseInt(digest.slice(0, 12), 16);
  const next5 = Number.parseInt(digest.slice(12, 14), 16) >>> 3;
  return (first48 * 2 ** 5 + next5) / 2 ** 53;
}
