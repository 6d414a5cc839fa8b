import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type AccessToken, editToken } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { ownedToken } from './domain/token';
import { Tokens } from './tokens';

export class EditToken extends CommandOf(editToken) {}

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
