import { z } from 'zod';
import { characters } from './text';

/** In a POST, null for an optional member means that it is omitted. */
const optionalText = (name: string, longest: number) =>
  z
    .string(`The ${name} must be text.`)
    .check(characters(0, longest, `The ${name} must have at most ${longest} characters.`))
    .nullish()
    .transform((value) => value ?? undefined);

const bundleId = z.uuid('The bundle_id must be the bundleId of an update check, a UUID.').toLowerCase();
const error = optionalText('error', 500);

/** Body of `POST /api/v1/analytics/download`. */
export const downloadReportBody = z.object({
  bundle_id: bundleId,
  status: z.enum(['complete', 'failed'], 'The status must be complete or failed.'),
  error,
});

export const MAX_PREVIOUS_VERSION_LENGTH = 50;

/** Body of `POST /api/v1/analytics/install`. */
export const installReportBody = z.object({
  bundle_id: bundleId,
  status: z.enum(['complete', 'failed', 'rollback'], 'The status must be complete, failed or rollback.'),
  error,
  previous_version: optionalText('previous_version', MAX_PREVIOUS_VERSION_LENGTH),
});
