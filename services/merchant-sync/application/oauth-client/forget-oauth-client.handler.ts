import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import type { OAuthClientState } from '@sluice/contracts';
import { GetOAuthClient } from './get-oauth-client.handler';
import { SavedOAuthClient } from './saved-oauth-client';

export class ForgetOAuthClient extends Command<OAuthClientState> {}

@CommandHandler(ForgetOAuthClient)
export class ForgetOAuthClientHandler implements ICommandHandler<ForgetOAuthClient> {
  constructor(
    private readonly saved: SavedOAuthClient,
    private readonly queries: QueryBus,
  ) {}

  async execute(): Promise<OAuthClientState> {
    await this.saved.forget();
    return this.queries.execute(new GetOAuthClient());
  }
}
