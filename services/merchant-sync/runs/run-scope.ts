import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadableRows } from '@sluice/document-store';
import type { Clock } from '@sluice/kernel';
import type { ListingMap } from '../products/listing-mapper';
import type { RunOrder } from './domain/runs';
import type { Outage, Refusal, RunProgress, SyncRun, Target } from './domain/sync-run';
import type { SyncSettings } from './domain/sync-settings';
import type { MappingRow } from './mappings.projection';
import {
  type Outcome,
  type RemoteAccess,
  type RemoteCatalog,
  RemoteError,
  type RemoteFault,
} from '../remotes/remote-catalog';
import type { ProductSource } from '../sources/product-source';
import { ConcurrencyLimit } from './concurrency-limit';
import { RunPausedError } from './run-faults';
import type { SeenIds } from './seen-ids';

/** Rows that are read at a time: few enough to parse them within a turn. */
export const ROWS_AT_ONCE = 200;
const LOOKED_THROUGH_AT_ONCE = 500;
/** A stretch of work that takes longer lets others of this thread run. */
const TURN_MS = 1;
const MAX_TEXT = 1_000;

export interface RunOptions {
  readonly order: RunOrder;
  readonly settings: SyncSettings;
  /** The run as it was taken: what an earlier holder did counts. */
  readonly run: SyncRun;
  readonly target: Target;
  readonly source: ProductSource | undefined;
  /** Uses the feed settings, and the shop's categories, which are read only where they are needed. @throws what `paths` throws */
  readonly openMap: (paths: AsyncIterable<string>, findUnknown: boolean) => Promise<ListingMap>;
  readonly remote: RemoteCatalog;
  readonly access: RemoteAccess;
  /** Of the person who granted access; null when the remote does not tell. */
  readonly email: string | null;
  /** Every event of this run is applied that was there when it was taken. */
  readonly mappings: ReadableRows<MappingRow>;
  /** Resolves once `mappings` holds all that was recorded. */
  readonly settled: () => Promise<void>;
  /** Appends to the run. @throws LostLeaseError */
  readonly record: (progress: RunProgress) => Promise<SyncRun>;
  /** @throws RunCancelledError when the module was turned off or the account disconnected */
  readonly stillWanted: () => Promise<void>;
  /** Called with the number of offers and exclusions read so far. */
  readonly progress: (read: number) => void;
  /** Aborted: start no further request. */
  readonly stopping: AbortSignal;
  /** Aborted: abort requests in progress. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Faults of one request alone: its offers fail, and the run continues. */
const OF_ONE_REQUEST: ReadonlySet<RemoteFault> = new Set(['refused', 'too_many_items', 'unavailable', 'timeout']);
/** Faults of a whole batch while the merchant API is unavailable: after several in a row the run ends. */
const OUTAGE: ReadonlySet<string> = new Set<RemoteFault>(['unavailable', 'timeout']);
const MAX_FAILED_BATCHES = 3;

export interface NotTaken extends Refusal {
  readonly passing: boolean;
}

/** The outcome of one batch. */
export interface Outcomes {
  readonly byOffer: ReadonlyMap<string, NotTaken | { readonly remoteProductId: string }>;
  readonly outage?: Outage;
}

/** What the stages of one run share: what it was started with, how far it is, and the requests under way. */
export class RunScope {
  readonly batches: ConcurrencyLimit;
  readonly batchSize: number;
  /** Of the last batch that the merchant API did not answer, to this holder of the run or an earlier one. */
  outage: RemoteError | undefined;
  private failedBatches = 0;
  private recorded: SyncRun;
  private turn = performance.now();

  constructor(readonly options: RunOptions) {
    const { settings, remote } = options;
    const { outage } = options.run;
    this.outage = outage && new RemoteError(outage.fault, outage.message);
    this.recorded = options.run;
    this.batchSize = Math.min(settings.batch_size, remote.maxBatch);
    this.batches = new ConcurrencyLimit(settings.concurrency);
  }

  /** As it was recorded last. */
  get run(): SyncRun {
    return this.recorded;
  }

  async record(progress: RunProgress): Promise<void> {
    this.recorded = await this.options.record(progress);
  }

  /** @throws when nothing more may be begun */
  async goOn(): Promise<void> {
    if (this.options.stopping.aborted || this.options.signal.aborted) throw new RunPausedError('The process stops.');
    this.batches.throwFailure();
    if (this.failedBatches >= MAX_FAILED_BATCHES) {
      throw (
        this.outage ??
        new RemoteError('unavailable', 'The merchant API failed every offer of several batches in a row.')
      );
    }
    await this.options.stillWanted();
  }

  async letOthersRun(): Promise<void> {
    if (performance.now() - this.turn < TURN_MS) return;
    await nextTurn();
    this.turn = performance.now();
  }

  remoteOptions() {
    return { signal: this.options.signal, maxRetries: this.options.settings.max_retries };
  }

  /**
   * A request that was rejected as a whole, or not answered, fails each of its offers.
   * @throws RemoteError when no further request would fare better
   */
  async outcomes(
    offers: readonly { readonly offerId: string }[],
    ask: () => Promise<readonly Outcome[]>,
  ): Promise<Outcomes> {
    try {
      const outcomes = await ask();
      const failed = outcomes.every((outcome) => !outcome.acknowledged && OUTAGE.has(outcome.code));
      this.failedBatches = failed ? this.failedBatches + 1 : 0;
      return { byOffer: new Map(outcomes.map((outcome) => [outcome.offerId, outcome])) };
    } catch (error) {
      if (!(error instanceof RemoteError && OF_ONE_REQUEST.has(error.fault)) || this.options.signal.aborted)
        throw error;
      const { fault, message, detail } = error;
      const refusal = { code: detail.reason ?? fault, message, passing: true };
      const byOffer = new Map(offers.map(({ offerId }) => [offerId, refusal]));
      if (fault !== 'unavailable' && fault !== 'timeout') {
        this.failedBatches = 0;
        return { byOffer };
      }
      this.failedBatches += 1;
      this.outage = error;
      return { byOffer, outage: { fault, message: cut(message) } };
    }
  }

  /** Visits live mappings, unless `all`, ids of live ones, are every one of them. */
  async eachLive(
    where: { readonly product_id?: string },
    all: Pick<SeenIds, 'size'>,
    visit: (rows: readonly MappingRow[]) => Promise<void>,
  ): Promise<void> {
    const live = { ...where, live: true };
    if ((await this.options.mappings.count(live)) > all.size) await this.eachMapping(live, visit);
  }

  async eachMapping(
    where: { readonly live: boolean; readonly resurfaced?: boolean; readonly product_id?: string },
    visit: (rows: readonly MappingRow[]) => Promise<void>,
  ): Promise<void> {
    for (let after = ''; ;) {
      await this.goOn();
      const rows = await this.options.mappings.find({
        where: { ...where, id: { gt: after } },
        limit: LOOKED_THROUGH_AT_ONCE,
      });
      await visit(rows);
      await this.letOthersRun();
      const last = rows.at(-1);
      if (last === undefined || rows.length < LOOKED_THROUGH_AT_ONCE) return;
      after = last.id;
    }
  }
}

export const UNANSWERED: NotTaken = {
  code: 'unanswered',
  message: 'Google did not report the outcome.',
  passing: true,
};

/** As much of a text as a log or a mapping keeps. */
export function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
