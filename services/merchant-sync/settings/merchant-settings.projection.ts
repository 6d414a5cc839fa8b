import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '@sluice/projections';
import { merchant, merchantStream, type Merchant, type MerchantEvent } from './domain/merchant';

/** By shop id. */
export interface MerchantSettingsRow extends Row, Merchant {}

export const merchantSettingsRows: Collection<MerchantSettingsRow> = { name: 'merchantSettings', indexes: [] };

/** One row per shop, from its first event on. */
export const merchantSettingsProjection: Projection<MerchantEvent> = {
  name: 'merchantSettings',
  version: 3,
  prefixes: [merchantStream('')],
  collections: [merchantSettingsRows],
  apply: (event, rows) => {
    const { at } = event.metadata;
    const id = event.stream.slice(merchantStream('').length);
    if (event.revision === 0) {
      rows.put(merchantSettingsRows, { ...merchant.evolve(merchant.initialState(), event, at, event.recordedAt), id });
      return;
    }
    return rows.update(merchantSettingsRows, id, (row) => ({
      ...merchant.evolve(row, event, at, event.recordedAt),
      id,
    }));
  },
};
