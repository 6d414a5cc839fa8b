import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { getStorage, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { StoredBundles } from './stored-bundles';

export class GetStorage extends QueryOf(getStorage) {}

@QueryHandler(GetStorage)
export class GetStorageHandler implements IQueryHandler<GetStorage> {
  constructor(private readonly bundles: StoredBundles) {}

  async execute({ request: { apps } }: GetStorage): Promise<ReplyOf<typeof getStorage>> {
    return [...(await this.bundles.bytesOf(apps))].map(([appId, bytes]) => ({ appId, bytes }));
  }
}
