import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { recordTokenUse, type ReplyOf } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { CommandOf } from '@sluice/messaging';
import { recordUses } from './token-usage';

export class RecordTokenUse extends CommandOf(recordTokenUse) {}

@CommandHandler(RecordTokenUse)
export class RecordTokenUseHandler implements ICommandHandler<RecordTokenUse> {
  constructor(private readonly state: StateStore) {}

  async execute({ request: { uses } }: RecordTokenUse): Promise<ReplyOf<typeof recordTokenUse>> {
    await recordUses(this.state, uses);
    return {};
  }
}
