import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type AccessToken, getToken } from '@sluice/contracts';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { QueryOf } from '@sluice/messaging';
import { ownedToken, token, tokenStream } from './domain/token';
import { Tokens } from './tokens';

export class GetToken extends QueryOf(getToken) {}

@QueryHandler(GetToken)
export class GetTokenHandler implements IQueryHandler<GetToken> {
  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly tokens: Tokens,
  ) {}

  async execute({ request: { id, ownerId } }: GetToken): Promise<AccessToken> {
    const { state } = await this.commands.load(token, tokenStream(id));
    return this.tokens.resource(ownedToken(state, ownerId));
  }
}
