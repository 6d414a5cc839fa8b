import type { DomainEvent, JsonObject } from '@sluice/kernel';
import { mapEvents } from './map-events';
import type { EventStore } from './port';

/** What an event of a former type is read as. Pure, and total for every event that was ever written under that type. */
export type Upcaster = (data: JsonObject) => DomainEvent<string, JsonObject>;

/**
 * By the type that is stored. A meaning that changes gets a new type, and the former one an upcaster to it. Upcasters
 * chain: one leads to its successor alone, however many follow.
 */
export type Upcasters = Readonly<Record<string, Upcaster>>;

/** The event under its newest type; itself when no upcaster is of its type. */
export function upcast<Event extends DomainEvent<string, JsonObject>>(event: Event, upcasters: Upcasters): Event {
  const upcaster = Object.hasOwn(upcasters, event.type) ? upcasters[event.type] : undefined;
  return upcaster === undefined ? event : upcast({ ...event, ...upcaster(event.data) }, upcasters);
}

/**
 * A store whose readers meet each event under its newest type: deciders, projections and processes handle no former
 * ones. What is stored stays as it was written.
 */
export function upcastEvents(store: EventStore, upcasters: Upcasters): EventStore {
  if (Object.keys(upcasters).length === 0) return store;
  return mapEvents(store, (event) => upcast(event, upcasters));
}
