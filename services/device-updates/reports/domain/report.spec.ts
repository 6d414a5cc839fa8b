import fc from 'fast-check';
import { addDays, daysBetween } from './report';

const DAY_MS = 24 * 60 * 60 * 1000;

it('lists the days from one to another, both included', () => {
  expect(daysBetween('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect(daysBetween('2026-03-01', '2026-03-01')).toEqual(['2026-03-01']);
  expect(daysBetween('2026-03-02', '2026-03-01')).toEqual([]);
});

it('ends at the last day of the calendar too', () => {
  expect(daysBetween('9999-12-31', '9999-12-31')).toEqual(['9999-12-31']);
  expect(daysBetween('9999-12-30', '9999-12-31')).toEqual(['9999-12-30', '9999-12-31']);
});

it('lists as many days as lie between any two', () => {
  const day = fc.integer({ min: Date.UTC(1, 0, 1) / DAY_MS, max: Date.UTC(9999, 11, 31) / DAY_MS });
  fc.assert(
    fc.property(day, fc.integer({ min: -3, max: 400 }), (first, more) => {
      fc.pre(first + more <= Date.UTC(9999, 11, 31) / DAY_MS);
      const from = new Date(first * DAY_MS).toISOString().slice(0, 10);
      const days = daysBetween(from, addDays(from, more));
      expect(days).toHaveLength(Math.max(0, more + 1));
      expect(new Set(days).size).toBe(days.length);
      expect(days.slice().sort()).toEqual(days);
    }),
  );
});
