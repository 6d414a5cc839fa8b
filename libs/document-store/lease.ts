import { type Clock, LostLeaseError } from '@sluice/kernel';

export interface LeaseOptions {
  readonly leaseMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Rejects when the lease could not be renewed; with a LostLeaseError, permanently. */
  readonly renew: () => Promise<unknown>;
}

export interface Lease {
  /** Aborted as soon as another may hold the lease. */
  readonly signal: AbortSignal;
  /** Ends the renewing; waits for the renewal in flight. */
  stop(): Promise<void>;
}

/** The holder's side of a lease that was just taken: renews every third of it and gives up after two. */
export function holdLease({ leaseMs, clock, renew }: LeaseOptions): Lease {
  const lost = new AbortController();
  const giveUp = () => lost.abort(new Error('The lease was lost.'));
  let stopped = false;
  let deadline = setTimeout(giveUp, (leaseMs * 2) / 3);
  let timer = setTimeout(tick, leaseMs / 3);
  let inFlight = Promise.resolve();

  function tick(): void {
    inFlight = renewOnce();
  }

  async function renewOnce(): Promise<void> {
    const begun = clock.monotonic();
    try {
      await renew();
      clearTimeout(deadline);
      if (!stopped) deadline = setTimeout(giveUp, (leaseMs * 2) / 3 - (clock.monotonic() - begun));
    } catch (error) {
      if (error instanceof LostLeaseError) giveUp();
    }
    if (!stopped && !lost.signal.aborted) timer = setTimeout(tick, leaseMs / 3 - (clock.monotonic() - begun));
  }

  return {
    signal: lost.signal,
    stop: async () => {
      stopped = true;
      clearTimeout(deadline);
      clearTimeout(timer);
      await inFlight;
    },
  };
}
