import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { getMerchantAccount, type ReplyOf } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { RemoteError } from '../remotes/remote-catalog';
import { Connections } from './connections';
import { toClientError } from './remote-refusals';
import { SavedSettings } from '../settings/saved-settings';

export class GetAccount extends QueryOf(getMerchantAccount) {}

const PATIENCE_MS = 8_000;

@QueryHandler(GetAccount)
export class GetAccountHandler implements IQueryHandler<GetAccount> {
  constructor(
    private readonly saved: SavedSettings,
    private readonly connections: Connections,
  ) {}

  async execute(): Promise<ReplyOf<typeof getMerchantAccount>> {
    await this.saved.ofWorkingModule();
    const signal = AbortSignal.timeout(PATIENCE_MS);
    try {
      const { account } = (await this.connections.open(signal)).connection;
      return { account_id: account.id, name: account.name };
    } catch (error) {
      const late = signal.aborted && error === signal.reason;
      throw toClientError(late ? new RemoteError('timeout', `It did not answer within ${PATIENCE_MS} ms.`) : error);
    }
  }
}
