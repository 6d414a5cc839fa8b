import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { openKeystore, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { Keystores } from './keystores';

export class OpenKeystore extends QueryOf(openKeystore) {}

@QueryHandler(OpenKeystore)
export class OpenKeystoreHandler implements IQueryHandler<OpenKeystore> {
  constructor(private readonly keystores: Keystores) {}

  execute({ request: { appId } }: OpenKeystore): Promise<ReplyOf<typeof openKeystore>> {
    return this.keystores.open(appId);
  }
}
