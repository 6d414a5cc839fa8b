import type { Adapter, ErrorReport, Host, KnownUser, PrepareAdapter } from './adapter.js';
import type { ProviderBlocks, ProviderId } from './configuration.js';
import { copyReport } from './sanitise.js';

const TIME_LIMIT_MS = 5_000;

/** What became of a report: a reason when it was not meant to be sent, a message when that failed. */
export type Outcome = { readonly id: string } & (
  { readonly reason?: string | undefined } | { readonly message: string }
);

/** What a provider needs of the tracker. */
export interface Core extends Host {
  /** Rises with every no: what was logged before a no is not sent after it, whatever the consent is by then. */
  refusals(): number;
  /** Calls code of a provider, which may report an error of its own. */
  guarded<T>(call: () => T): T;
  warn(message: string): void;
  /** Without credentials. */
  messageOf(error: unknown): string;
}

export interface Provider {
  readonly id: ProviderId;
  /** Its SDK could not be loaded or started; the next error tries again. */
  readonly failed: boolean;
  /** Loads and starts the SDK, unless a no comes between; given up after 5 s. */
  start(): Promise<void>;
  /** Answers within 5 s. Never rejects. */
  deliver(report: ErrorReport): Promise<Outcome>;
  setUser(user: KnownUser | undefined): void;
  stop(): void;
}

/** Of a provider whose block has been checked. */
export function createProvider<Id extends ProviderId>(
  id: Id,
  block: ProviderBlocks[Id],
  load: () => Promise<{ readonly prepare: PrepareAdapter<Id> }>,
  core: Core,
): Provider {
  let prepared: Promise<(() => Adapter) | undefined> | undefined;
  let adapter: Adapter | undefined;
  let failed = false;

  async function prepare(): Promise<(() => Adapter) | undefined> {
    try {
      const loaded = await load();
      if (core.consented()) return await loaded.prepare(block, core);
      prepared = undefined;
      return undefined;
    } catch (error) {
      prepared = undefined;
      throw error;
    }
  }

  /** Undefined when consent went meanwhile. */
  async function started(): Promise<Adapter | undefined> {
    let step = 'loaded';
    try {
      const start = await (prepared ??= prepare());
      if (!start || !core.consented()) return undefined;
      step = 'started';
      if (!adapter) {
        adapter = core.guarded(start);
        const user = core.user();
        if (user) setUser(user);
      }
      failed = false;
      return adapter;
    } catch (error) {
      failed = true;
      core.warn(`${id} could not be ${step}: ${core.messageOf(error)}`);
      throw error;
    }
  }

  function setUser(user: KnownUser | undefined): void {
    try {
      core.guarded(() => adapter?.setUser?.(user));
    } catch (error) {
      core.warn(`${id} did not take the user: ${core.messageOf(error)}`);
    }
  }

  return {
    id,
    get failed() {
      return failed;
    },

    async start() {
      await inTime(started());
    },

    async deliver(report) {
      const refusals = core.refusals();
      let late = false;
      const sent = started().then((running) => {
        if (late) return undefined;
        const stands = running && core.refusals() === refusals;
        return stands ? core.guarded(() => running.send(copyReport(report))) : 'consent';
      });
      try {
        return { id, reason: await inTime(sent) };
      } catch (error) {
        late = true;
        return { id, message: core.messageOf(error) };
      }
    },

    setUser,

    stop() {
      const stopped = adapter;
      adapter = undefined;
      try {
        core.guarded(() => stopped?.stop?.());
      } catch (error) {
        core.warn(`${id} did not stop cleanly: ${core.messageOf(error)}`);
      }
    },
  };
}

function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${TIME_LIMIT_MS} ms`)), TIME_LIMIT_MS);
  });
  return Promise.race([work, limit]).finally(() => clearTimeout(timer));
}
