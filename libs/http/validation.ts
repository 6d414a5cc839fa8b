import { toValidationError } from '@sluice/contracts';
import { z } from 'zod';

/**
 * Reads a value by a schema.
 * @throws ValidationError with the messages of each field, 100 of them at most; a fault of the whole is under `body`
 */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw toValidationError(parsed.error);
}

/**
 * Reads a JSON body, where none that was sent counts as `{}`: it suffices exactly where no member is required.
 * @throws ValidationError
 */
export function validateBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  return validate(schema, body === undefined ? {} : body);
}

/** The highest whole number that a query may hold: it has 15 digits. */
export const MAX_QUERY_NUMBER = 999_999_999_999_999;

const wholeNumber = (fallback: number, min: number, max: number, rule: string) =>
  z
    .preprocess(
      (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : null),
      z.int(rule).min(min, rule).max(max, rule),
    )
    .default(fallback);

/** `page` and `per_page` of every list. Values out of bounds are rejected, never clamped. */
export const pageQuery = z
  .object({
    page: wholeNumber(1, 1, MAX_QUERY_NUMBER, 'The page must be a whole number of at least 1.'),
    per_page: wholeNumber(20, 1, 50, 'The per_page must be a whole number from 1 to 50.'),
  })
  .transform(({ page, per_page }) => ({ page, perPage: per_page }));

/** The `meta` of a list. */
export const pageMetaSchema = z.object({
  current_page: z.int().min(1),
  last_page: z.int().min(1),
  per_page: z.int().min(1),
  total: z.int().min(0),
});

/** Of one page out of `total` items. */
export function pageMeta(page: { page: number; perPage: number }, total: number): z.infer<typeof pageMetaSchema> {
  return {
    current_page: page.page,
    last_page: Math.max(1, Math.ceil(total / page.perPage)),
    per_page: page.perPage,
    total,
  };
}
