import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { countUnfinishedBuilds, RequestOf, UnfinishedBuilds } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { buildRows, buildsProjection } from '../projections/builds.projection';

export class CountUnfinishedBuilds extends Query<UnfinishedBuilds[]> {
  constructor(readonly request: RequestOf<typeof countUnfinishedBuilds>) {
    super();
  }
}

@QueryHandler(CountUnfinishedBuilds)
export class CountUnfinishedBuildsHandler implements IQueryHandler<CountUnfinishedBuilds> {
  constructor(private readonly readStore: ReadStore) {}

  execute({ request: { apps } }: CountUnfinishedBuilds): Promise<UnfinishedBuilds[]> {
    const rows = this.readStore.view(buildsProjection.name, buildRows);
    return Promise.all(
      apps.map(async (app) => {
        const [processing, failed] = await Promise.all([
          rows.count({ app_id: app, status: 'processing' }),
          rows.count({ app_id: app, status: 'failed' }),
        ]);
        return { processing, failed };
      }),
    );
  }
}
