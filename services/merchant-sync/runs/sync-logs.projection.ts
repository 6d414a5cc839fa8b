import { type SyncLog, syncLogSchema } from '@sluice/contracts';
import type { Collection } from '@sluice/document-store';
import type { ProjectedRows, Projection } from '@sluice/projections';
import type { Recorded } from '@sluice/event-store';
import type { RemoteCatalog } from '../remotes/remote-catalog';
import { merchantStream, type MerchantEvent } from '../settings/domain/merchant';
import { syncRunStream, type SyncRunEvent } from './domain/sync-run';

/** The heartbeat is no fact of the past: it is read from the lease. */
export interface SyncLogRow extends Omit<SyncLog, 'heartbeat_at'> {
  /** When the remote catalogue was read to its end; null: it was not. */
  readonly catalog_read_at: string | null;
}

export const syncLogRows: Collection<SyncLogRow> = {
  name: 'syncLogs',
  indexes: [{ fields: ['started_at'] }],
};

export const LATEST_FIRST = [
  ['started_at', 'desc'],
  ['id', 'desc'],
] as const;

export const syncLogsProjection: Projection<MerchantEvent | SyncRunEvent> = {
  name: 'syncLogs',
  version: 1,
  prefixes: [merchantStream(''), syncRunStream('')],
  collections: [syncLogRows],
  apply,
};

/** Whether a run found that the remote interface, which is the current one still, has ended. */
export function hasFoundSunset(
  log: Pick<SyncLog, 'details'> | undefined,
  { adapter }: Pick<RemoteCatalog, 'adapter'>,
): boolean {
  return log?.details['code'] === 'remote_api_sunset' && log.details['adapter'] === adapter;
}

export function toSyncLog(row: SyncLogRow, heartbeatAt: string | null): SyncLog {
  return syncLogSchema.parse({ ...row, heartbeat_at: row.status === 'running' ? heartbeatAt : null });
}

function apply(event: Recorded<MerchantEvent | SyncRunEvent>, rows: ProjectedRows): void | Promise<void> {
  const change = (changes: (row: SyncLogRow) => Partial<SyncLogRow>) =>
    rows.update(syncLogRows, event.stream.slice(syncRunStream('').length), (row) => ({ ...row, ...changes(row) }));
  const count = (member: 'items_processed' | 'items_deleted', done: readonly unknown[], refused: readonly unknown[]) =>
    change((row) => ({ [member]: row[member] + done.length, items_failed: row.items_failed + refused.length }));
  switch (event.type) {
    case 'SyncRunStarted': {
      const { runId, runType, trigger, productId, startedAt } = event.data;
      rows.put(syncLogRows, {
        id: runId,
        run_type: runType,
        trigger,
        status: 'running',
        items_processed: 0,
        items_failed: 0,
        items_skipped: 0,
        items_deleted: 0,
        started_at: startedAt,
        completed_at: null,
        error_message: null,
        details: productId === null ? {} : { product_id: productId },
        catalog_read_at: null,
      });
      return;
    }
    case 'SyncLogsPruned':
      return rows.deleteWhere(syncLogRows, { started_at: { lt: event.data.before }, completed_at: { gt: '' } });
    case 'OffersSent':
      return count('items_processed', event.data.sent, event.data.refused);
    case 'OffersDeleted':
      return count('items_deleted', event.data.deleted, event.data.refused);
    case 'CatalogRead':
      return change(() => ({ catalog_read_at: event.metadata.at }));
    case 'SyncRunClosed': {
      const { outcome, skipped, error, details } = event.data;
      return change((row) => ({
        status: outcome,
        items_skipped: skipped,
        error_message: error,
        details: { ...row.details, ...details },
        completed_at: event.metadata.at,
      }));
    }
    default:
  }
}
