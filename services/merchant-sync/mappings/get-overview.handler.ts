import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type ListingsOverview, listingStatusSchema, getListingsOverview } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { Mappings } from './mappings';
import { SavedSettings } from '../settings/saved-settings';
import { SyncLogs } from '../runs/sync-logs';

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
