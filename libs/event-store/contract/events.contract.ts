import { randomUUID } from 'node:crypto';
import type { NewEvent, RecordedEvent } from '../port';

/** A word that no other test uses. */
export function newWord(): string {
  return `w${randomUUID().replaceAll('-', '')}`;
}

export function newStream(): string {
  return `${newWord()}-1`;
}

export function newEvent(type = 'Happened', data: object = { count: 1 }): NewEvent {
  const commandId = randomUUID();
  return {
    id: randomUUID(),
    type,
    data,
    metadata: {
      commandId,
      actor: 'token:1',
      correlationId: commandId,
      causationId: commandId,
      at: '2026-01-02T03:04:05.678Z',
    },
  };
}

export function newEvents(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, index) => newEvent('Happened', { index }));
}

/** Reads to the end. */
export async function all(events: AsyncIterable<RecordedEvent>): Promise<RecordedEvent[]> {
  const list: RecordedEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

/** What the promise rejected with; undefined when it resolved. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}
