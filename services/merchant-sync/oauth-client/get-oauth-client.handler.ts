import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type OAuthClientState, getOAuthClient } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { SavedOAuthClient } from './saved-oauth-client';

export class GetOAuthClient extends QueryOf(getOAuthClient) {}

@QueryHandler(GetOAuthClient)
export class GetOAuthClientHandler implements IQueryHandler<GetOAuthClient> {
  constructor(private readonly saved: SavedOAuthClient) {}

  async execute(): Promise<OAuthClientState> {
    const found = await this.saved.find();
    return { client_id: found?.clientId ?? null, source: found?.source ?? null };
  }
}
