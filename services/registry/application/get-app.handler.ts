import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { App } from '@sluice/contracts';
import { PROJECTIONS, type Projections, ReadStore } from '@sluice/document-store';
import { DomainError } from '@sluice/kernel';
import { appRows, appsProjection } from '../projections/apps.projection';
import { appResource } from './app-resource';

export class GetApp extends Query<App> {
  constructor(readonly id: number) {
    super();
  }
}

@QueryHandler(GetApp)
export class GetAppHandler implements IQueryHandler<GetApp> {
  constructor(
    private readonly documents: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {}

  async execute({ id }: GetApp): Promise<App> {
    const { name } = appsProjection;
    const row = await this.projections.find(name, () => this.documents.view(name, appRows).get(String(id)));
    if (row === undefined) throw new DomainError('APP_NOT_FOUND', 'There is no such app.');
    return appResource({ ...row, id });
  }
}
