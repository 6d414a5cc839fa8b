import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReadableRows } from '@sluice/document-store';
import { canonicalJson, type Clock, DomainError, type JsonObject } from '@sluice/kernel';
import { syncHash } from '../application/listing-mapper';
import type { Mapped } from '../domain/map-product';
import type { Exclusion, Offer, OfferRef, ValidationIssue } from '../domain/offer';
import type { StoreProduct } from '../domain/product';
import type { RunOrder, RunOutcome } from '../domain/runs';
import { reasonToSend, statusOf } from '../domain/sending';
import type { ClosedRun, MappedOffer, ReadStatus, Refusal, SyncRun, SyncRunCommand, Target } from '../domain/sync-run';
import type { SyncSettings } from '../domain/sync-settings';
import { mappingId, type MappingRow } from '../projections/mappings.projection';
import {
  RemoteError,
  type Outcome,
  type RemoteAccess,
  type RemoteCatalog,
  type RemoteFault,
  type RemoteStatus,
} from '../remotes/remote-catalog';
import { exclusionOf, Misfit, type ProductSource, SourceError } from '../sources/product-source';
import { Lanes } from './lanes';

/** Rows that are read at a time: few enough to parse them within a turn. */
const ROWS_AT_ONCE = 200;
const LOOKED_THROUGH_AT_ONCE = 500;
/** A stretch of work that takes longer lets others of this thread run. */
const TURN_MS = 1;
/** Keeps an event of statuses far below what one may have. */
const STATUS_EVENT_BYTES = 128 * 1024;
const IDS_PER_EVENT = 2_000;
const MAX_ISSUES = 20;
const MAX_TEXT = 1_000;
/** So many exclusions a log tells one by one. */
const TOLD_EXCLUSIONS = 20;

export interface RunWorkOptions {
  readonly order: RunOrder;
  readonly settings: SyncSettings;
  /** The run as it was taken: what an earlier holder did counts. */
  readonly run: SyncRun;
  readonly target: Target;
  readonly source: ProductSource | undefined;
  readonly map: (product: StoreProduct) => Mapped;
  readonly remote: RemoteCatalog;
  readonly access: RemoteAccess;
  /** Of the person who granted access; null when the remote does not tell. */
  readonly email: string | null;
  /** Every event of this run is applied that was there when it was taken. */
  readonly mappings: ReadableRows<MappingRow>;
  /** Resolves once `mappings` holds all that was recorded. */
  readonly settled: () => Promise<void>;
  /** Appends to the run. @throws DomainError RUN_LOST */
  readonly record: (command: Recording) => Promise<SyncRun>;
  /** @throws RunCancelledError when the module was turned off or the account disconnected */
  readonly stillWanted: () => Promise<void>;
  /** Told how many offers and exclusions were read so far. */
  readonly progress: (read: number) => void;
  /** Aborted: begin nothing more. */
  readonly stopping: AbortSignal;
  /** Aborted: break off what is under way. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

type Unheld<Command> = Command extends { readonly holder: string } ? Omit<Command, 'holder'> : never;
export type Recording = Exclude<Unheld<SyncRunCommand>, { readonly type: 'TakeRun' | 'CloseRun' }>;

/** The run is no longer wanted; the message says why. */
export class RunCancelledError extends Error {
  override readonly name = 'RunCancelledError';
}

/** The process stops; another goes on with the run. */
export class RunPausedError extends Error {
  override readonly name = 'RunPausedError';
}

/** What a fault that ends a run makes of it; undefined: partial when anything was done before, else failed. */
const OUTCOMES: Readonly<Partial<Record<RemoteFault, RunOutcome>>> = {
  daily_quota: 'partial',
  sunset: 'failed',
  reauth_required: 'failed',
  forbidden: 'failed',
};

/** Codes of spec 5 for faults of the remote side; others keep their name. */
const CODES: Readonly<Partial<Record<RemoteFault, string>>> = {
  daily_quota: 'remote_quota_exceeded',
  rate_limited: 'remote_quota_exceeded',
  sunset: 'remote_api_sunset',
  unavailable: 'remote_unavailable',
  timeout: 'remote_unavailable',
};

/** A fault of one request alone: its offers are refused, and the run goes on. */
const OF_ONE_REQUEST: ReadonlySet<RemoteFault> = new Set(['refused', 'too_many_items']);

interface Fault {
  readonly code: string;
  readonly message: string;
  readonly outcome: RunOutcome | undefined;
}

/** What a fault of the remote side makes of a run. */
export function faultOf({ fault, message }: RemoteError): Fault {
  return { code: CODES[fault] ?? fault, message, outcome: OUTCOMES[fault] };
}

/** A mapping by its id, and what the remote side knows it by. */
interface Listed extends OfferRef {
  readonly id: string;
}

interface NotTaken extends Refusal {
  readonly passing: boolean;
}

/** An offer that is to be sent, and as what it is noted. */
interface Due {
  readonly offer: Offer;
  readonly mapped: MappedOffer;
  /** Whether its mapping tells already that this was sent. */
  readonly isNoted: boolean;
}

/**
 * One run, from the store's first product to the statuses that the remote side reports. Bodies are held
 * for the batches at hand alone; of the whole catalogue only ids. What an earlier holder of the run did is
 * seen in the mappings, and neither sent nor counted again.
 */
export class RunWork {
  private run: SyncRun;
  private read = 0;
  private unchanged = 0;
  private excluded = 0;
  private readonly exclusions: Exclusion[] = [];
  private readonly duplicates: string[] = [];
  private undeleted = 0;
  /** Ids of the mappings of all that can be listed. */
  private readonly listed = new Set<string>();
  /** Ids of products that the store lists and that can't be understood: their offers stay as they are. */
  private readonly misfits = new Set<string>();
  private due: Due[] = [];
  private readonly lanes: Lanes;
  private readonly batchSize: number;
  private turn = performance.now();

