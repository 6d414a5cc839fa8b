import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { countUnfinishedBuilds, type UnfinishedBuilds } from '@sluice/contracts';
import { ReadStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { buildRows, buildsProjection } from './builds.projection';

export class CountUnfinishedBuilds extends QueryOf(countUnfinishedBuilds) {}

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
