import { Controller } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type Caller,
  getListingsDiagnostics,
  getListingsOverview,
  getSyncLog,
  getSyncStatus,
  listMappings,
  type ListingsOverview,
  listSyncLogs,
  type Repair,
  repairListings,
  type ReplyOf,
  type RequestOf,
  startSync,
  type SyncLog,
} from '@sluice/contracts';
import { Handles } from '@sluice/messaging';
import { GetDiagnostics } from '../application/diagnostics/get-diagnostics.handler';
import { GetOverview } from '../application/mappings/get-overview.handler';
import { GetSyncLog } from '../application/runs/get-sync-log.handler';
import { GetSyncStatus } from '../application/runs/get-sync-status.handler';
import { ListMappings } from '../application/mappings/list-mappings.handler';
import { ListSyncLogs } from '../application/runs/list-sync-logs.handler';
import { RepairListings } from '../application/diagnostics/repair.handler';
import { StartSync } from '../application/runs/start-sync.handler';

@Controller()
export class SyncController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Handles(startSync)
  start(request: RequestOf<typeof startSync>, caller: Caller): Promise<ReplyOf<typeof startSync>> {
    return this.commands.execute(new StartSync(request, caller));
  }

  @Handles(getSyncStatus)
  status(): Promise<ReplyOf<typeof getSyncStatus>> {
    return this.queries.execute(new GetSyncStatus());
  }

  @Handles(listSyncLogs)
  listLogs(request: RequestOf<typeof listSyncLogs>): Promise<ReplyOf<typeof listSyncLogs>> {
    return this.queries.execute(new ListSyncLogs(request));
  }

  @Handles(getSyncLog)
  getLog({ id }: RequestOf<typeof getSyncLog>): Promise<SyncLog> {
    return this.queries.execute(new GetSyncLog(id));
  }

  @Handles(listMappings)
  listMappings(request: RequestOf<typeof listMappings>): Promise<ReplyOf<typeof listMappings>> {
    return this.queries.execute(new ListMappings(request));
  }

  @Handles(getListingsOverview)
  overview(): Promise<ListingsOverview> {
    return this.queries.execute(new GetOverview());
  }

  @Handles(getListingsDiagnostics)
  diagnostics(): Promise<ReplyOf<typeof getListingsDiagnostics>> {
    return this.queries.execute(new GetDiagnostics());
  }

  @Handles(repairListings)
  repair(request: RequestOf<typeof repairListings>, caller: Caller): Promise<Repair> {
    return this.commands.execute(new RepairListings(request, caller));
  }
}
