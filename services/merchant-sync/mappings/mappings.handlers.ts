import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  getListingsOverview,
  type ListingsOverview,
  listingStatusSchema,
  listMappings,
  type ReplyOf,
} from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SyncLogs } from '../runs/sync-logs';
import { SavedSettings } from '../settings/saved-settings';
import { Mappings } from './mappings';

export class GetOverview extends QueryOf(getListingsOverview) {}

@QueryHandler(GetOverview)
export class GetOverviewHandler implements IQueryHandler<GetOverview> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly mappings: Mappings,
    private readonly logs: SyncLogs,
  ) {}

  async execute(): Promise<ListingsOverview> {
    const { runs } = await this.saved.ofWorkingModule();
    const { rows } = this.mappings;
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
}

export class ListMappings extends QueryOf(listMappings) {}

@QueryHandler(ListMappings)
export class ListMappingsHandler implements IQueryHandler<ListMappings> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly mappings: Mappings,
  ) {}

  async execute({ request }: ListMappings): Promise<ReplyOf<typeof listMappings>> {
    await this.saved.ofWorkingModule();
    const { page, perPage, productId, listingStatus } = request;
    const where = {
      live: true,
      ...(productId !== undefined && { product_id: productId }),
      ...(listingStatus !== undefined && { listing_status: listingStatus }),
    };
    const { rows } = this.mappings;
    const total = await rows.count(where);
    const found = await rows.find({ where, offset: (page - 1) * perPage, limit: perPage });
    return { items: await this.mappings.told(found), total };
  }
}

export const mappingsCalls = [GetOverview, ListMappings] as const;
export const mappingsHandlers = [GetOverviewHandler, ListMappingsHandler];
