import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { getStorage, ReplyOf, RequestOf } from '@sluice/contracts';
import { StoredBundles } from './stored-bundles';

export class GetStorage extends Query<ReplyOf<typeof getStorage>> {
  constructor(readonly request: RequestOf<typeof getStorage>) {
    super();
  }
}

@QueryHandler(GetStorage)
export class GetStorageHandler implements IQueryHandler<GetStorage> {
  constructor(private readonly bundles: StoredBundles) {}

  async execute({ request: { apps } }: GetStorage): Promise<ReplyOf<typeof getStorage>> {
    return [...(await this.bundles.bytesOf(apps))].map(([appId, bytes]) => ({ appId, bytes }));
  }
}
