import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Gives the source to `sink`, destroys it on a failure, and settles once `sink` has: a pipeline alone ends as soon as
 * its source breaks, while the sink is still at work, and what that leaves behind comes after it was tidied up.
 */
export async function consume(
  source: Readable,
  sink: (chunks: AsyncIterable<Uint8Array | string>) => Promise<void>,
): Promise<void> {
  let sinking = Promise.resolve();
  try {
    await pipeline(source, (chunks: AsyncIterable<Uint8Array | string>) => (sinking = sink(chunks)));
  } finally {
    await sinking.catch(() => undefined);
  }
}
