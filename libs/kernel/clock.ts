export interface Clock {
  /** Wall-clock time: for people and for facts, never for measuring a duration. */
  now(): Date;
  /** Milliseconds that never run backwards: for durations, leases and deadlines. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => new Date(),
  monotonic: () => performance.now(),
};
