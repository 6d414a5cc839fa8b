import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { connectMerchant, type ReplyOf } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { OAuthClient } from '../oauth-client/oauth-client';
import { OAuthStates } from './oauth-states';
import { SavedSettings } from '../settings/saved-settings';

export class Connect extends CommandOf(connectMerchant) {}

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
