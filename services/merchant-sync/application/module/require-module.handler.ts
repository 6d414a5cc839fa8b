import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { ReplyOf, requireListingsModule } from '@sluice/contracts';
import { SavedSettings } from '../settings/saved-settings';

export class RequireModule extends Query<ReplyOf<typeof requireListingsModule>> {}

@QueryHandler(RequireModule)
export class RequireModuleHandler implements IQueryHandler<RequireModule> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<ReplyOf<typeof requireListingsModule>> {
    await this.saved.ofWorkingModule();
    return {};
  }
}
