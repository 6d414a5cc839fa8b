import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, connectMerchant, ReplyOf, RequestOf } from '@sluice/contracts';
import { OAuthClient } from '../oauth-client/oauth-client';
import { OAuthStates } from './oauth-states';
import { SavedSettings } from '../settings/saved-settings';

export class Connect extends Command<ReplyOf<typeof connectMerchant>> {
  constructor(
    readonly request: RequestOf<typeof connectMerchant>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(Connect)
export class ConnectHandler implements ICommandHandler<Connect> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly states: OAuthStates,
    private readonly client: OAuthClient,
  ) {}

  async execute({ request, caller }: Connect): Promise<ReplyOf<typeof connectMerchant>> {
    await this.saved.ofWorkingModule();
    await this.client.requireConfigured();
    const begun = await this.states.begin(request.redirect_uri, caller.actor);
    return { authorization_url: await this.client.authorizationUrl(begun) };
  }
}
