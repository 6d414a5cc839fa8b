import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { AccessToken, Caller, RequestOf, revokeToken } from '@sluice/contracts';
import { ownedToken } from '../domain/token';
import { Tokens } from './tokens';

export class RevokeToken extends Command<AccessToken> {
  constructor(
    readonly request: RequestOf<typeof revokeToken>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(RevokeToken)
export class RevokeTokenHandler implements ICommandHandler<RevokeToken> {
  constructor(private readonly tokens: Tokens) {}

  async execute({ request: { id, ownerId }, caller }: RevokeToken): Promise<AccessToken> {
    const { state } = await this.tokens.change(id, { type: 'RevokeToken', ownerId }, caller);
    return this.tokens.resource(ownedToken(state, ownerId));
  }
}
