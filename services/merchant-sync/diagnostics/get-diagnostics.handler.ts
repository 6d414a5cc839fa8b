import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { getListingsDiagnostics, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { Diagnoses } from './diagnoses';
import { SavedSettings } from '../settings/saved-settings';

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