  constructor(private readonly options: RunWorkOptions) {
    const { settings, remote, run } = options;
    this.run = run;
    this.batchSize = Math.min(settings.batch_size, remote.maxBatch);
    this.lanes = new Lanes(settings.concurrency);
  }

  /** What was unchanged or excluded so far. */
  get skipped(): number {
    return this.unchanged + this.excluded;
  }

  /**
   * Answers how the run ended.
   * @throws RunPausedError, RUN_LOST, and the errors of the stores: another pass goes on where this one was
   */
  async work(): Promise<ClosedRun> {
    const faults: Fault[] = [];
    try {
      await this.goOn();
      const { access, target, email, remote } = this.options;
      await remote.prepare(access, { ...target, email: email ?? '' }, this.remoteOptions());
      const whole = await this.listStore(faults);
      await this.options.settled();
      if (whole) await this.deleteWhatLeft(faults);
      if (this.options.order.runType !== 'single') {
        await this.options.settled();
        await this.readStatuses();
      }
    } catch (error) {
      // What is under way is waited for: what the remote side acknowledges is noted.
      await this.lanes.settled();
      if (error instanceof RunCancelledError) return this.cancelled(error);
      if (!(error instanceof RemoteError)) throw error;
      if (this.options.signal.aborted) throw new RunPausedError('The process stops.');
      try {
        // Whoever disconnects takes the grant away, which the remote side tells in its own way.
        await this.options.stillWanted();
      } catch (reason) {
        if (reason instanceof RunCancelledError) return this.cancelled(reason);
        throw reason;
      }
      faults.unshift(faultOf(error));
    }
    const [fault] = faults;
    const { processed, failed, deleted } = this.run.counts;
    if (fault !== undefined) {
      return this.closed(fault.outcome ?? (processed + deleted > 0 ? 'partial' : 'failed'), fault);
    }
    if (failed === 0) return this.closed('completed');
    const message = `${failed} of the offers were refused by the remote side; details.failures and the mappings tell why.`;
    return this.closed('partial', { code: 'offers_refused', message, outcome: 'partial' });
  }

  private cancelled({ message }: RunCancelledError): ClosedRun {
    return this.closed('cancelled', { code: 'cancelled', message, outcome: 'cancelled' });
  }

