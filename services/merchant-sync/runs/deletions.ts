import type { OfferRef } from '../products/domain/offer';
import type { MappingRow } from './mappings.projection';
import type { Fault } from './run-faults';
import { cut, ROWS_AT_ONCE, type RunScope, UNANSWERED } from './run-scope';
import type { ShopListing } from './shop-listing';

/** A mapping by its id, and the names that the merchant API has for its offer. */
interface Listed extends OfferRef {
  readonly id: string;
}

/** The end of a run's work on the shop's listing: what the shop no longer lists is taken back. */
export class Deletions {
  /** What the shop no longer lists and is left there all the same. */
  undeleted = 0;

  constructor(
    private readonly scope: RunScope,
    /** What the shop was found to list, when it was read to its end. */
    private readonly listing: ShopListing,
  ) {}

  /**
   * Deletes what the shop no longer lists. An offer whose product is listed under others now, as a simple
   * product that became variable is, goes in any case; the rest only when the settings allow it. Their ratio
   * is that of what was acknowledged before the run: what the run itself added says nothing of the shop. For a shop
   * that lists nothing at all nothing is deleted, whatever the settings: it is more often broken than sold out.
   */
  async run(faults: Fault[]): Promise<void> {
    const { mappings, settings, order } = this.scope.options;
    if (order.productId === null && this.listing.isEmpty) {
      this.undeleted = await mappings.count({ live: true });
      if (this.undeleted === 0) return;
      const message = `The shop lists no products. Its ${this.undeleted} offers were kept, because an empty product list deletes none.`;
      faults.push({ code: 'source_empty', message, outcome: 'partial' });
      return;
    }
    const where = order.productId === null ? {} : { product_id: order.productId };
    const doomed: Listed[] = [];
    let going: Listed[] = [];
    let left = 0;
    let lost = 0;
    let total: number | undefined;
    // An earlier holder of the run counted what was refused to it.
    const isOpen = (row: MappingRow) => row.run_id !== order.runId || row.last_error === null;
    const isListed = (row: MappingRow) => this.listing.listed.has(row.id) || this.listing.misfits.has(row.product_id);
    await this.scope.eachLive(where, this.listing.listed, async (rows) => {
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
    await this.scope.eachMapping({ ...where, live: false, resurfaced: true }, (rows) => {
      doomed.push(...rows.filter(isOpen).map(listedAs));
      return Promise.resolve();
    });
    if (settings.delete_missing && total !== undefined && lost > settings.max_delete_ratio * total) {
      going = [];
      const message =
        `${lost} of ${total} offers are no longer in the shop, more than max_delete_ratio ` +
        `${settings.max_delete_ratio} lets a run delete. None of them was deleted. If the shop is right, raise it for one run.`;
      faults.push({ code: 'max_delete_ratio', message, outcome: 'partial' });
    }
    this.undeleted = left - going.length;
    doomed.push(...going);
    for (let from = 0; from < doomed.length; from += this.scope.batchSize) {
      await this.scope.batches.room();
      await this.scope.goOn();
      const batch = doomed.slice(from, from + this.scope.batchSize);
      this.scope.batches.begin(() => this.delete(batch));
    }
    await this.scope.batches.settled(true);
  }

  /**
   * Whether another live offer replaces a row that is no longer listed: the variations of a product that was
   * simple, the other way round, or the same offer for another country or channel.
   */
  private async replacedAmong(unlisted: readonly MappingRow[]): Promise<(row: MappingRow) => boolean> {
    const products = [...new Set(unlisted.map(({ product_id }) => product_id))];
    const listed = new Map<string, MappingRow[]>();
    for (let from = 0; from < products.length; from += ROWS_AT_ONCE) {
      const where = { live: true, product_id: { in: products.slice(from, from + ROWS_AT_ONCE) } };
      for (const row of await this.scope.options.mappings.find({ where })) {
        if (!this.listing.listed.has(row.id) || row.sync_hash === null) continue;
        listed.set(row.product_id, [...(listed.get(row.product_id) ?? []), row]);
      }
    }
    return (row) =>
      (listed.get(row.product_id) ?? []).some(
        (other) => other.offer_id === row.offer_id || (other.variation_id === null) !== (row.variation_id === null),
      );
  }

  private async delete(batch: readonly Listed[]): Promise<void> {
    const { remote, access } = this.scope.options;
    const { byOffer, outage } = await this.scope.outcomes(batch, () =>
      remote.remove(access, batch, this.scope.remoteOptions()),
    );
    const deleted = [];
    const refused = [];
    for (const { id, offerId } of batch) {
      const outcome = byOffer.get(offerId) ?? UNANSWERED;
      if ('code' in outcome) refused.push({ id, code: outcome.code, message: cut(outcome.message) });
      else deleted.push(id);
    }
    await this.scope.record({ type: 'OffersDeleted', data: { deleted, refused, ...(outage && { outage }) } });
  }
}

function listedAs({ id, offer_id, target_country, content_language, channel }: MappingRow): Listed {
  return { id, offerId: offer_id, targetCountry: target_country, contentLanguage: content_language, channel };
}
