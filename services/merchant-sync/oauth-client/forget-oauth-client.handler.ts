import { CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { type OAuthClientState, deleteOAuthClient } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { GetOAuthClient } from './get-oauth-client.handler';
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
