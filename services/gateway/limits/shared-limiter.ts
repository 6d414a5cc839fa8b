import type { Collection, Row, Rows, StateStore } from '@sluice/document-store';
import { withTimeout } from '@sluice/kernel';
import { LRUCache } from 'lru-cache';

/** What was used of one limit by one subject, until its window ends. */
interface Usage extends Row {
  readonly used: number;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

export const limitUsage: Collection<Usage> = { name: 'limitUsage', indexes: [{ fields: ['endsAt'] }] };

export interface LimitOptions {
  /** How many in a window. */
  readonly points: number;
  /** Seconds of a window; the first use begins it. */
  readonly duration: number;
  /** Separates the limits of one store. */
  readonly keyPrefix: string;
}

/** A subject's budget after one use. */
export interface Budget {
  /** Uses in this window, rejected ones included. */
  readonly consumedPoints: number;
  readonly remainingPoints: number;
  /** Milliseconds until the window ends. */
  readonly msBeforeNext: number;
}

export interface Limiter {
  /** How many in a window. */
  readonly points: number;
  /** Counts one use. It is refused when `consumedPoints` exceeds `points`. */
  consume(subject: string | number): Promise<Budget>;
  /** Takes one use back. */
  credit(subject: string | number): Promise<void>;
}

function budget(points: number, used: number, msBeforeNext: number): Budget {
  return { consumedPoints: used, remainingPoints: Math.max(points - used, 0), msBeforeNext };
}

/** Of the subjects that a process counts itself; beyond it those go first that were not heard of for longest. */
const COUNTED_SUBJECTS = 100_000;

/** A budget of this process alone, in bounded memory. */
export function memoryLimiter({ points, duration }: LimitOptions, subjects = COUNTED_SUBJECTS): Limiter {
  // Not before it is needed: a cache reserves its memory when it is made.
  let cache: LRUCache<string | number, { used: number; readonly endsAt: number }> | undefined;
  return {
    points,
    consume(subject) {
      const counted = (cache ??= new LRUCache({ max: subjects }));
      const now = performance.now();
      let usage = counted.get(subject);
      if (usage === undefined || usage.endsAt <= now) {
        usage = { used: 0, endsAt: now + duration * 1_000 };
        counted.set(subject, usage);
      }
      usage.used += 1;
      return Promise.resolve(budget(points, usage.used, usage.endsAt - now));
    },
    credit(subject) {
      const usage = cache?.get(subject);
      if (usage !== undefined) usage.used = Math.max(usage.used - 1, 0);
      return Promise.resolve();
    },
  };
}

interface Waiting {
  readonly resolve: (usage: Usage) => void;
  readonly reject: (error: unknown) => void;
}

/** A state store that is silent so long counts as away. */
const PATIENCE_MS = 1_000;
const REMEMBERED_SUBJECTS = 10_000;

/**
 * One budget for all processes, in the state store. Uses that come while one is being written are
 * written together, and a spent budget is refused from memory. While the store is unavailable, each process
 * counts for itself.
 */
export class SharedLimiter implements Limiter {
  readonly points: number;
  private readonly rows: Rows<Usage>;
  private readonly insurance: Limiter;
  private readonly spent = new LRUCache<string, Usage>({ max: REMEMBERED_SUBJECTS });
  /** By key: those who wait for the next write. A key that is there is being written. */
  private readonly waiting = new Map<string, Waiting[]>();

  constructor(
    state: StateStore,
    private readonly options: LimitOptions,
  ) {
    this.points = options.points;
    this.rows = state.rows(limitUsage);
    this.insurance = memoryLimiter(options);
  }

  async consume(subject: string | number): Promise<Budget> {
    const key = `${this.options.keyPrefix}:${subject}`;
    const spent = this.spent.get(key);
    if (spent !== undefined && spent.endsAt > Date.now()) return this.told(spent);
    const usage = await withTimeout(this.count(key), PATIENCE_MS).catch(() => undefined);
    if (usage === undefined) return this.insurance.consume(subject);
    if (usage.used > this.points) this.spent.set(key, usage);
    return this.told(usage);
  }

  async credit(subject: string | number): Promise<void> {
    const credited = this.takeBack(`${this.options.keyPrefix}:${subject}`).then(() => true);
    if (!(await withTimeout(credited, PATIENCE_MS).catch(() => false))) await this.insurance.credit(subject);
  }

  private async takeBack(key: string): Promise<void> {
    await this.rows.update(key, (row) =>
      row === undefined || row.used === 0 || row.endsAt <= Date.now() ? undefined : { ...row, used: row.used - 1 },
    );
  }

  private told({ used, endsAt }: Usage): Budget {
    return budget(this.points, used, Math.max(endsAt - Date.now(), 0));
  }

  private count(key: string): Promise<Usage> {
    return new Promise((resolve, reject) => {
      const waiting = this.waiting.get(key);
      if (waiting !== undefined) waiting.push({ resolve, reject });
      else void this.writeInTurn(key, [{ resolve, reject }]);
    });
  }

  private async writeInTurn(key: string, first: Waiting[]): Promise<void> {
    for (let turn = first; turn.length > 0; turn = this.waiting.get(key) ?? []) {
      this.waiting.set(key, []);
      try {
        const after = await this.add(key, turn.length);
        const before = after.used - turn.length;
        turn.forEach(({ resolve }, index) => resolve({ ...after, used: before + index + 1 }));
      } catch (error) {
        for (const { reject } of turn) reject(error);
      }
    }
    this.waiting.delete(key);
  }

  private add(key: string, uses: number): Promise<Usage> {
    return this.rows.update(key, (row) => {
      const now = Date.now();
      const fresh = { used: 0, endsAt: now + this.options.duration * 1_000 };
      const current = row !== undefined && row.endsAt > now ? row : fresh;
      return { id: key, used: current.used + uses, endsAt: current.endsAt };
    });
  }
}

/** Deletes what counts no longer; answers how many rows. */
export function sweepLimits(state: StateStore): Promise<number> {
  return state.rows(limitUsage).deleteWhere({ endsAt: { lte: Date.now() } });
}
