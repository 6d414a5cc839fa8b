import { randomUUID } from 'node:crypto';
import type { EventStore, Position } from '@sluice/event-store';
import type { Checkpoint, Collection, DocumentStore, Row } from './port';
import type { Projection } from './projection';
import { runProjection } from './projection-run';
import { pause } from './setbacks';

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
  readonly renewals: number;
}

const LEASES: Collection<RebuildLease> = { name: 'rebuilds', indexes: [] };
const RENEWED_EVERY_MS = 1_000;
const LEASE_MS = 5_000;
const LOOK_MS = 100;

/**
 * Makes a projection's rows anew from the first event on, beside the live ones, and swaps when they
 * have caught up with the event store and with the live ones. Readers and runners of any process go
 * on meanwhile, and move to the new rows at the swap. Rebuilds of one projection take turns.
 *
 * Rejects, and the live rows stay as they are, when an event can't be applied or an engine goes
 * away for good.
 */
export async function rebuildProjection(options: RebuildOptions): Promise<void> {
  const { documents, projection, unless = () => false, signal = new AbortController().signal } = options;
  const lease = await takeTurn(documents, projection.name, signal);
  try {
    const live = await (await documents.liveTarget(projection)).checkpoint();
    if (!signal.aborted && !unless(live)) await fillAndSwap(options, signal);
  } finally {
    await lease.release();
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
 * Safety does not rest on the lease: a second rebuild drops the first one's rows, and nothing of
 * them is ever seen. It keeps processes that start together from doing so in turns.
 */
export async function takeTurn(documents: DocumentStore, projection: string, signal: AbortSignal) {
  const leases = documents.rows(LEASES);
  const lease = (renewals: number): RebuildLease => ({ id: projection, holder: randomUUID(), renewals });
  let version = await leases.put(lease(0), 'absent');
  let seen: { readonly version: number; readonly at: number } | undefined;
  while (version === undefined && !signal.aborted) {
    const stored = await leases.getVersioned(projection);
    if (!stored) version = await leases.put(lease(0), 'absent');
    else if (stored.version !== seen?.version) seen = { version: stored.version, at: performance.now() };
    else if (performance.now() - seen.at > LEASE_MS) version = await leases.put(lease(0), stored.version);
    if (version === undefined) await pause(LOOK_MS, signal);
  }

  let renewals = 0;
  const renew = async (): Promise<void> => {
    if (version !== undefined) version = await leases.put(lease(++renewals), version);
  };
  let renewing = Promise.resolve();
  const timer = setInterval(() => {
    renewing = renewing.then(renew).catch(() => undefined);
  }, RENEWED_EVERY_MS);
  return {
    release: async (): Promise<void> => {
      clearInterval(timer);
      await renewing;
      if (version !== undefined) await leases.delete(projection, version).catch(() => undefined);
    },
  };
}
