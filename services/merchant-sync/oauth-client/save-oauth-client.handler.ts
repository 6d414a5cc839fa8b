import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type OAuthClientState, saveOAuthClient } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { SavedOAuthClient } from './saved-oauth-client';

export class SaveOAuthClient extends CommandOf(saveOAuthClient) {}

@CommandHandler(SaveOAuthClient)
export class SaveOAuthClientHandler implements ICommandHandler<SaveOAuthClient> {
  constructor(private readonly saved: SavedOAuthClient) {}

  async execute({ request }: SaveOAuthClient): Promise<OAuthClientState> {
    await this.saved.save({ clientId: request.client_id, clientSecret: request.client_secret });
    return { client_id: request.client_id, source: 'saved' };
  }
}
