const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const secondsTo = (time: string, now: number): number => (Date.parse(time) - now) / 1_000;

/** Whether its words change from second to second. */
export const isYoung = (time: string, now: number): boolean => Math.abs(secondsTo(time, now)) < 90;

/**
 * How long from `now`, in the largest unit that fits; undefined: less than 10 seconds.
 * @param ahead the time may be in the future; else the clock of the server is ahead of that of the browser
 */
export function ago(time: string, now: number, ahead: boolean): string | undefined {
  const seconds = ahead ? secondsTo(time, now) : Math.min(0, secondsTo(time, now));
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return Math.abs(seconds) < 10 ? undefined : relative.format(Math.round(seconds / size), unit);
}
