import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '@sluice/projections';
import { unknownEvent } from '@sluice/kernel';
import type { OwnerEvent, Suspension } from './domain/owner';

export interface OwnerRow extends Row {
  /** The owner's integer id, which `id` spells. */
  readonly number: number;
  readonly name: string;
  /** ISO 8601; `keyRotatedAt` is null before the first rotation. */
  readonly keyRotatedAt: string | null;
  readonly createdAt: string;
  /** Null while it is not suspended. */
  readonly suspended: (Suspension & { readonly at: string }) | null;
}

export const ownerRows: Collection<OwnerRow> = { name: 'owners', indexes: [{ fields: ['number'] }] };

export const ownersProjection: Projection<OwnerEvent> = {
  name: 'owners',
  version: 2,
  prefixes: ['owner-'],
  collections: [ownerRows],
  apply: (event, rows) => {
    const { at } = event.metadata;
    switch (event.type) {
      case 'OwnerCreated': {
        const { id, name } = event.data;
        rows.put(ownerRows, { id: String(id), number: id, name, keyRotatedAt: null, createdAt: at, suspended: null });
        return;
      }
      case 'OwnerKeyRotated':
        return rows.update(ownerRows, String(event.data.id), (row) => ({ ...row, keyRotatedAt: at }));
      case 'OwnerSuspended': {
        const { id, reason, stopDevices } = event.data;
        return rows.update(ownerRows, String(id), (row) => ({ ...row, suspended: { at, reason, stopDevices } }));
      }
      case 'OwnerResumed':
        return rows.update(ownerRows, String(event.data.id), (row) => ({ ...row, suspended: null }));
      default:
        return unknownEvent(event);
    }
  },
};
