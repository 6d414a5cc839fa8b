import { timeSchema } from '@sluice/contracts';
import { validate } from '@sluice/http';
import { ValidationError, type Clock } from '@sluice/kernel';
import { z } from 'zod';

/** A time in a query. */
export const timeText = (field: string) =>
  z
    .string()
    .refine(
      (text) => timeSchema.safeParse(text).success,
      `The ${field} must be a time with its offset, for example 2026-01-31T12:00:00Z.`,
    );

const asOfQuery = z.object({ as_of: timeText('as_of').optional() });

/** The query's `as_of`. @throws ValidationError when it is no time, or has not come yet */
export function readAsOf(query: unknown, clock: Clock): string | undefined {
  const { as_of: asOf } = validate(asOfQuery, query);
  if (asOf !== undefined && Date.parse(asOf) > clock.now().getTime()) {
    throw new ValidationError({ as_of: ['The as_of must not be in the future.'] });
  }
  return asOf;
}
