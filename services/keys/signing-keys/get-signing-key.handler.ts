import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { getSigningKey, type SigningKey } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore } from '@sluice/document-store';
import { QueryOf } from '@sluice/messaging';
import { signingKeyRows, signingKeysProjection } from './signing-keys.projection';
import { signingKeyResource } from './signing-keys';

export class GetSigningKey extends QueryOf(getSigningKey) {}

@QueryHandler(GetSigningKey)
export class GetSigningKeyHandler implements IQueryHandler<GetSigningKey> {
  constructor(
    private readonly documents: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {}

  async execute({ request: { appId } }: GetSigningKey): Promise<SigningKey> {
    const { name } = signingKeysProjection;
    const view = this.documents.view(name, signingKeyRows);
    const row = await this.projections.find(name, () => view.get(String(appId)));
    return row === undefined ? { configured: false } : signingKeyResource({ ...row, id: row.number });
  }
}
