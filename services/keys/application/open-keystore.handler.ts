import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { openKeystore, ReplyOf, RequestOf } from '@sluice/contracts';
import { Keystores } from './keystores';

export class OpenKeystore extends Query<ReplyOf<typeof openKeystore>> {
  constructor(readonly request: RequestOf<typeof openKeystore>) {
    super();
  }
}

@QueryHandler(OpenKeystore)
export class OpenKeystoreHandler implements IQueryHandler<OpenKeystore> {
  constructor(private readonly keystores: Keystores) {}

  execute({ request: { appId } }: OpenKeystore): Promise<ReplyOf<typeof openKeystore>> {
    return this.keystores.open(appId);
  }
}
