import type { Collection, Projection, Row } from '@sluice/document-store';
import { UnknownEventError } from '@sluice/kernel';
import { APPS_STREAM, type AppRegistered, type AppRegistration } from '../domain/apps';

export interface AppRow extends Row, Omit<AppRegistration, 'id'> {
  /** The app's integer id, which `id` spells. */
  readonly number: number;
  /** ISO 8601. */
  readonly createdAt: string;
}

export const appRows: Collection<AppRow> = { name: 'apps', indexes: [{ fields: ['ownerId', 'number'] }] };

export const appsProjection: Projection<AppRegistered> = {
  name: 'apps',
  version: 1,
  prefixes: [APPS_STREAM],
  collections: [appRows],
  apply: (event, rows) => {
    const type: string = event.type;
    if (type !== 'AppRegistered') throw new UnknownEventError(type);
    const { id, ...registration } = event.data;
    rows.put(appRows, { ...registration, id: String(id), number: id, createdAt: event.metadata.at });
  },
};
