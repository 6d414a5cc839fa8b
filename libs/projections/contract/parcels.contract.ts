import type { EventStore, NewEvent, Position } from '@sluice/event-store';
import { type DomainEvent, newUlid, stableUuid, UnknownEventError } from '@sluice/kernel';
import type { DocumentStoreFixture } from '../../document-store/contract/document-store.contract';
import type { Collection, Row } from '@sluice/document-store';
import type { Projection } from '../projection';

/** Stores for suites that need events as well: every call opens one more handle on the same data. */
export interface StoresFixture {
  readonly events: () => Promise<EventStore>;
  /** An event store of its own, empty. */
  readonly otherEvents: () => Promise<EventStore>;
  readonly documents: DocumentStoreFixture['open'];
  readonly remove: () => Promise<void>;
}

export type ParcelEvent =
  | DomainEvent<'Sent', { readonly id: string; readonly depot: string }>
  | DomainEvent<'Weighed', { readonly id: string; readonly grams: number }>
  | DomainEvent<'Moved', { readonly id: string; readonly depot: string }>
  | DomainEvent<'Delivered', { readonly id: string }>
  | DomainEvent<'DepotClosed', { readonly depot: string }>;

export interface Parcel extends Row {
  readonly depot: string;
  readonly grams: number;
  readonly moves: number;
}

export const PARCELS: Collection<Parcel> = { name: 'parcels', indexes: [{ fields: ['depot'] }] };

export const parcels: Projection<ParcelEvent> = {
  name: 'parcels',
  version: 1,
  prefixes: ['parcel-', 'depot-'],
  collections: [PARCELS],
  apply: (event, rows) => {
    switch (event.type) {
      case 'Sent':
        rows.put(PARCELS, { id: event.data.id, depot: event.data.depot, grams: 0, moves: 0 });
        return undefined;
      case 'Weighed':
        return rows.update(PARCELS, event.data.id, (row) => ({ ...row, grams: event.data.grams }));
      case 'Moved': {
        const { id, depot } = event.data;
        return rows.update(PARCELS, id, (row) => ({ ...row, depot, moves: row.moves + 1 }));
      }
      case 'Delivered':
        rows.delete(PARCELS, event.data.id);
        return undefined;
      case 'DepotClosed':
        return rows.deleteWhere(PARCELS, { depot: event.data.depot });
      default:
        throw new UnknownEventError((event as DomainEvent).type);
    }
  },
};

export const sent = (id: string, depot = 'north'): ParcelEvent => ({ type: 'Sent', data: { id, depot } });
export const moved = (id: string, depot = 'south'): ParcelEvent => ({ type: 'Moved', data: { id, depot } });

/** Appends to a stream of its own; answers the position of the last event. */
export async function append(
  events: EventStore,
  happened: readonly DomainEvent[],
  prefix = 'parcel-',
): Promise<Position> {
  const stream = `${prefix}${newUlid()}`;
  const newEvents = happened.map(({ type, data }, at): NewEvent => ({
    ...{ id: stableUuid(stream, at), type, data },
    metadata: {
      ...{ commandId: stream, correlationId: stream, causationId: stream },
      ...{ actor: 'system:test', at: '2026-01-01T00:00:00.000Z' },
    },
  }));
  return (await events.append(stream, 'none', newEvents)).position;
}

/** A promise and how to settle it. */
export function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}
