import fc from 'fast-check';
import { isOpen, nextOpening } from './windows';

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

describe('the next opening', () => {
  it.each([
    ['2026-01-01T08:30:30.000Z', '2026-01-01T08:30:30.000Z'],
    // Thursday evening, and Friday evening.
    ['2026-01-01T16:00:00.000Z', '2026-01-02T08:00:00.000Z'],
    ['2026-01-02T16:00:00.000Z', '2026-01-05T08:00:00.000Z'],
    // Summer time begins at the weekend.
    ['2026-03-27T16:00:00.000Z', '2026-03-30T07:00:00.000Z'],
    ['2026-10-23T15:00:00.000Z', '2026-10-26T08:00:00.000Z'],
  ])('of %s in Berlin is %s', (at, opening) => {
    expect(nextOpening(weekdays, 'Europe/Berlin', at)).toBe(opening);
  });

  it('is the first minute in which a plan may enter a step', () => {
    const day = fc.constantFrom('mon', 'wed', 'thu', 'sun');
    // Outside of the hours in which clocks change.
    const hour = fc.integer({ min: 4, max: 22 });
    const window = fc
      .record({
        days: fc.uniqueArray(day, { minLength: 1, maxLength: 3 }),
        from: hour,
        minute: fc.nat(59),
        length: hour,
      })
      .map(({ days, from, minute, length }) => ({
        days,
        from: `${String(from).padStart(2, '0')}:${String(minute).padStart(2, '0')}`,
        to: `${String(Math.min(24, from + 1 + (length % 6))).padStart(2, '0')}:00`,
      }));
    const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe');
    // In the weeks in which clocks change too.
    const time = fc.integer({ min: Date.UTC(2026, 2, 1), max: Date.UTC(2026, 3, 10) });
    fc.assert(
      fc.property(fc.array(window, { minLength: 1, maxLength: 3 }), zone, time, (windows, timeZone, from) => {
        const at = new Date(from).toISOString();
        const opening = nextOpening(windows, timeZone, at)!;
        expect(opening >= at && isOpen(windows, timeZone, opening)).toBe(true);
        // Windows are longer than that.
        for (let minute = from; minute < Date.parse(opening); minute += 60_000 * 15) {
          expect([minute, isOpen(windows, timeZone, new Date(minute).toISOString())]).toEqual([minute, false]);
        }
        const before = new Date(Date.parse(opening) - 1).toISOString();
        if (before >= at) expect(isOpen(windows, timeZone, before)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
