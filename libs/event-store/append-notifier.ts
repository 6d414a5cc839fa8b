import type { Position } from './port';

interface Waiter {
  readonly position: Position;
  readonly prefixes: readonly string[];
  readonly wake: () => void;
}

/** Wakes waiting readers when there are new events: own appends immediately, those of other processes by polling. */
export class AppendNotifier {
  readonly #waiting = new Set<Waiter>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly head: () => Position,
    private readonly pollMs: number,
  ) {}

  /** Resolves when a matching append was answered, the head moved past the position, or the signal aborts. */
  wait(position: Position, prefixes: readonly string[], signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const wake = () => {
        signal.removeEventListener('abort', wake);
        this.#waiting.delete(waiter);
        if (this.#waiting.size === 0) this.#stopPolling();
        resolve();
      };
      const waiter = { position, prefixes, wake };
      this.#waiting.add(waiter);
      signal.addEventListener('abort', wake);
      this.#timer ??= setInterval(() => this.#poll(), this.pollMs).unref();
    });
  }

  appended(streams: readonly string[]): void {
    for (const { prefixes, wake } of [...this.#waiting]) {
      if (streams.some((stream) => prefixes.some((prefix) => stream.startsWith(prefix)))) wake();
    }
  }

  #poll(): void {
    let head: Position;
    try {
      head = this.head();
    } catch {
      return; // The next round asks again.
    }
    for (const { position, wake } of [...this.#waiting]) if (head > position) wake();
  }

  #stopPolling(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
