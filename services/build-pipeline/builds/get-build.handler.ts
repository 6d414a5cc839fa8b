import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { type Build, getBuild } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { buildNotFound } from './domain/channel';
import { toBuild } from './builds.projection';
import { Builds } from './builds';
import { BuildsAsOf } from './builds-as-of';

export class GetBuild extends QueryOf(getBuild) {}

@QueryHandler(GetBuild)
export class GetBuildHandler implements IQueryHandler<GetBuild> {
  constructor(
    private readonly builds: Builds,
    private readonly past: BuildsAsOf,
  ) {}

  async execute({ request: { appId, id, asOf } }: GetBuild): Promise<Build> {
    if (asOf === undefined) return toBuild(await this.builds.find(appId, id));
    const build = await this.past.one(appId, id, asOf);
    if (build === undefined) throw buildNotFound(id);
    return build;
  }
}
