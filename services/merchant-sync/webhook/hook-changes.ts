import type { Mapping } from '@sluice/contracts';
import {
  type AnyCollection,
  type Collection,
  type PositionedRow,
  type ProjectedWrite,
  type ProjectionIdentity,
  type ProjectionTarget,
  type Row,
} from '@sluice/document-store';
import { type ProjectedRows } from '@sluice/projections';
import type { Recorded } from '@sluice/event-store';
import { DEFAULT_FEED_SETTINGS, type FeedSettings } from '../products/domain/feed-settings';
import { merchantStream, type MerchantEvent, STORE_ID } from '../settings/domain/merchant';
import { syncRunStream, type SyncRunEvent } from '../runs/domain/sync-run';
import { mappingRows, type MappingRow, mappingsProjection, toMapping } from '../runs/mappings.projection';
import { syncLogRows, type SyncLogRow, syncLogsProjection, toSyncLog } from '../runs/sync-logs.projection';

export type HookEvent = MerchantEvent | SyncRunEvent;

/** Spec 3, Events: what stands behind `{PLUGIN_NAME}_`. */
type HookName =
  | 'feed_settings_created'
  | 'feed_settings_updated'
  | 'mapping_created'
  | 'mapping_updated'
  | 'mapping_deleted'
  | 'sync_log_created'
  | 'sync_log_updated'
  | 'track_event';

/** What a hook tells, and of which row. */
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
 * The rows as the hooks told them last. They stand in the state store and move with the process manager,
 * one event at a time: so `before` and `data` are those of the event itself, however far read models are.
 */
export const hookRows: ProjectionIdentity = {
  name: 'hooks',
  version: 1,
  collections: [mappingRows.name, syncLogRows.name, feedSettingsRows.name].map((name) => ({ name, indexes: [] })),
};

export const hookPrefixes = [merchantStream(''), syncRunStream('')];

/** What an event changed of the rows in `target`, and the hooks that tell of it. */
export async function hookChanges(
  event: Recorded<HookEvent>,
  target: ProjectionTarget,
): Promise<{ readonly changes: readonly HookChange[]; readonly writes: readonly ProjectedWrite[] }> {
  const rows = new ToldRows(target);
  for (const projection of [mappingsProjection, syncLogsProjection]) {
    if (projection.prefixes.some((prefix) => event.stream.startsWith(prefix))) {
      await projection.apply(event as Recorded<MerchantEvent> & Recorded<SyncRunEvent>, rows);
    }
  }
  if (event.type === 'FeedSettingsChanged') {
    const { settings } = (await rows.read(feedSettingsRows, STORE_ID)) ?? { settings: DEFAULT_FEED_SETTINGS };
    rows.put(feedSettingsRows, { id: STORE_ID, settings: { ...settings, ...event.data.changes } });
  }
  const changes: HookChange[] = [];
  const writes: ProjectedWrite[] = [];
  for (const { collection, id, before, after } of await rows.changed(event.position)) {
    const told = hookOf(collection, before, after, event);
    if (told !== undefined) changes.push({ ...told, rowId: id });
    // A log is told twice, at its start and its end.
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

interface RowChange {
  readonly collection: string;
  readonly id: string;
  readonly before: Row | undefined;
  readonly after: Row | undefined;
}

/** What one event changes, over the rows as they were told last. */
class ToldRows implements ProjectedRows {
  readonly #known = new Map<string, PositionedRow>();
  readonly #wanted = new Map<string, Set<string>>();
  readonly #written = new Map<string, Omit<RowChange, 'before'>>();
  #reading: Promise<void> | undefined;

  constructor(private readonly target: ProjectionTarget) {}

  put<R extends Row>(collection: Collection<R>, row: R): void {
    this.#write(collection.name, row.id, row);
  }

  async update<R extends Row>(collection: Collection<R>, id: string, change: (row: R) => R | undefined): Promise<void> {
    const row = await this.read(collection, id);
    if (row !== undefined) this.#write(collection.name, id, change(row));
  }

  delete(collection: AnyCollection, id: string): void {
    this.#write(collection.name, id, undefined);
  }

  /** Pruned logs ended long before: no row of theirs is kept here. */
  deleteWhere(): Promise<void> {
    return Promise.resolve();
  }

  async read<R extends Row>(collection: Collection<R>, id: string): Promise<R | undefined> {
    return (await this.#read(collection.name, id))?.row as R | undefined;
  }

  /** Leaves out what this event or a later one wrote already: it was told then. */
  async changed(position: string): Promise<RowChange[]> {
    const all = [...this.#written.values()];
    const known = await Promise.all(all.map(({ collection, id }) => this.#read(collection, id)));
    return all.flatMap((change, index) => {
      const before = known[index];
      return before !== undefined && before.position >= position ? [] : [{ ...change, before: before?.row }];
    });
  }

  #write(collection: string, id: string, after: Row | undefined): void {
    this.#written.set(keyOf(collection, id), { collection, id, after });
  }

  /** Reads of one turn share one question to the shop. */
  async #read(collection: string, id: string): Promise<PositionedRow | undefined> {
    const key = keyOf(collection, id);
    if (!this.#known.has(key)) {
      const wanted = this.#wanted.get(collection) ?? new Set();
      this.#wanted.set(collection, wanted.add(id));
      this.#reading ??= Promise.resolve().then(() => this.#readWanted());
      await this.#reading;
    }
    return this.#known.get(key);
  }

  async #readWanted(): Promise<void> {
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    this.#reading = undefined;
    for (const [collection, ids] of wanted) {
      const rows = await this.target.read(collection, [...ids]);
      for (const [id, row] of rows) this.#known.set(keyOf(collection, id), row);
    }
  }
}

function keyOf(collection: string, id: string): string {
  return `${collection}\0${id}`;
}
