import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '@sluice/projections';
import { unknownEvent } from '@sluice/kernel';
import type { AppEvent } from './domain/app';
import { APPS_STREAM, type AppsEvent } from './domain/apps';
import type { AppRow } from './apps.projection';

/** An app as its owner remembers it, also once it was removed. */
export interface OwnedAppRow extends Row, AppRow {
  readonly removed: boolean;
  /** When its removal began, ISO 8601; null while it is there. */
  readonly removedAt: string | null;
}

export const ownedAppRows: Collection<OwnedAppRow> = {
  name: 'ownedApps',
  indexes: [{ fields: ['ownerId', 'number'] }, { fields: ['ownerId', 'removed', 'number'] }],
};

export const ownedAppsProjection: Projection<AppsEvent | AppEvent> = {
  name: 'ownedApps',
  version: 2,
  prefixes: [APPS_STREAM, 'app-'],
  collections: [ownedAppRows],
  apply: (event, rows) => {
    const { at } = event.metadata;
    switch (event.type) {
      case 'AppRegistered': {
        const { id, ...registration } = event.data;
        const row = { ...registration, id: String(id), number: id, revision: 1, createdAt: at };
        rows.put(ownedAppRows, { ...row, removed: false, removedAt: null });
        return;
      }
      case 'AppEdited': {
        const { id, ...edits } = event.data;
        return rows.update(ownedAppRows, String(id), (row) => ({ ...row, ...edits, revision: row.revision + 1 }));
      }
      case 'AppRemovalStarted':
        return rows.update(ownedAppRows, String(event.data.id), (row) => ({ ...row, removed: true, removedAt: at }));
      case 'AppRemoved':
        return;
      default:
        return unknownEvent(event);
    }
  },
};
