import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '@sluice/kernel';
import { Connections } from '../connection/connections';
import { ListingMapper } from '../products/listing-mapper';
import type { Merchant } from '../settings/domain/merchant';
import { REMOTE_CATALOG, type RemoteCatalog } from '../remotes/remote-catalog';
import { PRODUCT_SOURCE, type ProductSource } from '../sources/product-source';
import type { SyncContext } from './sync-run-worker';
import { RunCancelledError } from './run-faults';

/** What runs work with: the shop's products as offers, and the connected account. */
@Injectable()
export class SyncContextFactory {
  constructor(
    @Inject(PRODUCT_SOURCE) private readonly source: ProductSource | undefined,
    @Inject(REMOTE_CATALOG) private readonly remote: RemoteCatalog,
    private readonly connections: Connections,
    private readonly mapper: ListingMapper,
  ) {}

  /** @throws RunCancelledError when no account is connected; DomainError, RemoteError when it can't be used */
  async open(state: Merchant, signal: AbortSignal): Promise<SyncContext> {
    const { source, remote } = this;
    const openMap: SyncContext['openMap'] = (paths, findUnknown) => this.mapper.open(state, paths, findUnknown);
    try {
      const { connection, access, email } = await this.connections.open(signal);
      return { source, remote, openMap, access, email, connectionId: connection.id };
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_connected') {
        throw new RunCancelledError(error.message);
      }
      throw error;
    }
  }
}
