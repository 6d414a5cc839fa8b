import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { ListingsModule } from '@sluice/contracts';
import { SavedSettings } from '../settings/saved-settings';

export class GetModule extends Query<ListingsModule> {}

@QueryHandler(GetModule)
export class GetModuleHandler implements IQueryHandler<GetModule> {
  constructor(private readonly saved: SavedSettings) {}

  async execute(): Promise<ListingsModule> {
    return this.saved.module();
  }
}
