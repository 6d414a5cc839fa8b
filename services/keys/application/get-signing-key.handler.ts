import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { getSigningKey, RequestOf, SigningKey } from '@sluice/contracts';
import { PROJECTIONS, type Projections, ReadStore } from '@sluice/document-store';
import { signingKeyRows, signingKeysProjection } from '../projections/signing-keys.projection';
import { signingKeyResource } from './signing-keys';

export class GetSigningKey extends Query<SigningKey> {
  constructor(readonly request: RequestOf<typeof getSigningKey>) {
    super();
  }
}

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