  private closed(outcome: RunOutcome, fault?: Fault): ClosedRun {
    const { remote } = this.options;
    const details: JsonObject = {
      adapter: remote.adapter,
      ...(fault !== undefined && { code: fault.code }),
      excluded: this.excluded,
      ...(this.exclusions.length > 0 && { exclusions: this.exclusions.map((exclusion) => ({ ...exclusion })) }),
      ...(this.run.failures.length > 0 && { failures: this.run.failures.map((failure) => ({ ...failure })) }),
      duplicates: this.duplicates,
      undeleted: this.undeleted,
    };
    return { outcome, skipped: this.skipped, error: fault === undefined ? null : cut(fault.message), details };
  }

  /** Answers whether the store was read to its end; what came before the end is sent in any case. */
  private async listStore(faults: Fault[]): Promise<boolean> {
    const { signal, map } = this.options;
    let whole = true;
    let offers: Offer[] = [];
    try {
      for await (const product of this.products()) {
        if (product instanceof Misfit) {
          this.misfits.add(product.id);
          this.noteExcluded([exclusionOf(product)]);
          continue;
        }
        const mapped = map(product);
        this.noteExcluded(mapped.exclusions);
        offers.push(...mapped.offers);
        if (offers.length >= ROWS_AT_ONCE) {
          const full = offers;
          offers = [];
          await this.compare(full);
        }
        await this.letOthersRun();
      }
    } catch (error) {
      if (signal.aborted) throw new RunPausedError('The process stops.');
      if (!(error instanceof SourceError)) throw error;
      faults.push({ code: `source_${error.fault}`, message: error.message, outcome: undefined });
      whole = false;
    }
    await this.compare(offers);
    await this.sendDue(1);
    await this.lanes.settled(true);
    if (whole && this.read === 0) await this.noteUnknown(faults);
    return whole;
  }

  /** A single run of a product that neither the store nor the mappings have is a mistake. */
  private async noteUnknown(faults: Fault[]): Promise<void> {
    const { order, mappings } = this.options;
    if (order.productId === null || (await mappings.count({ live: true, product_id: order.productId })) > 0) return;
    const message = `The store has no product ${order.productId}.`;
    faults.push({ code: 'product_not_found', message, outcome: 'failed' });
  }

  private products(): AsyncIterable<StoreProduct | Misfit> {
    const { source, order, signal } = this.options;
    if (source === undefined) {
      throw new SourceError('missing', 'No product source is set. Set WOOCOMMERCE_URL or PRODUCTS_JSON_URL.');
    }
    return order.productId === null ? source.products(signal) : productAlone(source, order.productId, signal);
  }

  private noteExcluded(excluded: readonly Exclusion[]): void {
    this.excluded += excluded.length;
    this.read += excluded.length;
    this.exclusions.push(...excluded.slice(0, TOLD_EXCLUSIONS - this.exclusions.length).map(cutExclusion));
  }

  /** Puts what has to be sent into batches, and sends those that are full. */
  private async compare(offers: readonly Offer[]): Promise<void> {
    if (offers.length === 0) return;
    const { mappings, order, settings, clock, remote, access } = this.options;
    const ids = offers.map((offer) => mappingId(offer.offerId, offer));
    const known = new Map<string, MappingRow>();
    for (let from = 0; from < ids.length; from += ROWS_AT_ONCE) {
      const found = await mappings.find({ where: { id: { in: ids.slice(from, from + ROWS_AT_ONCE) } } });
      for (const row of found) known.set(row.id, row);
    }
    const now = clock.now();
    for (const [index, offer] of offers.entries()) {
      const id = ids[index] ?? '';
      this.read += 1;
      if (this.listed.has(id)) {
        if (this.duplicates.length < TOLD_EXCLUSIONS) this.duplicates.push(offer.offerId);
        this.excluded += 1;
        continue;
      }
      this.listed.add(id);
      const row = known.get(id);
      if (row?.live === true && row.run_id === order.runId) continue;
      const hash = syncHash(offer, { adapter: remote.adapter, accountId: access.accountId });
      if (reasonToSend(order, row, hash, settings, now) === undefined) this.unchanged += 1;
      else {
        const isNoted = row?.live === true && row.tried_hash === hash;
        this.due.push({ offer, mapped: mappedOffer(offer, hash, row === undefined), isNoted });
      }
      await this.letOthersRun();
    }
    this.options.progress(this.read);
    await this.goOn();
    await this.sendDue(this.batchSize);
  }

