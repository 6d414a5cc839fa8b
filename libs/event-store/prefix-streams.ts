import { type EventStore, type RecordedEvent, WrongExpectedRevisionError } from './port';

/**
 * A store in which every stream's name begins with `prefix`, unseen by those who use it: several
 * installations share one engine. It reads and follows the streams of its own prefix alone; the
 * head is the whole engine's.
 */
export function prefixStreams(store: EventStore, prefix: string): EventStore {
  if (prefix === '') return store;
  const inner = (stream: string) => prefix + stream;
  const outer = <E extends { readonly stream: string }>(event: E): E => ({
    ...event,
    stream: event.stream.slice(prefix.length),
  });
  async function* outerEvents(events: AsyncIterable<RecordedEvent>) {
    for await (const event of events) yield outer(event);
  }
  return {
    identity: () => store.identity(),
    head: () => store.head(),
    ...(store.product && { product: store.product }),
    close: () => store.close(),
    append: (stream, expected, events) =>
      store.append(inner(stream), expected, events).catch((error: unknown) => {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
        throw new WrongExpectedRevisionError(stream, error.expected, error.actual);
      }),
    readStream: (stream, options) => outerEvents(store.readStream(inner(stream), options)),
    readAll: ({ prefixes = [''], ...options } = {}) =>
      outerEvents(store.readAll({ ...options, prefixes: prefixes.map(inner) })),
    subscribe: ({ prefixes, handle, ...options }) =>
      store.subscribe({
        ...options,
        prefixes: prefixes.map(inner),
        handle: ({ events, position }) => handle({ events: events.map(outer), position }),
      }),
  };
}
