import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '@sluice/projections';
import { unknownEvent } from '@sluice/kernel';
import type { AppEvent, AppPolicy } from './domain/app';
import { APPS_STREAM, type AppRegistration, type AppsEvent } from './domain/apps';

/** Of its policy a row holds what the owner has changed. */
export interface AppRow extends Row, Omit<AppRegistration, 'id'>, Partial<AppPolicy> {
  /** The app's integer id, which `id` spells. */
  readonly number: number;
  readonly revision: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

export const appRows: Collection<AppRow> = {
  name: 'apps',
  indexes: [{ fields: ['ownerId', 'number'] }, { fields: ['number'] }],
};

/** An app whose removal has begun is as good as gone. */
export const appsProjection: Projection<AppsEvent | AppEvent> = {
  name: 'apps',
  version: 4,
  prefixes: [APPS_STREAM, 'app-'],
  collections: [appRows],
  apply: (event, rows) => {
    switch (event.type) {
      case 'AppRegistered': {
        const { id, ...registration } = event.data;
        rows.put(appRows, { ...registration, id: String(id), number: id, revision: 1, createdAt: event.metadata.at });
        return;
      }
      case 'AppEdited': {
        const { id, ...edits } = event.data;
        return rows.update(appRows, String(id), (row) => ({ ...row, ...edits, revision: row.revision + 1 }));
      }
      case 'AppRemovalStarted':
        rows.delete(appRows, String(event.data.id));
        return;
      case 'AppRemoved':
        return;
      default:
        return unknownEvent(event);
    }
  },
};