  /** Sends batches while at least so many offers are due. */
  private async sendDue(atLeast: number): Promise<void> {
    while (this.due.length >= atLeast && this.due.length > 0) {
      await this.lanes.room();
      await this.goOn();
      const batch = this.due.slice(0, this.batchSize);
      this.due = this.due.slice(this.batchSize);
      this.lanes.begin(() => this.send(batch));
    }
  }

  /** What is sent is noted before: its outcome may stay unknown, and it has to be corrected or deleted all the same. */
  private async send(batch: readonly Due[]): Promise<void> {
    const { remote, access, target } = this.options;
    const tried = batch.filter(({ isNoted }) => !isNoted).map(({ mapped }) => mapped);
    if (tried.length > 0) await this.record({ type: 'RecordTried', target, tried });
    const offers = batch.map(({ offer }) => offer);
    const outcomes = await this.outcomes(offers, () => remote.upsert(access, offers, this.remoteOptions()));
    const sent = [];
    const refused = [];
    for (const { mapped } of batch) {
      const outcome = outcomes.get(mapped.offerId) ?? UNANSWERED;
      if ('remoteProductId' in outcome) sent.push({ ...mapped, remoteProductId: outcome.remoteProductId });
      else refused.push({ ...mapped, code: outcome.code, message: cut(outcome.message), passing: outcome.passing });
    }
    await this.record({ type: 'RecordSent', target, sent, refused });
  }

  /**
   * Deletes what the store no longer lists. An offer whose product is listed under others now, as a simple
   * product that became variable is, goes in any case; the rest only when the settings allow it. Their ratio
   * is that of what was acknowledged before the run: what the run itself added says nothing of the store.
   */
  private async deleteWhatLeft(faults: Fault[]): Promise<void> {
    const { mappings, settings, order } = this.options;
    const where = order.productId === null ? {} : { product_id: order.productId };
    const doomed: Listed[] = [];
    let going: Listed[] = [];
    let left = 0;
    let lost = 0;
    let total: number | undefined;
    // An earlier holder of the run counted what was refused to it.
    const isOpen = (row: MappingRow) => row.run_id !== order.runId || row.last_error === null;
    const isListed = (row: MappingRow) => this.listed.has(row.id) || this.misfits.has(row.product_id);
    await this.eachLive(where, this.listed, async (rows) => {
      const unlisted = rows.filter((row) => !isListed(row) && isOpen(row));
      if (unlisted.length === 0) return;
      total ??= await mappings.count({ live: true, sync_hash: { gt: '' }, created_at: { lt: order.startedAt } });
      const isReplaced = await this.replacedAmong(unlisted);
      for (const row of unlisted) {
        if (isReplaced(row)) {
          doomed.push(listedAs(row));
          continue;
        }
        left += 1;
        if (row.sync_hash !== null && row.created_at < order.startedAt) lost += 1;
        if (settings.delete_missing && lost <= settings.max_delete_ratio * total) going.push(listedAs(row));
      }
    });
    await this.eachMapping({ ...where, live: false, resurfaced: true }, (rows) => {
      doomed.push(...rows.filter(isOpen).map(listedAs));
      return Promise.resolve();
    });
    if (settings.delete_missing && total !== undefined && lost > settings.max_delete_ratio * total) {
      going = [];
      const message =
        `${lost} of ${total} offers are no longer listed by the store, more than max_delete_ratio ` +
        `${settings.max_delete_ratio} lets a run delete. None of them was deleted. If the store is right, raise it for one run.`;
      faults.push({ code: 'max_delete_ratio', message, outcome: 'partial' });
    }
    this.undeleted = left - going.length;
    doomed.push(...going);
    for (let from = 0; from < doomed.length; from += this.batchSize) {
      await this.lanes.room();
      await this.goOn();
      const batch = doomed.slice(from, from + this.batchSize);
      this.lanes.begin(() => this.delete(batch));
    }
    await this.lanes.settled(true);
  }

