import { Injectable } from '@nestjs/common';
import {
  getListingsOverview,
  listingStatusSchema,
  listMappings,
  type Mapping,
  type RequestOf,
} from '@sluice/contracts';
import { findPage, ReadStore } from '@sluice/document-store';
import { HandlesQuery } from '@sluice/messaging';
import { mappingRows, type MappingRow, mappingsProjection, toMapping } from '../runs/mappings.projection';
import { SyncLogs } from '../runs/sync-logs';
import { SavedSettings } from '../settings/saved-settings';

/** Mappings as clients see them, without tombstones. */
@Injectable()
export class Mappings {
  constructor(
    private readonly documents: ReadStore,
    private readonly saved: SavedSettings,
    private readonly logs: SyncLogs,
  ) {}

  get rows() {
    return this.documents.view(mappingsProjection.name, mappingRows);
  }

  @HandlesQuery(getListingsOverview)
  async overview() {
    const { runs } = await this.saved.ofWorkingModule();
    const { rows } = this;
    const counts = await Promise.all(
      listingStatusSchema.options.map((status) => rows.count({ live: true, listing_status: status })),
    );
    const [pending = 0, approved = 0, disapproved = 0, expiring = 0] = counts;
    const total = pending + approved + disapproved + expiring;
    const lastRun = (await this.logs.lastEnded()) ?? null;
    return {
      listings: { total, pending, approved, disapproved, expiring },
      sync: { running: runs.current !== null, last_run: lastRun },
    };
  }

  @HandlesQuery(listMappings)
  async list({ productId, listingStatus, ...page }: RequestOf<typeof listMappings>) {
    await this.saved.ofWorkingModule();
    const where = {
      live: true,
      ...(productId !== undefined && { product_id: productId }),
      ...(listingStatus !== undefined && { listing_status: listingStatus }),
    };
    const { rows, total } = await findPage(this.rows, { where, ...page });
    return { items: await this.told(rows), total };
  }

  /**
   * An unchanged status makes no event, so every live mapping counts as seen when the catalogue of the merchant
   * account was last read to its end.
   */
  private async told(rows: readonly MappingRow[]): Promise<Mapping[]> {
    const readAt = await this.logs.catalogReadAt();
    return rows.map((row) => {
      const seen = row.last_status_at;
      const seenAgain = seen !== null && readAt !== null && !row.missing && seen < readAt;
      return toMapping(seenAgain ? { ...row, last_status_at: readAt } : row);
    });
  }
}
