import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { OAuthClientState, RequestOf, saveOAuthClient } from '@sluice/contracts';
import { SavedOAuthClient } from './saved-oauth-client';

export class SaveOAuthClient extends Command<OAuthClientState> {
  constructor(readonly request: RequestOf<typeof saveOAuthClient>) {
    super();
  }
}

@CommandHandler(SaveOAuthClient)
export class SaveOAuthClientHandler implements ICommandHandler<SaveOAuthClient> {
  constructor(private readonly saved: SavedOAuthClient) {}

  async execute({ request }: SaveOAuthClient): Promise<OAuthClientState> {
    await this.saved.save({ clientId: request.client_id, clientSecret: request.client_secret });
    return { client_id: request.client_id, source: 'saved' };
  }
}
