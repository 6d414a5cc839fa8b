import type { EventStore, RecordedEvent } from './port';

/**
 * A store whose streams all begin with `prefix` in the engine and without it here: several
 * installations on one cluster (EVENT_STORE_PREFIX).
 */
export function prefixStreams(store: EventStore, prefix: string): EventStore {
  if (prefix === '') return store;

  const inner = (event: RecordedEvent): RecordedEvent => ({ ...event, stream: event.stream.slice(prefix.length) });
  const outer = (prefixes: readonly string[] = ['']): string[] => prefixes.map((name) => prefix + name);
  async function* strip(events: AsyncIterable<RecordedEvent>): AsyncGenerator<RecordedEvent> {
    for await (const event of events) yield inner(event);
  }

  return {
    identity: () => store.identity(),
    append: (stream, expected, events) => store.append(prefix + stream, expected, events),
    readStream: (stream, options) => strip(store.readStream(prefix + stream, options)),
    readAll: (options) => strip(store.readAll({ ...options, prefixes: outer(options?.prefixes) })),
    head: () => store.head(),
    subscribe: (options) =>
      store.subscribe({
        ...options,
        prefixes: outer(options.prefixes),
        handle: (batch) => options.handle({ ...batch, events: batch.events.map(inner) }),
      }),
    close: () => store.close(),
  };
}
