import { setTimeout as pause } from 'node:timers/promises';

/** How `eventually` measures time and lets it pass. */
export interface WaitClock {
  /** Milliseconds since any moment. */
  now(): number;
  pause(ms: number): Promise<unknown>;
}

const realClock: WaitClock = { now: () => performance.now(), pause };
const DEFAULT_MS = 25_000;
/** What a test needs to report the failure itself before Jest ends it without one. */
const REPORTING_MS = 1_000;

declare global {
  /** When the running test or hook times out, in `performance.now()`; from the Jest environment of the tests. */
  var testEndsAt: number | undefined;
}

export interface EventuallyOptions {
  /** For how long failures are tolerated. By default until shortly before the test or hook times out. */
  readonly withinMs?: number;
  /** Between the end of a check and the start of the next one. */
  readonly everyMs?: number;
  readonly clock?: WaitClock;
}

/**
 * Repeats `check` until it passes. It fails by throwing, as `expect` does, or by returning `false`.
 *
 * @returns what `check` returned when it passed
 * @throws Error naming the last failure, its `cause`
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { clock = realClock, withinMs = timeLeft(clock), everyMs = 20 }: EventuallyOptions = {},
): Promise<Exclude<Result, false>> {
  const end = clock.now() + withinMs;
  for (;;) {
    let failure: unknown;
    try {
      const result = await check();
      if (result !== false) return result as Exclude<Result, false>;
      failure = new Error(`${check.toString()} is false.`);
    } catch (error) {
      failure = error;
    }
    if (clock.now() >= end) {
      const reason = failure instanceof Error ? failure.message : String(failure);
      throw new Error(`Still failing after ${withinMs} ms: ${reason}`, { cause: failure });
    }
    await clock.pause(everyMs);
  }
}

function timeLeft(clock: WaitClock): number {
  if (clock !== realClock || globalThis.testEndsAt === undefined) return DEFAULT_MS;
  return Math.round(globalThis.testEndsAt - clock.now()) - REPORTING_MS;
}