  /**
   * Whether another offer that the remote side has stands for a row that is no longer listed: the variations
   * of a product that was simple, the other way round, or the same offer for another country or channel.
   */
  private async replacedAmong(unlisted: readonly MappingRow[]): Promise<(row: MappingRow) => boolean> {
    const products = [...new Set(unlisted.map(({ product_id }) => product_id))];
    const listed = new Map<string, MappingRow[]>();
    for (let from = 0; from < products.length; from += ROWS_AT_ONCE) {
      const where = { live: true, product_id: { in: products.slice(from, from + ROWS_AT_ONCE) } };
      for (const row of await this.options.mappings.find({ where })) {
        if (!this.listed.has(row.id) || row.sync_hash === null) continue;
        listed.set(row.product_id, [...(listed.get(row.product_id) ?? []), row]);
      }
    }
    return (row) =>
      (listed.get(row.product_id) ?? []).some(
        (other) => other.offer_id === row.offer_id || (other.variation_id === null) !== (row.variation_id === null),
      );
  }

  private async delete(batch: readonly Listed[]): Promise<void> {
    const { remote, access } = this.options;
    const outcomes = await this.outcomes(batch, () => remote.remove(access, batch, this.remoteOptions()));
    const deleted = [];
    const refused = [];
    for (const { id, offerId } of batch) {
      const outcome = outcomes.get(offerId) ?? UNANSWERED;
      if ('code' in outcome) refused.push({ id, code: outcome.code, message: cut(outcome.message) });
      else deleted.push(id);
    }
    await this.record({ type: 'RecordDeleted', deleted, refused });
  }

  /** By offer id. A request that was refused as a whole refuses each of its offers. */
  private async outcomes(
    offers: readonly { readonly offerId: string }[],
    ask: () => Promise<readonly Outcome[]>,
  ): Promise<ReadonlyMap<string, NotTaken | { readonly remoteProductId: string }>> {
    try {
      return new Map((await ask()).map((outcome) => [outcome.offerId, outcome]));
    } catch (error) {
      if (!(error instanceof RemoteError && OF_ONE_REQUEST.has(error.fault))) throw error;
      const refusal = { code: error.detail.reason ?? error.fault, message: error.message, passing: true };
      return new Map(offers.map(({ offerId }) => [offerId, refusal]));
    }
  }

  /** Notes what the remote side reports otherwise than it was known, and what it does not have. */
  private async readStatuses(): Promise<void> {
    const { remote, access } = this.options;
    const there = new Set<string>();
    let offers = 0;
    let statuses: ReadStatus[] = [];
    let resurfaced: string[] = [];
    let bytes = 0;
    const flush = async () => {
      if (statuses.length + resurfaced.length > 0) {
        await this.record({ type: 'RecordStatuses', statuses, missing: [], resurfaced });
      }
      statuses = [];
      resurfaced = [];
      bytes = 0;
    };
    for await (const page of remote.statuses(access, this.remoteOptions())) {
      await this.goOn();
      offers += page.length;
      for (let from = 0; from < page.length; from += ROWS_AT_ONCE) {
        for (const { row, reported } of await this.mapped(page.slice(from, from + ROWS_AT_ONCE))) {
          if (!row.live) {
            // What this run deleted may still be on its way out.
            if (!row.resurfaced && row.run_id !== this.options.order.runId) resurfaced.push(row.id);
            if (resurfaced.length >= IDS_PER_EVENT) await flush();
            continue;
          }
          there.add(row.id);
          const status = this.changedStatus(row, reported);
          if (status === undefined) continue;
          statuses.push(status);
          bytes += JSON.stringify(status).length;
          if (bytes > STATUS_EVENT_BYTES) await flush();
        }
        await this.letOthersRun();
      }
    }
    await flush();
    await this.record({ type: 'RecordCatalogRead', offers });
    await this.noteMissing(there);
  }

  /** The mappings that a page of statuses tells of. */
  private async mapped(page: readonly RemoteStatus[]): Promise<{ row: MappingRow; reported: RemoteStatus }[]> {
    const { mappings, target } = this.options;
    const rows = await mappings.find({ where: { offer_id: { in: page.map(({ offerId }) => offerId) } } });
    const byRemoteId = new Map(rows.map((row) => [row.remote_product_id, row]));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return page.flatMap((reported) => {
      const row = byRemoteId.get(reported.remoteProductId) ?? byId.get(mappingId(reported.offerId, target));
      return row === undefined ? [] : [{ row, reported }];
    });
  }

