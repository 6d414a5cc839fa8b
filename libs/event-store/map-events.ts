import type { EventStore, RecordedEvent } from './port';

/** A store whose readers and followers get each event as `map` makes it. What is stored stays as it was written. */
export function mapEvents(store: EventStore, map: (event: RecordedEvent) => RecordedEvent): EventStore {
  async function* mapped(events: AsyncIterable<RecordedEvent>) {
    for await (const event of events) yield map(event);
  }
  return {
    identity: () => store.identity(),
    head: () => store.head(),
    ...(store.product && { product: store.product }),
    close: () => store.close(),
    append: (stream, expected, events) => store.append(stream, expected, events),
    readStream: (stream, options) => mapped(store.readStream(stream, options)),
    readAll: (options) => mapped(store.readAll(options)),
    subscribe: ({ handle, ...options }) =>
      store.subscribe({
        ...options,
        handle: ({ events, position }) => handle({ events: events.map(map), position }),
      }),
  };
}
