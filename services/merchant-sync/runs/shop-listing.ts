import { type ListingMap, syncHash } from '../products/listing-mapper';
import type { Exclusion, Offer } from '../products/domain/offer';
import type { ShopProduct } from '../products/domain/product';
import { reasonToSend } from './domain/sending';
import type { MappedOffer } from './domain/sync-run';
import { mappingId, type MappingRow } from './mappings.projection';
import { exclusionOf, Misfit, type ProductSource, SourceError } from '../sources/product-source';
import { type Fault, RunPausedError } from './run-faults';
import { cut, ROWS_AT_ONCE, type RunScope, UNANSWERED } from './run-scope';
import { SeenIds } from './seen-ids';

/** Paths of categories that are read before a run that was cancelled stops reading. */
const CATEGORIES_AT_ONCE = 1_000;
/** The most exclusions that a log lists one by one. */
const TOLD_EXCLUSIONS = 20;

/** An offer that is to be sent, and how it is recorded. */
interface Due {
  readonly offer: Offer;
  readonly mapped: MappedOffer;
  /** Whether its mapping already records that this was sent. */
  readonly isNoted: boolean;
}

/**
 * The first stage of a run: reads the shop and sends what has to be sent. Bodies are held for the batches at
 * hand alone. What an earlier holder of the run did is seen in the mappings, and neither sent nor counted again.
 */
export class ShopListing {
  /** Ids of the mappings of all that can be listed. */
  readonly listed = new SeenIds();
  /** Ids of products that the shop lists and that can't be understood: their offers stay as they are. */
  readonly misfits = new SeenIds();
  excluded = 0;
  /** The first of them. */
  readonly exclusions: Exclusion[] = [];
  /** Offer ids that came more than once, the first of them. */
  readonly duplicates: string[] = [];
  /** Undefined: they were not read. */
  categories: ListingMap['categories'] | undefined;
  private read = 0;
  private unchanged = 0;
  private due: Due[] = [];

  constructor(private readonly scope: RunScope) {}

  /** Whether nothing was in it, not even what can't be listed. */
  get isEmpty(): boolean {
    return this.read === 0;
  }

  /** What was unchanged or excluded so far. */
  get skipped(): number {
    return this.unchanged + this.excluded;
  }

  /** Answers whether the shop was read to its end; what came before the end is sent in any case. */
  async run(faults: Fault[]): Promise<boolean> {
    const { signal, openMap, order } = this.scope.options;
    let whole = true;
    let offers: Offer[] = [];
    try {
      const { map, categories } = await openMap(this.categoryPaths(), order.productId === null);
      this.categories = categories;
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
        await this.scope.letOthersRun();
      }
    } catch (error) {
      if (signal.aborted) throw new RunPausedError('The process stops.');
      if (!(error instanceof SourceError)) throw error;
      const outcome = error.fault === 'truncated' ? 'partial' : undefined;
      faults.push({ code: `source_${error.fault}`, message: error.message, outcome });
      whole = false;
    }
    await this.compare(offers);
    await this.sendDue(1);
    await this.scope.batches.settled(true);
    if (whole && this.isEmpty) await this.noteUnknown(faults);
    return whole;
  }

  /** A single run of a product that neither the shop nor the mappings have is a mistake. */
  private async noteUnknown(faults: Fault[]): Promise<void> {
    const { order, mappings } = this.scope.options;
    if (order.productId === null || (await mappings.count({ live: true, product_id: order.productId })) > 0) return;
    const message = `The shop has no product ${order.productId}.`;
    faults.push({ code: 'product_not_found', message, outcome: 'failed' });
  }

  private source(): ProductSource {
    const { source } = this.scope.options;
    if (source !== undefined) return source;
    throw new SourceError('missing', 'No product source is set. Set WOOCOMMERCE_URL or PRODUCTS_JSON_URL.');
  }

  private async *categoryPaths(): AsyncGenerator<string> {
    let read = 0;
    for await (const path of this.source().categories(this.scope.options.signal)) {
      yield path;
      read += 1;
      if (read % CATEGORIES_AT_ONCE === 0) await this.scope.goOn();
      await this.scope.letOthersRun();
    }
  }

  private products(): AsyncIterable<ShopProduct | Misfit> {
    const { order, signal } = this.scope.options;
    const source = this.source();
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
    const { mappings, order, settings, clock, remote, access } = this.scope.options;
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
      if (!this.listed.add(id)) {
        if (this.duplicates.length < TOLD_EXCLUSIONS) this.duplicates.push(offer.offerId);
        this.excluded += 1;
        continue;
      }
      const row = known.get(id);
      if (row?.live === true && row.run_id === order.runId) continue;
      const hash = syncHash(offer, { adapter: remote.adapter, accountId: access.accountId });
      if (reasonToSend(order, row, hash, settings, now) === undefined) this.unchanged += 1;
      else {
        const isNoted = row?.live === true && row.tried_hash === hash;
        this.due.push({ offer, mapped: mappedOffer(offer, hash, row === undefined), isNoted });
      }
      await this.scope.letOthersRun();
    }
    this.scope.options.progress(this.read);
    await this.scope.goOn();
    await this.sendDue(this.scope.batchSize);
  }

  /** Sends batches while at least so many offers are due. */
  private async sendDue(atLeast: number): Promise<void> {
    while (this.due.length >= atLeast && this.due.length > 0) {
      await this.scope.batches.room();
      await this.scope.goOn();
      const batch = this.due.slice(0, this.scope.batchSize);
      this.due = this.due.slice(this.scope.batchSize);
      this.scope.batches.begin(() => this.send(batch));
    }
  }

  /** What is sent is noted before: its outcome may stay unknown, and it has to be corrected or deleted all the same. */
  private async send(batch: readonly Due[]): Promise<void> {
    const { remote, access, target } = this.scope.options;
    const tried = batch.filter(({ isNoted }) => !isNoted).map(({ mapped }) => mapped);
    if (tried.length > 0) await this.scope.record({ type: 'OffersTried', data: { target, tried } });
    const offers = batch.map(({ offer }) => offer);
    const { byOffer, outage } = await this.scope.outcomes(offers, () =>
      remote.upsert(access, offers, this.scope.remoteOptions()),
    );
    const sent = [];
    const refused = [];
    for (const { mapped } of batch) {
      const outcome = byOffer.get(mapped.offerId) ?? UNANSWERED;
      if ('remoteProductId' in outcome) sent.push({ ...mapped, remoteProductId: outcome.remoteProductId });
      else refused.push({ ...mapped, code: outcome.code, message: cut(outcome.message), passing: outcome.passing });
    }
    await this.scope.record({ type: 'OffersSent', data: { target, sent, refused, ...(outage && { outage }) } });
  }
}

async function* productAlone(source: ProductSource, id: string, signal: AbortSignal): AsyncGenerator<ShopProduct> {
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

function cutExclusion({ productId, variationId, reasons }: Exclusion): Exclusion {
  return { productId: cut(productId), variationId: variationId && cut(variationId), reasons: reasons.map(cut) };
}
