import { CommandHandler, type ICommandHandler, type IQueryHandler, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { deleteOAuthClient, getOAuthClient, type OAuthClientState, saveOAuthClient } from '@sluice/contracts';
import { CommandOf, QueryOf } from '@sluice/messaging';
import { SavedOAuthClient } from './saved-oauth-client';

export class ForgetOAuthClient extends CommandOf(deleteOAuthClient) {}

@CommandHandler(ForgetOAuthClient)
export class ForgetOAuthClientHandler implements ICommandHandler<ForgetOAuthClient> {
  constructor(
    private readonly saved: SavedOAuthClient,
    private readonly queries: QueryBus,
  ) {}

  async execute(): Promise<OAuthClientState> {
    await this.saved.forget();
    return this.queries.execute(new GetOAuthClient({}));
  }
}

export class GetOAuthClient extends QueryOf(getOAuthClient) {}

@QueryHandler(GetOAuthClient)
export class GetOAuthClientHandler implements IQueryHandler<GetOAuthClient> {
  constructor(private readonly saved: SavedOAuthClient) {}

  async execute(): Promise<OAuthClientState> {
    const found = await this.saved.find();
    return { client_id: found?.clientId ?? null, source: found?.source ?? null };
  }
}

export class SaveOAuthClient extends CommandOf(saveOAuthClient) {}

@CommandHandler(SaveOAuthClient)
export class SaveOAuthClientHandler implements ICommandHandler<SaveOAuthClient> {
  constructor(private readonly saved: SavedOAuthClient) {}

  async execute({ request }: SaveOAuthClient): Promise<OAuthClientState> {
    await this.saved.save({ clientId: request.client_id, clientSecret: request.client_secret });
    return { client_id: request.client_id, source: 'saved' };
  }
}

export const oauthClientCalls = [ForgetOAuthClient, GetOAuthClient, SaveOAuthClient] as const;
export const oauthClientHandlers = [ForgetOAuthClientHandler, GetOAuthClientHandler, SaveOAuthClientHandler];
