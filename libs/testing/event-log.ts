import { EventEmitter } from 'node:events';

export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface LoggedEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: number;
  /** Commit and prepare position: where it begins in the log, in bytes. The first is at 0. */
  readonly position: bigint;
  /** Milliseconds since the epoch. */
  readonly created: number;
}

/** What a loopback server of EventStoreDB's protocol keeps, by the rules of EventStoreDB. */
export class EventLog {
  readonly events: LoggedEvent[] = [];
  /** Emits `append` for each append. */
  readonly appended = new EventEmitter().setMaxListeners(0);
  readonly #streams = new Map<string, LoggedEvent[]>();
  #end = 0n;

  stream(name: string): LoggedEvent[] {
    return [...(this.#streams.get(name) ?? [])];
  }

  /** Expected -1: no such stream. The same ids behind the same revision are a repeat. */
  append(
    stream: string,
    expected: number,
    events: readonly ProposedEvent[],
  ): { readonly last: LoggedEvent } | { readonly actual: number } {
    const present = this.#streams.get(stream) ?? [];
    const stored = present.slice(expected + 1, expected + 1 + events.length);
    const last = stored.at(-1);
    const repeated = stored.length === events.length && stored.every(({ id }, index) => id === events[index]?.id);
    if (last && repeated) return { last };
    if (expected !== present.length - 1) return { actual: present.length - 1 };
    for (const event of events) {
      const logged = { ...event, stream, revision: present.length, position: this.#end, created: Date.now() };
      present.push(logged);
      this.events.push(logged);
      this.#end += BigInt(200 + stream.length + event.data.length + event.metadata.length);
    }
    this.#streams.set(stream, present);
    this.appended.emit('append');
    const written = present.at(-1);
    return written ? { last: written } : { actual: -1 };
  }

  /** An event of the server itself, or of another of its users. */
  write(stream: string, type = 'Foreign', data: Uint8Array = Buffer.from('{}')): void {
    const contentType = 'application/json';
    const id = `00000000-0000-4000-8000-${String(this.events.length).padStart(12, '0')}`;
    const metadata = new Uint8Array();
    this.append(stream, this.stream(stream).length - 1, [{ id, type, contentType, data, metadata }]);
  }
}
