import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { KeyedMutex } from '@sluice/kernel';
import { type Collection, MongoNotConnectedError } from 'mongodb';
import { isDuplicate } from './errors';

interface Turn {
  readonly _id: string;
  readonly holder: string;
  readonly renewals: number;
}

const RENEWED_EVERY_MS = 1_000;
/** A turn that was not renewed for so long is taken from its holder. */
const LEASE_MS = 5_000;
/** A turn that could not be released while the server was unavailable: how often and how long the release is retried. */
const RELEASE_EVERY_MS = 200;
const RELEASE_FOR_MS = 120_000;

/** What only one of all processes does at a time. */
export class Turns {
  /** One after the other within this process, in the order of the calls. */
  readonly local = new KeyedMutex();

  constructor(private readonly rows: Collection<Turn>) {}

  /**
   * Alone among all processes, by a row that no other process can insert meanwhile. A holder that went
   * away, or was silent for 5 s, is overtaken: what is done in a turn has to be harmless then. Nothing is
   * begun once the signal is aborted.
   */
  take<T>(name: string, signal: AbortSignal, action: () => Promise<T>): Promise<T> {
    return this.local.run(name, async () => {
      const holder = randomUUID();
      await this.#acquire(name, holder, signal);
      const renewing = setInterval(() => {
        void this.rows.updateOne({ _id: name, holder }, { $inc: { renewals: 1 } }).catch(() => undefined);
      }, RENEWED_EVERY_MS);
      try {
        signal.throwIfAborted();
        return await action();
      } finally {
        clearInterval(renewing);
        await this.rows.deleteOne({ _id: name, holder }).catch(() => void this.#release(name, holder));
      }
    });
  }

  /** Behind the holder's back: others would wait for a whole lease. Ends with the connection. */
  async #release(name: string, holder: string): Promise<void> {
    for (const end = performance.now() + RELEASE_FOR_MS; performance.now() < end;) {
      await pause(RELEASE_EVERY_MS, undefined, { ref: false });
      try {
        await this.rows.deleteOne({ _id: name, holder });
        return;
      } catch (error) {
        if (error instanceof MongoNotConnectedError) return;
      }
    }
  }

  async #acquire(name: string, holder: string, signal: AbortSignal): Promise<void> {
    let seen: { readonly state: string; readonly at: number } | undefined;
    for (;;) {
      signal.throwIfAborted();
      try {
        await this.rows.insertOne({ _id: name, holder, renewals: 0 });
        return;
      } catch (error) {
        if (!isDuplicate(error)) throw error;
      }
      const other = await this.rows.findOne({ _id: name });
      const state = other && `${other.holder} ${other.renewals}`;
      if (other && state === seen?.state) {
        if (performance.now() - seen.at > LEASE_MS) await this.rows.deleteOne({ _id: name, holder: other.holder });
      } else seen = state ? { state, at: performance.now() } : undefined;
      await pause(1 + Math.random() * 9);
    }
  }
}
