import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type ApiKey, getApiKey } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore, StateStore } from '@sluice/document-store';
import { DomainError } from '@sluice/kernel';
import { QueryOf } from '@sluice/messaging';
import { apiKeyRows, apiKeysProjection } from './api-keys.projection';
import { apiKeyResource } from './api-key-resource';

export class GetApiKey extends QueryOf(getApiKey) {}

@QueryHandler(GetApiKey)
export class GetApiKeyHandler implements IQueryHandler<GetApiKey> {
  constructor(
    private readonly documents: ReadStore,
    private readonly state: StateStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {}

  async execute({ request: { appId, id } }: GetApiKey): Promise<ApiKey> {
    const { name } = apiKeysProjection;
    const row = await this.projections.find(name, async () => {
      const found = await this.documents.view(name, apiKeyRows).get(String(id));
      return found?.appId === appId ? found : undefined;
    });
    if (row === undefined) throw new DomainError('KEY_NOT_FOUND', 'There is no such API key.');
    return apiKeyResource(this.state, { ...row, id });
  }
}
