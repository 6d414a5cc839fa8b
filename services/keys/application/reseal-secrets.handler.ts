import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { ReplyOf, RequestOf, resealSecrets } from '@sluice/contracts';
import { VAULT, type Vault } from '@sluice/vault';

export class ResealSecrets extends Command<ReplyOf<typeof resealSecrets>> {
  constructor(readonly request: RequestOf<typeof resealSecrets>) {
    super();
  }
}

@CommandHandler(ResealSecrets)
export class ResealSecretsHandler implements ICommandHandler<ResealSecrets> {
  constructor(@Inject(VAULT) private readonly vault: Vault) {}

  async execute({ request: { after } }: ResealSecrets): Promise<ReplyOf<typeof resealSecrets>> {
    const { failed, ...part } = await this.vault.reseal(after === undefined ? {} : { after });
    return { ...part, failed: [...failed] };
  }
}
