import { MAX_QUERY_NUMBER } from '@sluice/http';
import { ValidationError, type Clock } from '@sluice/kernel';
import { z } from 'zod';

/** A time in a query. */
export const timeText = (field: string) =>
  z.iso.datetime({
    offset: true,
    error: `The ${field} must be a time with its offset, for example 2026-01-31T12:00:00Z.`,
  });

/** Query of a build, or of the list of builds: returns their past state. */
export const asOfQuery = z.object({ as_of: timeText('as_of').describe('Not in the future.').optional() });

/** Filters of every history. */
export const entryFilter = z.object({
  type: z
    .string()
    .regex(/^[A-Z][A-Za-z]{0,63}$/, 'The type must be that of an event, for example BuildPaused.')
    .optional(),
  actor: z
    .string()
    .regex(
      /^(?:token:\d{1,15}|owner:\d{1,15}|system:[\w.-]{1,64})$/,
      'The actor must be token:ID, owner:ID or system:NAME.',
    )
    .optional(),
});

/** Filters of a build's history. */
export const buildHistoryQuery = entryFilter
  .extend({
    from: timeText('from').describe('Not later than `to`.').optional(),
    to: timeText('to').optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || Date.parse(from) <= Date.parse(to), {
    path: ['from'],
    error: 'The from must not be later than the to.',
  });

/** Filter of an app's history: only that of one build. */
export const buildFilter = z.object({
  build: z
    .preprocess(
      (text) => (typeof text === 'string' && /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null),
      z.int('The build must be the id of a build.').min(1).max(MAX_QUERY_NUMBER),
    )
    .optional(),
});

/** The query's `as_of`. @throws ValidationError when it is in the future */
export function notInFuture(asOf: string | undefined, clock: Clock): string | undefined {
  if (asOf !== undefined && Date.parse(asOf) > clock.now().getTime()) {
    throw new ValidationError({ as_of: ['The as_of must not be in the future.'] });
  }
  return asOf;
}
