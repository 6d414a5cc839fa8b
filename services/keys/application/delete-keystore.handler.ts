import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Caller, deleteKeystore, ReplyOf, RequestOf } from '@sluice/contracts';
import { Keystores } from './keystores';

export class DeleteKeystore extends Command<ReplyOf<typeof deleteKeystore>> {
  constructor(
    readonly request: RequestOf<typeof deleteKeystore>,
    readonly caller: Caller,
  ) {
    super();
  }
}

@CommandHandler(DeleteKeystore)
export class DeleteKeystoreHandler implements ICommandHandler<DeleteKeystore> {
  constructor(private readonly keystores: Keystores) {}

  async execute({ request: { appId }, caller }: DeleteKeystore): Promise<ReplyOf<typeof deleteKeystore>> {
    await this.keystores.delete(appId, caller);
    return { deleted: true };
  }
}
