import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ReplyOf, rotateToken } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { ownedToken } from './domain/token';
import { OneTimeSecrets } from './one-time-secrets';
import { Tokens } from './tokens';

export class RotateToken extends CommandOf(rotateToken) {}

@CommandHandler(RotateToken)
export class RotateTokenHandler implements ICommandHandler<RotateToken> {
  constructor(
    private readonly secrets: OneTimeSecrets,
    private readonly tokens: Tokens,
  ) {}

  async execute({ request: { id, ownerId }, caller }: RotateToken): Promise<ReplyOf<typeof rotateToken>> {
    const { state, repeated, plaintext } = await this.secrets.issue('svc_pat_', caller, ({ hash, sealId }) =>
      this.tokens.change(id, { type: 'RotateToken', ownerId, secret: { hash, sealId } }, caller),
    );
    const rotated = ownedToken(state, ownerId);
    const shown = repeated ? await this.secrets.plaintext(rotated.sealId) : plaintext;
    return { ...(await this.tokens.resource(rotated)), token: shown };
  }
}
