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
  /** For how long the check may fail. By default until shortly before the test or hook times out. */
  readonly withinMs?: number;
  /** Between the end of a check and the start of the next one. */
  readonly everyMs?: number;
  readonly clock?: WaitClock;
}

/**
 * Repeats `check` until it returns anything but `false` or `undefined`. A check that throws is not repeated, so it can
 * also assert what must be true all the while.
 *
 * @returns what `check` returned when it passed
 * @throws what `check` throws; Error naming the check when the time is over
 */
export async function eventually<Result>(
  check: () => Result | Promise<Result>,
  { clock = realClock, withinMs = timeLeft(clock), everyMs = 20 }: EventuallyOptions = {},
): Promise<Exclude<Result, false | undefined>> {
  const end = clock.now() + withinMs;
  for (;;) {
    const result = await check();
    if (result !== false && result !== undefined) return result as Exclude<Result, false | undefined>;
    if (clock.now() >= end) throw new Error(`Still ${String(result)} after ${withinMs} ms: ${check.toString()}`);
    await clock.pause(everyMs);
  }
}

function timeLeft(clock: WaitClock): number {
  if (clock !== realClock || globalThis.testEndsAt === undefined) return DEFAULT_MS;
  return Math.round(globalThis.testEndsAt - clock.now()) - REPORTING_MS;
}
