import type { Mapping } from '@sluice/contracts';
import type { Collection, ProjectedWrite, ProjectionIdentity, ProjectionTarget, Row } from '@sluice/document-store';
import { type ProjectedRows, RowBuffer } from '@sluice/projections';
import { type Recorded, type RecordedEvent, START } from '@sluice/event-store';
import { DEFAULT_FEED_SETTINGS, type FeedSettings } from '../products/domain/feed-settings';
import { merchantStream, type MerchantEvent, STORE_ID } from '../settings/domain/merchant';
import { syncRunStream, type SyncRunEvent } from '../runs/domain/sync-run';
import { mappingRows, type MappingRow, mappingsProjection, toMapping } from '../runs/mappings.projection';
import { syncLogRows, type SyncLogRow, syncLogsProjection, toSyncLog } from '../runs/sync-logs.projection';

export type HookEvent = MerchantEvent | SyncRunEvent;

/** The names of hooks, without the prefix `{PLUGIN_NAME}_`. */
type HookName =
  | 'feed_settings_created'
  | 'feed_settings_updated'
  | 'mapping_created'
  | 'mapping_updated'
  | 'mapping_deleted'
  | 'sync_log_created'
  | 'sync_log_updated'
  | 'track_event';

/** The content of a hook, and the row that it concerns. */
export interface HookChange {
  readonly hook: HookName;
  readonly rowId: string;
  readonly data: object;
  readonly before?: object;
}

interface FeedSettingsRow extends Row {
  readonly settings: FeedSettings;
}

const feedSettingsRows: Collection<FeedSettingsRow> = { name: 'feedSettings', indexes: [] };

/**
 * The rows as the last hooks described them. They are in the state store and change with the process manager, one
 * event at a time, so `before` and `data` match the event itself, regardless of the read models' progress.
 */
export const hookRows: ProjectionIdentity = {
  name: 'hooks',
  version: 1,
  collections: [mappingRows.name, syncLogRows.name, feedSettingsRows.name].map((name) => ({ name, indexes: [] })),
};

export const hookPrefixes = [merchantStream(''), syncRunStream('')];

/** The changes that an event makes to the rows in `target`, and the hooks for them. */
export async function hookChanges(
  event: Recorded<HookEvent>,
  target: ProjectionTarget,
): Promise<{ readonly changes: readonly HookChange[]; readonly writes: readonly ProjectedWrite[] }> {
  const buffer = new RowBuffer(target, { ...hookRows, prefixes: hookPrefixes, apply }, START);
  await buffer.apply(event as RecordedEvent);
  const written = buffer.take();
  const stored = await Promise.all(written.map(({ collection, id }) => buffer.stored(collection, id)));
  const changes: HookChange[] = [];
  const writes: ProjectedWrite[] = [];
  for (const [index, { collection, id, row: after }] of written.entries()) {
    const before = stored[index];
    // This event or a later one was already applied, and its hook was created then.
    if (before !== undefined && before.position >= event.position) continue;
    const told = hookOf(collection, before?.row, after, event);
    if (told !== undefined) changes.push({ ...told, rowId: id });
    // A log has two hooks, one at its start and one at its end.
    const row = event.type === 'SyncRunClosed' && collection === syncLogRows.name ? undefined : after;
    writes.push({ collection, id, row, position: event.position });
  }
  if (event.type === 'ListingsModuleEnabled' || event.type === 'ListingsModuleDisabled') {
    const enabled = event.type === 'ListingsModuleEnabled';
    const data = { event: enabled ? 'module_enabled' : 'module_disabled', module: 'listings_ads', enabled };
    changes.push({ hook: 'track_event', rowId: STORE_ID, data });
  }
  return { changes, writes };
}

async function apply(event: Recorded<HookEvent>, rows: ProjectedRows): Promise<void> {
  for (const projection of [mappingsProjection, syncLogsProjection]) {
    if (projection.prefixes.some((prefix) => event.stream.startsWith(prefix))) {
      await projection.apply(event as Recorded<MerchantEvent> & Recorded<SyncRunEvent>, rows);
    }
  }
  if (event.type !== 'FeedSettingsChanged') return;
  const changed = (settings: FeedSettings) => ({ id: STORE_ID, settings: { ...settings, ...event.data.changes } });
  let isFirst = true as boolean;
  await rows.update(feedSettingsRows, STORE_ID, ({ settings }) => {
    isFirst = false;
    return changed(settings);
  });
  if (isFirst) rows.put(feedSettingsRows, changed(DEFAULT_FEED_SETTINGS));
}

function hookOf(
  collection: string,
  before: Row | undefined,
  after: Row | undefined,
  event: HookEvent,
): Omit<HookChange, 'rowId'> | undefined {
  switch (collection) {
    case feedSettingsRows.name: {
      const data = (after as FeedSettingsRow).settings;
      if (before === undefined) return { hook: 'feed_settings_created', data };
      return { hook: 'feed_settings_updated', data, before: (before as FeedSettingsRow).settings };
    }
    case syncLogRows.name: {
      const data = toSyncLog(after as SyncLogRow, null);
      if (event.type === 'SyncRunStarted') return { hook: 'sync_log_created', data };
      if (event.type !== 'SyncRunClosed') return undefined;
      return { hook: 'sync_log_updated', data, before: toSyncLog(before as SyncLogRow, null) };
    }
    default: {
      const [was, is] = [liveMapping(before), liveMapping(after)];
      if (was === undefined) return is && { hook: 'mapping_created', data: is };
      // Of what is about to be sent clients see nothing new.
      if (is !== undefined && event.type === 'OffersTried') return undefined;
      if (is !== undefined) return { hook: 'mapping_updated', data: is, before: was };
      return { hook: 'mapping_deleted', data: toMapping(after as MappingRow), before: was };
    }
  }
}

function liveMapping(row: Row | undefined): Mapping | undefined {
  return row !== undefined && (row as MappingRow).live ? toMapping(row as MappingRow) : undefined;
}
