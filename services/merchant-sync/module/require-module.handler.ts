import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type ReplyOf, requireListingsModule } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SavedSettings } from '../settings/saved-settings';

export class RequireModule extends QueryOf(requireListingsModule) {}

@QueryHandler(RequireModule)
export class RequireModuleHandler implements IQueryHandler<RequireModule> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<ReplyOf<typeof requireListingsModule>> {
    await this.saved.ofWorkingModule();
    return {};
  }
}
