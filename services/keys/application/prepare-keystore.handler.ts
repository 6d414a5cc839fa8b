import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { prepareKeystore, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { Keystores } from './keystores';

export class PrepareKeystore extends QueryOf(prepareKeystore) {}

@QueryHandler(PrepareKeystore)
export class PrepareKeystoreHandler implements IQueryHandler<PrepareKeystore> {
  constructor(private readonly keystores: Keystores) {}

  execute(): Promise<ReplyOf<typeof prepareKeystore>> {
    return Promise.resolve(this.keystores.prepare());
  }
}
