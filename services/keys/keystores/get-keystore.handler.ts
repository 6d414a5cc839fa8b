import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { getKeystore, type Keystore } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { keystoreRows, keystoresProjection } from './keystores.projection';
import { keystoreResource } from './keystores';

export class GetKeystore extends QueryOf(getKeystore) {}

@QueryHandler(GetKeystore)
export class GetKeystoreHandler implements IQueryHandler<GetKeystore> {
  constructor(
    private readonly documents: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {}

  async execute({ request: { appId } }: GetKeystore): Promise<Keystore> {
    const { name } = keystoresProjection;
    const view = this.documents.view(name, keystoreRows);
    const row = await this.projections.find(name, () => view.get(String(appId)));
    return row === undefined ? { configured: false } : keystoreResource(row);
  }
}
