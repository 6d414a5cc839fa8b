import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { prepareKeystore, ReplyOf } from '@sluice/contracts';
import { Keystores } from './keystores';

export class PrepareKeystore extends Query<ReplyOf<typeof prepareKeystore>> {}

@QueryHandler(PrepareKeystore)
export class PrepareKeystoreHandler implements IQueryHandler<PrepareKeystore> {
  constructor(private readonly keystores: Keystores) {}

  execute(): Promise<ReplyOf<typeof prepareKeystore>> {
    return Promise.resolve(this.keystores.prepare());
  }
}
