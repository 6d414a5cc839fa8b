import { isOpen } from './windows';

const weekdays = [{ days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '09:00', to: '17:00' }] as const;

it('is always open without windows', () => {
  expect(isOpen([], 'UTC', '2026-01-01T00:00:00.000Z')).toBe(true);
});

it.each([
  ['2026-01-01T08:00:00.000Z', true],
  ['2026-01-01T07:59:59.999Z', false],
  ['2026-01-01T15:59:59.999Z', true],
  ['2026-01-01T16:00:00.000Z', false],
  ['2026-01-03T10:00:00.000Z', false],
  // Summer time: one hour earlier in UTC.
  ['2026-07-01T07:00:00.000Z', true],
  ['2026-07-01T15:00:00.000Z', false],
])('asks the clock of its time zone: %s', (at, open) => {
  expect(isOpen(weekdays, 'Europe/Berlin', at)).toBe(open);
});

it('is open until the end of the day, and from its beginning', () => {
  const night = [
    { days: ['wed'], from: '22:00', to: '24:00' },
    { days: ['thu'], from: '00:00', to: '02:00' },
  ] as const;
  for (const at of ['2025-12-31T22:00:00Z', '2025-12-31T23:59:59Z', '2026-01-01T00:00:00Z', '2026-01-01T01:59:59Z']) {
    expect(isOpen(night, 'UTC', at)).toBe(true);
  }
  expect(isOpen(night, 'UTC', '2026-01-01T02:00:00Z')).toBe(false);
});
