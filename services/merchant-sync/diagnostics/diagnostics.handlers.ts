import { CommandBus, CommandHandler, type ICommandHandler, type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { getListingsDiagnostics, type Repair, repairListings, type ReplyOf } from '@sluice/contracts';
import { CommandOf, QueryOf } from '@sluice/messaging';
import { StartSync } from '../runs/runs.handlers';
import { SyncLogs } from '../runs/sync-logs';
import { SavedSettings } from '../settings/saved-settings';
import { Diagnoses } from './diagnoses';

export class GetDiagnostics extends QueryOf(getListingsDiagnostics) {}

@QueryHandler(GetDiagnostics)
export class GetDiagnosticsHandler implements IQueryHandler<GetDiagnostics> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly diagnoses: Diagnoses,
  ) {}

  async execute(): Promise<ReplyOf<typeof getListingsDiagnostics>> {
    return { checks: await this.diagnoses.of(await this.saved.ofWorkingModule()) };
  }
}

export class RepairListings extends CommandOf(repairListings) {}

/**
 * A stale run is let go, so that the next process takes it; all else is mended by a run, whose log has the
 * trigger repair. While that one goes on, a second repair answers with it.
 */
@CommandHandler(RepairListings)
export class RepairHandler implements ICommandHandler<RepairListings> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly diagnoses: Diagnoses,
    private readonly logs: SyncLogs,
    private readonly commands: CommandBus,
  ) {}

  async execute({ request, caller }: RepairListings): Promise<Repair> {
    const { checks: wanted, dry_run } = request;
    const state = await this.saved.ofWorkingModule();
    const found = (await this.diagnoses.of(state)).filter(
      ({ id, repairable }) => repairable && wanted?.includes(id) !== false,
    );
    const repairs = found.map(({ id, message, count }) => ({ id, message, count }));
    const { current } = state.runs;
    if (dry_run) return { dry_run, log_id: null, repairs };
    if (current !== null && found.some(({ id }) => id === 'stale_run')) {
      await this.logs.forgetLease(current.runId);
      return { dry_run, log_id: current.runId, repairs };
    }
    if (current?.trigger === 'repair') return { dry_run, log_id: current.runId, repairs };
    if (state.connection === null && found.length === 0) return { dry_run, log_id: null, repairs };
    const { log_id } = await this.commands.execute(new StartSync({ run_type: 'incremental' }, caller, 'repair'));
    return { dry_run, log_id, repairs };
  }
}

export const diagnosticsCalls = [GetDiagnostics, RepairListings] as const;
export const diagnosticsHandlers = [GetDiagnosticsHandler, RepairHandler];
