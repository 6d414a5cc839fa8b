import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type ReplyOf, rotateDataKeys } from '@sluice/contracts';
import { REPORT, type Report } from '@sluice/service-host';
import { CommandOf } from '@sluice/messaging';
import { DataKeys } from './data-keys';

export class RotateDataKeys extends CommandOf(rotateDataKeys) {}

@CommandHandler(RotateDataKeys)
export class RotateDataKeysHandler implements ICommandHandler<RotateDataKeys> {
  constructor(
    private readonly dataKeys: DataKeys,
    @Inject(REPORT) private readonly report: Report,
  ) {}

  async execute({ request: { names }, caller }: RotateDataKeys): Promise<ReplyOf<typeof rotateDataKeys>> {
    const keys = await this.dataKeys.rotate(names);
    this.report(`Data keys were rotated by ${caller.actor}: ${keys.map(({ name }) => name).join(', ')}`);
    return { keys };
  }
}
