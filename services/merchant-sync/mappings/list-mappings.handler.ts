import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { listMappings, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { Mappings } from './mappings';
import { SavedSettings } from '../settings/saved-settings';

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
