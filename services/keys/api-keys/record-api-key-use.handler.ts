import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { recordApiKeyUse, type ReplyOf } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { CommandOf } from '@sluice/messaging';
import { addUse, apiKeyUsage } from './api-key-usage';

export class RecordApiKeyUse extends CommandOf(recordApiKeyUse) {}

@CommandHandler(RecordApiKeyUse)
export class RecordApiKeyUseHandler implements ICommandHandler<RecordApiKeyUse> {
  constructor(private readonly state: StateStore) {}

  /** @throws the first fault when no use could be stored */
  async execute({ request: { uses } }: RecordApiKeyUse): Promise<ReplyOf<typeof recordApiKeyUse>> {
    const rows = this.state.rows(apiKeyUsage);
    const outcomes = await Promise.allSettled(uses.map((use) => addUse(rows, use).then(() => use.id)));
    const recorded = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    for (const outcome of outcomes) {
      if (recorded.length === 0 && outcome.status === 'rejected') throw outcome.reason;
    }
    return { recorded };
  }
}
