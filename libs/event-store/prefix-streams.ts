import { mapEvents } from './map-events';
import { type EventStore, WrongExpectedRevisionError } from './port';

/**
 * A store in which every stream's name begins with `prefix`, unseen by those who use it: several
 * installations share one engine. It reads and follows the streams of its own prefix alone; the
 * head is the whole engine's.
 */
export function prefixStreams(store: EventStore, prefix: string): EventStore {
  if (prefix === '') return store;
  const inner = (stream: string) => prefix + stream;
  const outer = mapEvents(store, (event) => ({ ...event, stream: event.stream.slice(prefix.length) }));
  return {
    ...outer,
    append: (stream, expected, events) =>
      store.append(inner(stream), expected, events).catch((error: unknown) => {
        if (!(error instanceof WrongExpectedRevisionError)) throw error;
        throw new WrongExpectedRevisionError(stream, error.expected, error.actual);
      }),
    readStream: (stream, options) => outer.readStream(inner(stream), options),
    readAll: ({ prefixes = [''], ...options } = {}) => outer.readAll({ ...options, prefixes: prefixes.map(inner) }),
    subscribe: ({ prefixes, ...options }) => outer.subscribe({ ...options, prefixes: prefixes.map(inner) }),
  };
}