  private changedStatus(row: MappingRow, reported: RemoteStatus): ReadStatus | undefined {
    const { remoteProductId, expiresAt, listingStatus } = reported;
    const status =
      listingStatus === undefined ? undefined : statusOf(listingStatus, expiresAt, this.options.clock.now());
    const issues = reported.issues.slice(0, MAX_ISSUES).map(cutIssue);
    const same =
      (status === undefined || status === row.listing_status) &&
      row.remote_product_id === remoteProductId &&
      row.expires_at === expiresAt &&
      row.last_status_at !== null &&
      !row.missing &&
      canonicalJson(issues) === canonicalJson(row.validation_issues);
    if (same) return undefined;
    return { id: row.id, remoteProductId, issues, expiresAt, ...(status !== undefined && { listingStatus: status }) };
  }

  /** What was acknowledged by an earlier run should be there by now; what this run sent may still come. */
  private async noteMissing(there: ReadonlySet<string>): Promise<void> {
    let missing: string[] = [];
    const flush = async () => {
      if (missing.length > 0) await this.record({ type: 'RecordStatuses', statuses: [], missing, resurfaced: [] });
      missing = [];
    };
    await this.eachLive({}, there, async (rows) => {
      for (const { id, sync_hash, run_id, missing: known } of rows) {
        if (sync_hash === null || known || run_id === this.options.order.runId || there.has(id)) continue;
        missing.push(id);
      }
      if (missing.length >= IDS_PER_EVENT) await flush();
    });
    await flush();
  }

  /** Visits live mappings, unless `all`, ids of live ones, are every one of them. */
  private async eachLive(
    where: { readonly product_id?: string },
    all: ReadonlySet<string>,
    visit: (rows: readonly MappingRow[]) => Promise<void>,
  ): Promise<void> {
    const live = { ...where, live: true };
    if ((await this.options.mappings.count(live)) > all.size) await this.eachMapping(live, visit);
  }

  private async eachMapping(
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

  private async record(command: Recording): Promise<void> {
    this.run = await this.options.record(command);
  }

  /** @throws when nothing more may be begun */
  private async goOn(): Promise<void> {
    if (this.options.stopping.aborted || this.options.signal.aborted) throw new RunPausedError('The process stops.');
    this.lanes.throwFailure();
    await this.options.stillWanted();
  }

  private async letOthersRun(): Promise<void> {
    if (performance.now() - this.turn < TURN_MS) return;
    await nextTurn();
    this.turn = performance.now();
  }

  private remoteOptions() {
    return { signal: this.options.signal, maxRetries: this.options.settings.max_retries };
  }
}

const UNANSWERED: NotTaken = {
  code: 'unanswered',
  message: 'The remote side did not say what became of it.',
  passing: true,
};

async function* productAlone(source: ProductSource, id: string, signal: AbortSignal): AsyncGenerator<StoreProduct> {
  const product = await source.product(id, signal);
  if (product !== undefined) yield product;
}

function mappedOffer(
  { offerId, productId, variationId, attributes }: Offer,
  hash: string,
  isNew: boolean,
): MappedOffer {
  return { offerId, productId, variationId, itemGroupId: attributes.itemGroupId ?? null, isNew, hash };
}

function listedAs({ id, offer_id, target_country, content_language, channel }: MappingRow): Listed {
  return { id, offerId: offer_id, targetCountry: target_country, contentLanguage: content_language, channel };
}

function cut(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

function cutExclusion({ productId, variationId, reasons }: Exclusion): Exclusion {
  return { productId: cut(productId), variationId: variationId && cut(variationId), reasons: reasons.map(cut) };
}

function cutIssue(issue: ValidationIssue): ValidationIssue {
  const { description, detail } = issue;
  return { ...issue, description: cut(description), detail: detail === null ? null : cut(detail) };
}

/** Whether another process works on the run by now. */
export function isRunLost(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'RUN_LOST';
}
