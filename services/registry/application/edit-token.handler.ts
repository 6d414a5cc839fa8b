import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { AccessToken, Caller, editToken, RequestOf } from '@sluice/contracts';
import { ownedToken } from '../domain/token';
import { Tokens } from './tokens';

export class EditToken extends Command<AccessToken> {
  constructor(
    readonly request: RequestOf<typeof editToken>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(EditToken)
export class EditTokenHandler implements ICommandHandler<EditToken> {
  constructor(private readonly tokens: Tokens) {}

  async execute({ request, caller }: EditToken): Promise<AccessToken> {
    const { id, ownerId, reach: wanted, ...changes } = request;
    const ownAppsAfter = await this.tokens.requireApps(ownerId, wanted?.apps ?? []);
    const reach = wanted && { ...wanted, ownAppsAfter };
    const { state } = await this.tokens.change(id, { type: 'EditToken', ownerId, ...changes, reach }, caller);
    return this.tokens.resource(ownedToken(state, ownerId));
  }
}
