import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AccessToken, revokeToken } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { ownedToken } from './domain/token';
import { Tokens } from './tokens';

export class RevokeToken extends CommandOf(revokeToken) {}

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(private readonly tokens: Tokens) {}

  async execute({ request: { id, ownerId }, caller }: RevokeToken): Promise<AccessToken> {
    const { state } = await this.tokens.change(id, { type: 'RevokeToken', ownerId }, caller);
    return this.tokens.resource(ownedToken(state, ownerId));
  }
}
