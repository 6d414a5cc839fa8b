import { randomUUID } from 'node:crypto';
import type { EventStore, Position } from '@sluice/event-store';
import { systemClock } from '@sluice/kernel';
import type { Checkpoint, Collection, DocumentStore, Row } from '@sluice/document-store';
import type { Projection } from './projection';
import { runProjection } from './projection-run';
import { pause } from '@sluice/event-store';
import { type StoredLease, StoredLeases } from '@sluice/document-store';

export interface RebuildOptions {
  readonly events: EventStore;
  readonly documents: DocumentStore;
  readonly projection: Projection;
  /** Asked when it is this rebuild's turn: true when the live rows turn out to be good. Default: never. */
  readonly unless?: (live: Checkpoint | undefined) => boolean;
  /** Gives the rebuild up: the live rows stay as they are. */
  readonly signal?: AbortSignal;
  /** Told how far it has come. */
  readonly advanced?: (position: Position) => void;
}

interface RebuildLease extends Row {
  readonly holder: string;
}

const LEASES: Collection<RebuildLease> = { name: 'rebuilds', indexes: [] };
const LEASE_MS = 5_000;
const LOOK_MS = 100;

/**
 * Rebuilds a projection's rows from the first event on, next to the live ones, and swaps when they
 * have caught up with the event store and with the live ones. Readers and runners of any process
 * continue meanwhile, and move to the new rows at the swap. Rebuilds of one projection take turns.
 *
 * Rejects, and the live rows stay as they are, when an event can't be applied or an engine stays
 * unavailable.
 */
export async function rebuildProjection(options: RebuildOptions): Promise<void> {
  const { documents, projection, unless = () => false, signal = new AbortController().signal } = options;
  const lease = await takeTurn(documents, projection.name, signal);
  try {
    const live = await (await documents.liveTarget(projection)).checkpoint();
    if (!signal.aborted && !unless(live)) await fillAndSwap(options, signal);
  } finally {
    await lease?.release();
  }
}

async function fillAndSwap(options: RebuildOptions, signal: AbortSignal): Promise<void> {
  const { events, documents, projection } = options;
  const store = await events.identity();
  const target = await documents.rebuildTarget(projection);
  let advanced: () => void = () => undefined;
  const run = runProjection({
    ...{ events, target, projection, store, checkpoint: undefined },
    advanced: (position) => {
      options.advanced?.(position);
      advanced();
    },
  });
  // Held by the signal until it is taken away: the caller's lives as long as the process.
  let stopWaiting: () => void = () => undefined;
  const aborted = new Promise<void>((resolve) => (stopWaiting = resolve));
  signal.addEventListener('abort', stopWaiting);
  try {
    await Promise.race([run.caughtUp, run.ended, aborted]);
    while (!signal.aborted) {
      await run.flush();
      if (await documents.swap(projection, target)) break;
      const moved = new Promise<void>((resolve) => (advanced = resolve));
      await Promise.race([moved, run.ended, pause(LOOK_MS, signal)]);
    }
  } finally {
    signal.removeEventListener('abort', stopWaiting);
    await run.close().catch(() => undefined);
  }
}

/**
 * Undefined when the signal aborted before. Safety does not rest on the lease: a second rebuild drops the first one's rows, and nothing of
 * them is ever seen. It keeps processes that start together from doing so in turns.
 */
export async function takeTurn(
  documents: DocumentStore,
  projection: string,
  signal: AbortSignal,
): Promise<StoredLease | undefined> {
  const leases = new StoredLeases({ store: documents, collection: LEASES, leaseMs: LEASE_MS, clock: systemClock });
  const holder = randomUUID();
  let lease: StoredLease | undefined;
  while (lease === undefined && !signal.aborted) {
    lease = await leases.take(() => ({ id: projection, holder }));
    if (lease === undefined) await pause(LOOK_MS, signal);
  }
  return lease;
}
