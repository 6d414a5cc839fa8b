import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { getListingsDiagnostics, ReplyOf } from '@sluice/contracts';
import { Diagnoses } from './diagnoses';
import { SavedSettings } from '../settings/saved-settings';

export class GetDiagnostics extends Query<ReplyOf<typeof getListingsDiagnostics>> {}

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
