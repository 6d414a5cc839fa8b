import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type App, getApp } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore } from '@sluice/document-store';
import { DomainError } from '@sluice/kernel';
import { QueryOf } from '@sluice/messaging';
import { appRows, appsProjection } from './apps.projection';
import { appResource } from './app-resource';

export class GetApp extends QueryOf(getApp) {}

@QueryHandler(GetApp)
export class GetAppHandler implements IQueryHandler<GetApp> {
  constructor(
    private readonly documents: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {}

  async execute({ request: { id } }: GetApp): Promise<App> {
    const { name } = appsProjection;
    const row = await this.projections.find(name, () => this.documents.view(name, appRows).get(String(id)));
    if (row === undefined) throw new DomainError('APP_NOT_FOUND', 'There is no such app.');
    return appResource({ ...row, id });
  }
}
