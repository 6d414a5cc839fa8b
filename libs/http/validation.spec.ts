import { repairListings, saveFeedSettings } from '@sluice/contracts';
import { ValidationError } from '@sluice/kernel';
import { z } from 'zod';
import { errorReply } from './error-reply';
import { validate, validateBody } from './validation';

function refusalOf(judge: () => unknown): ValidationError {
  try {
    judge();
  } catch (error) {
    if (error instanceof ValidationError) return error;
  }
  throw new Error('It was accepted.');
}

const names = z.object({ names: z.array(z.string('A name is text.')) });

describe('an input with many faults', () => {
  it('has every one of 100 listed', () => {
    const { errors, message } = refusalOf(() => validate(names, { names: Array(100).fill(0) }));
    expect([Object.keys(errors).length, message]).toEqual([100, 'The given data was invalid.']);
  });

  it('lists 100 of more, and reports how many there are', () => {
    const { errors, message } = refusalOf(() => validate(names, { names: Array(101).fill(0) }));
    expect(Object.keys(errors)).toHaveLength(100);
    expect(message).toBe('The given data was invalid. It has 101 faults; 100 of them are listed.');
  });

  it('has 100 unknown members listed where none may be sent', () => {
    const sent = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`m${at}`, at]));
    const { errors, message } = refusalOf(() => validate(z.strictObject({}), sent));
    expect(Object.keys(errors)).toHaveLength(100);
    expect(message).toContain('It has 5000 faults');
  });
});

it.each([
  [
    'category_mappings',
    () => validate(saveFeedSettings.request, { category_mappings: Array(340_000).fill({}) }),
    1_000,
  ],
  ['checks', () => validate(repairListings.request, { checks: Array(500_000).fill(0) }), 16],
])('judges how many %s there are before it looks at one', (field, judge, most) => {
  const refusal = refusalOf(judge);
  expect(refusal.errors).toEqual({ [field]: [`The ${field} must have at most ${most} entries.`] });
  expect(JSON.stringify(errorReply(refusal).body).length).toBeLessThan(200);
});

describe('a body that was not sent', () => {
  it('suffices where no member is required', () => {
    expect(validateBody(z.object({ name: z.string().optional() }), undefined)).toEqual({});
  });

  it('lists which members are required', () => {
    const { errors } = refusalOf(() => validateBody(z.object({ name: z.string('A name is required.') }), undefined));
    expect(errors).toEqual({ name: ['A name is required.'] });
  });

  it('is not what null is', () => {
    expect(Object.keys(refusalOf(() => validateBody(z.object({}), null)).errors)).toEqual(['body']);
  });
});
