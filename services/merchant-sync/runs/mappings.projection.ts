import { type Mapping, mappingSchema } from '@sluice/contracts';
import type { Collection } from '@sluice/document-store';
import type { ProjectedRows, Projection } from '@sluice/projections';
import type { Recorded } from '@sluice/event-store';
import { unknownEvent } from '@sluice/kernel';
import { STORE_ID } from '../settings/domain/merchant';
import { syncRunStream, type MappedOffer, type SyncRunEvent, type Target } from './domain/sync-run';

/** A mapping as clients see it, and what the next run decides by. A deleted one stays as a tombstone. */
export interface MappingRow extends Mapping {
  /** False: a tombstone, which no list shows. */
  readonly live: boolean;
  /** The run in which it was last acknowledged or refused, sent or deleted; empty: in none so far. */
  readonly run_id: string;
  /** The outcome of the last send: acknowledged, rejected or unknown. */
  readonly tried_hash: string;
  /** How often in a row the merchant API rejected the last content for a fault of the offer itself. */
  readonly item_failures: number;
  /** Acknowledged in an earlier run, and not there when the remote catalogue was read. */
  readonly missing: boolean;
  /** A tombstone whose offer the merchant API still has. */
  readonly resurfaced: boolean;
}

export const mappingRows: Collection<MappingRow> = {
  name: 'mappings',
  indexes: [
    { fields: ['product_id'] },
    { fields: ['live'] },
    { fields: ['live', 'listing_status'] },
    { fields: ['live', 'missing'] },
    { fields: ['live', 'resurfaced'] },
    { fields: ['live', 'item_failures'] },
    { fields: ['offer_id'] },
  ],
  counted: ['live', 'listing_status'],
};

export const mappingsProjection: Projection<SyncRunEvent> = {
  name: 'mappings',
  version: 3,
  prefixes: [syncRunStream('')],
  collections: [mappingRows],
  apply,
};

/** The id of a mapping: an offer in the language, country and channel that it is listed under. */
export function mappingId(offerId: string, { targetCountry, contentLanguage, channel }: Target): string {
  return `${offerId}~${targetCountry}~${contentLanguage}~${channel}`;
}

export function toMapping(row: MappingRow): Mapping {
  return mappingSchema.parse(row);
}

const NO_FAILURES = { failed_attempts: 0, item_failures: 0 } as const;

async function apply(event: Recorded<SyncRunEvent>, rows: ProjectedRows): Promise<void> {
  const at = event.metadata.at;
  const runId = event.stream.slice(syncRunStream('').length);
  const change = (id: string, changes: (row: MappingRow) => Partial<MappingRow>) =>
    rows.update(mappingRows, id, (row) => ({ ...row, ...changes(row), updated_at: at }));
  const write = (offer: MappedOffer, target: Target, changes: (row: MappingRow) => Partial<MappingRow>) => {
    const id = mappingId(offer.offerId, target);
    const named = namesOf(offer, target);
    if (!offer.isNew) {
      return change(id, (found) => {
        const row = found.live ? found : { ...found, ...fresh(id, at) };
        return { ...row, ...named, ...changes(row) };
      });
    }
    const row = { ...fresh(id, at), ...named };
    rows.put(mappingRows, { ...row, ...changes(row) });
    return Promise.resolve();
  };
  switch (event.type) {
    case 'OffersTried': {
      const { target, tried } = event.data;
      await Promise.all(tried.map((offer) => write(offer, target, () => NO_FAILURES)));
      return;
    }
    case 'OffersSent': {
      const { target, sent, refused } = event.data;
      await Promise.all([
        ...sent.map((offer) =>
          write(offer, target, () => ({
            run_id: runId,
            remote_product_id: offer.remoteProductId,
            sync_hash: offer.hash,
            last_synced_at: at,
            ...NO_FAILURES,
            last_error: null,
          })),
        ),
        ...refused.map((offer) =>
          write(offer, target, (row) => {
            const { failed_attempts, item_failures } = row.tried_hash === offer.hash ? row : NO_FAILURES;
            return {
              run_id: runId,
              failed_attempts: failed_attempts + 1,
              item_failures: item_failures + (offer.passing === true ? 0 : 1),
              last_error: `${offer.code}: ${offer.message}`,
            };
          }),
        ),
      ]);
      return;
    }
    case 'OffersDeleted': {
      const { deleted, refused } = event.data;
      await Promise.all([
        ...deleted.map((id) =>
          change(id, () => ({ live: false, run_id: runId, missing: false, resurfaced: false, sync_hash: null })),
        ),
        ...refused.map(({ id, code, message }) =>
          change(id, ({ failed_attempts }) => ({
            run_id: runId,
            failed_attempts: failed_attempts + 1,
            last_error: `${code}: ${message}`,
          })),
        ),
      ]);
      return;
    }
    case 'StatusesRead': {
      const { statuses, missing, resurfaced } = event.data;
      await Promise.all([
        ...statuses.map(({ id, remoteProductId, listingStatus, issues, expiresAt }) =>
          change(id, (row) => ({
            remote_product_id: remoteProductId,
            listing_status: listingStatus ?? row.listing_status,
            validation_issues: issues,
            expires_at: expiresAt,
            last_status_at: at,
            missing: false,
          })),
        ),
        ...missing.map((id) => change(id, () => ({ listing_status: 'pending', missing: true }))),
        ...resurfaced.map((id) => change(id, () => ({ resurfaced: true }))),
      ]);
      return;
    }
    case 'SyncRunOpened':
    case 'SyncRunTaken':
    case 'CatalogRead':
    case 'SyncRunClosed':
      return;
    default:
      return unknownEvent(event);
  }
}

/** A mapping of which nothing is known yet. */
function fresh(id: string, at: string) {
  return {
    id,
    store_id: STORE_ID,
    remote_product_id: null,
    listing_status: 'pending',
    validation_issues: [],
    sync_hash: null,
    last_synced_at: null,
    last_status_at: null,
    expires_at: null,
    ...NO_FAILURES,
    last_error: null,
    created_at: at,
    updated_at: at,
    run_id: '',
    tried_hash: '',
    missing: false,
    resurfaced: false,
  } as const;
}

function namesOf(offer: MappedOffer, target: Target) {
  return {
    product_id: offer.productId,
    variation_id: offer.variationId,
    offer_id: offer.offerId,
    item_group_id: offer.itemGroupId,
    target_country: target.targetCountry,
    content_language: target.contentLanguage,
    channel: target.channel,
    live: true,
    tried_hash: offer.hash,
  };
}
