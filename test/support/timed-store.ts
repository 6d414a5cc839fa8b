import type { EventStore } from '@sluice/event-store';

/** A store whose own time is the test's: that of events in streams, as deciders read them. @param now milliseconds since the epoch */
export function withTime(store: EventStore, now: () => number): EventStore {
  const times = new Map<string, string>();
  return new Proxy(store, {
    get(target, name) {
      if (name === 'append') {
        return async (...[stream, revision, added]: Parameters<EventStore['append']>) => {
          for (const { id } of added) times.set(id, times.get(id) ?? new Date(now()).toISOString());
          return target.append(stream, revision, added);
        };
      }
      if (name === 'readStream') {
        return async function* (...given: Parameters<EventStore['readStream']>) {
          for await (const event of target.readStream(...given)) {
            yield { ...event, recordedAt: times.get(event.id) ?? event.recordedAt };
          }
        };
      }
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? (member.bind(target) as unknown) : member;
    },
  });
}
