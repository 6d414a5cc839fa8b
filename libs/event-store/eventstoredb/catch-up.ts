import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { EventBatch, Position } from '../port';
import { LogWindow } from './log-window';

/** What a subscription that is behind the log's end still lacks. */
export interface Wanted {
  /** Exclusive. */
  readonly after: Position;
  /** A position of the log's past. */
  readonly goal: Position;
  readonly prefixes: readonly string[];
}

/** Reads what is wanted, in batches, up to the goal or until the signal aborts. Positions never go back. */
export type ReadWanted = (wanted: Wanted, signal: AbortSignal) => AsyncIterable<EventBatch>;

/** Subscriptions that begin within so short a time are read for together, as those of a process that starts. */
const GATHER_MS = 25;
/** How much of the log is held for the slower ones. */
const HELD_BYTES = 8 * 1024 * 1024;
/** A subscription that holds up the others for longer continues by a read of its own. */
const SLOW_MS = 2_000;

/** Reads the log once for all subscriptions of the process that are behind its end together. */
export class CatchUp {
  readonly #rounds = new Set<Round>();

  constructor(private readonly read: ReadWanted) {}

  /** Batches up to the goal or beyond it. Ends early with the signal. @throws what the read throws */
  async *batches(wanted: Wanted, maxBatch: number, signal: AbortSignal): AsyncGenerator<EventBatch> {
    const { prefixes, goal } = wanted;
    for (let position = wanted.after; position < goal && !signal.aborted;) {
      const round = this.#roundFor({ ...wanted, after: position });
      const reader = round.join(position);
      const stop = () => reader.wake();
      signal.addEventListener('abort', stop);
      try {
        for (;;) {
          const page = await round.page(reader, prefixes, maxBatch, signal);
          if (page === undefined) break;
          position = page.position;
          yield page;
          if (position >= goal) return;
          await nextTurn();
        }
      } finally {
        signal.removeEventListener('abort', stop);
        round.leave(reader);
      }
    }
  }

  #roundFor(wanted: Wanted): Round {
    for (const round of this.#rounds) if (round.admits(wanted)) return round;
    const round = new Round(wanted, this.read, () => this.#rounds.delete(round));
    this.#rounds.add(round);
    return round;
  }
}

interface Reader {
  /** Has been given everything up to here. */
  position: Position;
  /** Held up the others. */
  left: boolean;
  wake: () => void;
}

/** One read of the log, for those who joined it in time. */
class Round {
  readonly #readers = new Set<Reader>();
  readonly #prefixes: Set<string>;
  readonly #over = new AbortController();
  #after: Position;
  #goal: Position;
  #window: LogWindow | undefined;
  #ended = false;
  #fault: Error | undefined;
  /** Wakes the read, which waits for its readers. */
  #advanced: () => void = () => undefined;

  constructor({ after, goal, prefixes }: Wanted, read: ReadWanted, ended: () => void) {
    this.#after = after;
    this.#goal = goal;
    this.#prefixes = new Set(prefixes);
    void this.#run(read)
      .catch((error: unknown) => (this.#fault = error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        this.#ended = true;
        ended();
        for (const { wake } of this.#readers) wake();
      });
  }

  /** Whether this is in it, or to come. A round that has not begun takes it in. */
  admits({ after, goal, prefixes }: Wanted): boolean {
    if (this.#ended || this.#over.signal.aborted) return false;
    if (this.#window !== undefined) {
      return after >= this.#window.from && prefixes.every((prefix) => this.#prefixes.has(prefix));
    }
    if (after < this.#after) this.#after = after;
    if (goal > this.#goal) this.#goal = goal;
    for (const prefix of prefixes) this.#prefixes.add(prefix);
    return true;
  }

  join(position: Position): Reader {
    const reader: Reader = { position, left: false, wake: () => undefined };
    this.#readers.add(reader);
    return reader;
  }

  leave(reader: Reader): void {
    this.#readers.delete(reader);
    this.#advanced();
    if (this.#readers.size === 0) this.#over.abort();
  }

  /** What follows, once there is something; undefined when the round is over, or continued without the reader. */
  async page(
    reader: Reader,
    prefixes: readonly string[],
    limit: number,
    signal: AbortSignal,
  ): Promise<EventBatch | undefined> {
    while (!signal.aborted && !reader.left) {
      const page = this.#window?.page(reader.position, prefixes, limit);
      if (page === undefined && this.#window !== undefined) return undefined;
      if (page !== undefined && page.position > reader.position) {
        reader.position = page.position;
        this.#advanced();
        return page;
      }
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => (reader.wake = resolve));
    }
    return undefined;
  }

  async #run(read: ReadWanted): Promise<void> {
    await delay(GATHER_MS);
    const window = (this.#window = new LogWindow(this.#after));
    const wanted = { after: this.#after, goal: this.#goal, prefixes: [...this.#prefixes] };
    for await (const batch of read(wanted, this.#over.signal)) {
      window.add(batch);
      for (const { wake } of this.#readers) wake();
      if (window.bytes > HELD_BYTES) await this.#makeRoom(window);
    }
  }

  /** Waits for the slower ones, but not for long. */
  async #makeRoom(window: LogWindow): Promise<void> {
    const slower = () => [...this.#readers].filter(({ position }) => window.bytesBehind(position) > HELD_BYTES / 2);
    const goOn = setInterval(() => {
      const left = slower();
      // No reader is left.
      if (left.length === this.#readers.size) return;
      for (const reader of left) {
        reader.left = true;
        this.#readers.delete(reader);
      }
      this.#advanced();
    }, SLOW_MS);
    while (slower().length > 0) await new Promise<void>((resolve) => (this.#advanced = resolve));
    clearInterval(goOn);
    window.forget(HELD_BYTES / 2);
  }
}
