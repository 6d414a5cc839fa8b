import { characters, devicePlatformSchema } from '@sluice/contracts';
import { FINGERPRINT, FINGERPRINT_RULE, ValidationError, WITHOUT_NUL, type Clock } from '@sluice/kernel';
import { MAX_QUERY_NUMBER } from '@sluice/http';
import { z } from 'zod';
import { channel, lenientVersion } from './schemas';

export const MAX_DEVICE_ID_LENGTH = 255;
const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** No reports exist before this day. */
const FIRST_DAY = '2000-01-01';

const day = (field: string) => z.iso.date(`The ${field} must be a day, for example 2026-01-31.`).optional();

/** Days are UTC. Default: the 30 days up to today. */
export const daysQuery = z.object({
  from: day('from').describe(
    `The first day. Default: ${DEFAULT_DAYS - 1} days before the last one. Not later than \`to\`, and at most ${MAX_DAYS} days in all.`,
  ),
  to: day('to').describe(`The last day. Default: today. Both are from ${FIRST_DAY} to ${MAX_DAYS} days from now.`),
});

const COMPARE_RULE = 'The compare must be the id of a build, for example 42.';

export const filesQuery = z.object({
  compare: z
    .preprocess(
      (text) => (typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : null),
      z.int(COMPARE_RULE).min(1, COMPARE_RULE).max(MAX_QUERY_NUMBER, COMPARE_RULE),
    )
    .optional()
    .describe(
      'The build to compare with. Default: the build of the same channel and platform with the next lower version.',
    ),
});

/** The id that a device sends as X-Device-ID. */
export const deviceId = z
  .string('The device is required. Send the id that the device sends as X-Device-ID.')
  .min(1, 'The device must not be empty.')
  .check(characters(1, MAX_DEVICE_ID_LENGTH, `The device must have at most ${MAX_DEVICE_ID_LENGTH} characters.`))
  .regex(WITHOUT_NUL, 'The device must not contain a NUL character.');

export const explainQuery = z.object({
  device: deviceId,
  version: lenientVersion(
    'The version is required. Send that of the bundle which the device runs.',
    'The version must be one like 1.2.3.',
  ),
  platform: z.enum(devicePlatformSchema.options, 'The platform must be ios, android, web or all.'),
  channel: channel
    .optional()
    .describe(
      'The channel that the device names: production, staging or development, or another channel of the app. Without it, the default channel of the app for the platform, else production.',
    ),
  app_version: z
    .string('The app_version must be text.')
    .check(characters(0, 255, 'The app_version must have at most 255 characters.'))
    .regex(WITHOUT_NUL, 'The app_version must not contain a NUL character.')
    .optional(),
  fingerprint: z
    .string('The fingerprint must be text.')
    .regex(FINGERPRINT, FINGERPRINT_RULE)
    .describe('As the device sends it in X-Native-Fingerprint.')
    .optional(),
  embedded_version: lenientVersion(
    'The embedded_version must be text.',
    'The embedded_version must be one like 1.2.3.',
  ).optional(),
  attributes: z
    .string('The attributes must be text.')
    .check(characters(0, 2_000, 'The attributes must have at most 2000 characters.'))
    .regex(WITHOUT_NUL, 'The attributes must not contain a NUL character.')
    .describe('What the device sends as X-Attr-{name}, written as in a query: plan=pro&os=17.2')
    .optional(),
});

/** The first and last requested day. @throws ValidationError that names the parameter as the client sent it */
export function daysOf(
  given: z.output<typeof daysQuery>,
  clock: Clock,
): { readonly from: string; readonly to: string } {
  const lastDay = dayOf(clock.now().getTime() + MAX_DAYS * DAY_MS);
  for (const field of ['from', 'to'] as const) {
    const asked = Date.parse(given[field] ?? FIRST_DAY);
    if (asked >= Date.parse(FIRST_DAY) && asked <= Date.parse(lastDay)) continue;
    throw new ValidationError({
      [field]: [`The ${field} must be a day from ${FIRST_DAY} to ${lastDay}. Received: ${given[field]}.`],
    });
  }
  const to = given.to ?? dayOf(clock.now().getTime());
  const from = given.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1) throw new ValidationError({ from: ['The from must not be later than the to.'] });
  if (days > MAX_DAYS) {
    throw new ValidationError({ from: [`The range must have at most ${MAX_DAYS} days.`] });
  }
  return { from, to };
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
