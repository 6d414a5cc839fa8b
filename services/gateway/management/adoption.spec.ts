import { validate } from '@sluice/http';
import { ValidationError, type Clock } from '@sluice/kernel';
import { daysOf, daysQuery, explainQuery } from './adoption';

const readDays = (query: unknown, clock: Clock) => daysOf(validate(daysQuery, query), clock);

const clock = { now: () => new Date('2026-03-31T12:00:00Z') } as Clock;
const faults = (query: object): object => {
  try {
    return readDays(query, clock);
  } catch (error) {
    if (error instanceof ValidationError) return error.errors;
    throw error;
  }
};

it('takes the last 30 days unless others are given', () => {
  expect(readDays({}, clock)).toEqual({ from: '2026-03-02', to: '2026-03-31' });
  expect(readDays({ to: '2000-01-01' }, clock)).toEqual({ from: '1999-12-03', to: '2000-01-01' });
  expect(readDays({ from: '2026-03-01', to: '2027-03-01' }, clock)).toEqual({ from: '2026-03-01', to: '2027-03-01' });
});

it.each([
  ['to', '9999-12-31'],
  ['to', '0000-01-15'],
  ['to', '1999-12-31'],
  ['to', '2027-04-02'],
  ['from', '9999-12-31'],
  ['from', '0000-01-01'],
])('rejects a %s of %s, outside of every calendar, by the name that was sent', (field, day) => {
  const rule = `The ${field} must be a day from 2000-01-01 to 2027-04-01. Received: ${day}.`;
  expect(faults({ [field]: day })).toEqual({ [field]: [rule] });
});

it('rejects a stretch that is backwards or too long', () => {
  expect(faults({ from: '2026-03-31', to: '2026-03-30' })).toHaveProperty('from');
  expect(faults({ from: '2025-03-30', to: '2026-03-31' })).toEqual({
    from: ['The range must have at most 366 days.'],
  });
  expect(faults({ from: '2026-02-30' })).toEqual({ from: ['The from must be a day, for example 2026-01-31.'] });
});

it('rejects a device whose id holds NUL', () => {
  const query = { device: 'a\0b', version: '1.0.0', platform: 'ios' };
  expect(explainQuery.safeParse(query).error?.issues.map(({ path }) => path.join('.'))).toEqual(['device']);
});
