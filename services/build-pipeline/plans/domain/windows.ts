import type { PlanWindow } from './plan-events';

/** Whether a plan may enter a step at this time. @param at ISO 8601 */
export function isOpen(windows: readonly PlanWindow[], timeZone: string, at: string): boolean {
  if (windows.length === 0) return true;
  const { day, time } = localTime(timeZone, at);
  return windows.some(({ days, from, to }) => days.some((each) => each === day) && time >= from && time < to);
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
