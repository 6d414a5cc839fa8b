import type { EventBatch, Position, RecordedEvent } from '../port';

/** A stretch of the log in memory: the events behind `from`, up to `to`. It moves forward only. */
export class LogWindow {
  readonly #events: RecordedEvent[] = [];
  #from: Position;
  #to: Position;

  constructor(position: Position) {
    this.#from = this.#to = position;
  }

  get from(): Position {
    return this.#from;
  }

  get to(): Position {
    return this.#to;
  }

  /** Its size in the log: positions are places there. */
  get bytes(): number {
    return this.bytesBehind(this.#from);
  }

  /** From the position to its end. */
  bytesBehind(position: Position): number {
    return bytesAt(this.#to) - bytesAt(position);
  }

  /** What follows it. */
  add({ events, position }: EventBatch): void {
    this.#events.push(...events);
    this.#to = position;
  }

  /** Lets go of events until no more than so many bytes are held. */
  forget(bytes: number): void {
    const horizon = bytesAt(this.#to) - bytes;
    const kept = this.#events.findIndex(({ position }) => bytesAt(position) > horizon);
    const forgotten = this.#events.splice(0, kept === -1 ? this.#events.length : kept);
    this.#from = forgotten.at(-1)?.position ?? this.#from;
  }

  /** The matching events behind `after`, `limit` of them at most; undefined when the stretch begins later. */
  page(after: Position, prefixes: readonly string[], limit: number): EventBatch | undefined {
    if (after < this.#from) return undefined;
    const events: RecordedEvent[] = [];
    for (let index = firstBehind(this.#events, after); index < this.#events.length; index += 1) {
      const event = this.#events[index];
      if (!event || !prefixes.some((prefix) => event.stream.startsWith(prefix))) continue;
      events.push(event);
      if (events.length === limit) return { events, position: event.position };
    }
    return { events, position: this.#to > after ? this.#to : after };
  }
}

function bytesAt(position: Position): number {
  return Number(position.split('.', 1)[0]);
}

/** By halving: the events are in order. */
function firstBehind(events: readonly RecordedEvent[], after: Position): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.position ?? after) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}
