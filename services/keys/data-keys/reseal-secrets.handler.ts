import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ReplyOf, resealSecrets } from '@sluice/contracts';
import { CommandOf } from '@sluice/messaging';
import { VAULT, type Vault } from '@sluice/vault';

export class ResealSecrets extends CommandOf(resealSecrets) {}

@CommandHandler(ResealSecrets)
export class ResealSecretsHandler implements ICommandHandler<ResealSecrets> {
  constructor(@Inject(VAULT) private readonly vault: Vault) {}

  async execute({ request: { after } }: ResealSecrets): Promise<ReplyOf<typeof resealSecrets>> {
    const { failed, ...part } = await this.vault.reseal(after === undefined ? {} : { after });
    return { ...part, failed: [...failed] };
  }
}
