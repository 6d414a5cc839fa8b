import type { Position } from '@sluice/event-store';

interface Waiter {
  readonly position: Position;
  readonly reached: () => void;
}

/** A position that moves forwards, and those who wait for it. */
export class PositionTracker {
  readonly #waiters = new Set<Waiter>();

  constructor(private current: Position) {}

  get value(): Position {
    return this.current;
  }

  moveTo(position: Position): void {
    if (position <= this.current) return;
    this.current = position;
    for (const waiter of this.#waiters) {
      if (waiter.position <= position) waiter.reached();
    }
  }

  /** Answers false when the position was not reached within the time. */
  async reached(position: Position, withinMs: number): Promise<boolean> {
    if (position <= this.current) return true;
    return new Promise((resolve) => {
      const settle = (reached: boolean): void => {
        clearTimeout(timer);
        this.#waiters.delete(waiter);
        resolve(reached);
      };
      const waiter = { position, reached: () => settle(true) };
      const timer = setTimeout(() => settle(false), withinMs);
      this.#waiters.add(waiter);
    });
  }
}
