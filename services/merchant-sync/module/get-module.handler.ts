import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type ListingsModule, getListingsModule } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SavedSettings } from '../settings/saved-settings';

export class GetModule extends QueryOf(getListingsModule) {}

@QueryHandler(GetModule)
export class GetModuleHandler implements IQueryHandler<GetModule> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<ListingsModule> {
    return this.saved.module();
  }
}
