import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Build, getBuild, RequestOf } from '@sluice/contracts';
import { toBuild } from '../projections/builds.projection';
import { Builds } from './builds';

export class GetBuild extends Query<Build> {
  constructor(readonly request: RequestOf<typeof getBuild>) {
    super();
  }
}

@QueryHandler(GetBuild)
export class GetBuildHandler implements IQueryHandler<GetBuild> {
  constructor(private readonly builds: Builds) {}

  async execute({ request }: GetBuild): Promise<Build> {
    return toBuild(await this.builds.find(request.appId, request.id));
  }
}
