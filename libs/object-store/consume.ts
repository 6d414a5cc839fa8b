import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * Passes the source to `sink`, destroys the source on a failure, and settles only after `sink` has settled. A pipeline
 * alone settles as soon as its source fails, while the sink is still working, so the sink could create files after the
 * cleanup.
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
