import type { PlanWindow } from './plan-events';

/** Whether a plan may enter a step at this time. @param at ISO 8601 */
export function isOpen(windows: readonly PlanWindow[], timeZone: string, at: string): boolean {
  if (windows.length === 0) return true;
  const { day, time } = localTime(timeZone, at);
  return windows.some(({ days, from, to }) => days.some((each) => each === day) && time >= from && time < to);
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** The earliest time, not before this one, at which a plan may enter a step. @param at ISO 8601 */
export function nextOpening(windows: readonly PlanWindow[], timeZone: string, at: string): string | undefined {
  if (isOpen(windows, timeZone, at)) return at;
  const from = Math.ceil(Date.parse(at) / MINUTE_MS) * MINUTE_MS;
  const now = minuteOfWeek(localTime(timeZone, new Date(from).toISOString()));
  const openings = windows.flatMap((window) => window.days.map((day) => minuteOfWeek({ day, time: window.from })));
  const times = openings.flatMap((minute) => {
    const guess = from + modulo(minute - now, 7 * DAY_MINUTES) * MINUTE_MS;
    // The clocks may change in between.
    const shown = minuteOfWeek(localTime(timeZone, new Date(guess).toISOString()));
    const off = modulo(minute - shown + 3.5 * DAY_MINUTES, 7 * DAY_MINUTES) - 3.5 * DAY_MINUTES;
    return [guess, guess + off * MINUTE_MS];
  });
  times.sort((one, other) => one - other);
  const opens = times.map((time) => new Date(time).toISOString());
  return opens.find((time) => time >= at && isOpen(windows, timeZone, time));
}

function minuteOfWeek({ day, time }: { readonly day: string; readonly time: string }): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return DAYS.indexOf(day) * DAY_MINUTES + hours * 60 + minutes;
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function localTime(timeZone: string, at: string): { readonly day: string; readonly time: string } {
  let format = formats.get(timeZone);
  if (format === undefined) {
    const parts = { weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone, ...parts });
    formats.set(timeZone, format);
  }
  const parts = new Map(format.formatToParts(new Date(at)).map(({ type, value }) => [type, value]));
  return { day: (parts.get('weekday') ?? '').toLowerCase(), time: `${parts.get('hour')}:${parts.get('minute')}` };
}
