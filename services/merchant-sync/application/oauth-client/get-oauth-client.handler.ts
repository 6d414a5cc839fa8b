import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { OAuthClientState } from '@sluice/contracts';
import { SavedOAuthClient } from './saved-oauth-client';

export class GetOAuthClient extends Query<OAuthClientState> {}

@QueryHandler(GetOAuthClient)
export class GetOAuthClientHandler implements IQueryHandler<GetOAuthClient> {
  constructor(private readonly saved: SavedOAuthClient) {}

  async execute(): Promise<OAuthClientState> {
    const found = await this.saved.find();
    return { client_id: found?.clientId ?? null, source: found?.source ?? null };
  }
}
