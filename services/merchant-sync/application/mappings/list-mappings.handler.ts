import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { listMappings, ReplyOf, RequestOf } from '@sluice/contracts';
import { Mappings } from './mappings';
import { SavedSettings } from '../settings/saved-settings';

export class ListMappings extends Query<ReplyOf<typeof listMappings>> {
  constructor(readonly request: RequestOf<typeof listMappings>) {
    super();
  }
}

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
