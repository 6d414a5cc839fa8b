import {
  attributeEditsSchema,
  audienceSchema,
  buildMetadataSchema,
  buildPlatformSchema,
  buildStatusSchema,
  byPlatform,
  channelAliasSchema,
  characters,
  defaultRolloutSchema,
  deliverySchema,
  importedKeySchema,
  keyPlatformSchema,
  platformSchema,
  signatureSchemeSchema,
  signingKeyRotationSchema,
  recallTargetSchema,
  ringSchema,
  VERSION_NUMBERS,
} from '@sluice/contracts';
import {
  BUNDLE_ID,
  BUNDLE_ID_RULE,
  BUNDLE_ID_TOO_LONG,
  coerceVersion,
  FINGERPRINT,
  FINGERPRINT_RULE,
  isEmptyRange,
  MAX_BUNDLE_ID_LENGTH,
  MAX_NAME_LENGTH,
  MAX_NATIVE_VERSION_LENGTH,
  MAX_RANGE_LENGTH,
  MAX_REASON_LENGTH,
  NAME_BLANK,
  NAME_TOO_LONG,
  NATIVE_RANGE_EMPTY,
  NATIVE_RANGE_RULE,
  NATIVE_VERSION_RULE,
  NATIVE_VERSION_TOO_LONG,
  NOT_BLANK,
  ONE_NATIVE_RULE,
  parseRange,
  REASON_RULE,
  RELEASE_VERSION,
  RELEASE_VERSION_RULE,
  VERSION_START,
} from '@sluice/kernel';
import { z } from 'zod';
import { channelField } from './app-channels';
import { planOfBuild } from './plan-choice';

/** In a POST, null for an optional member counts as omitted. */
const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? undefined);

/** Members of the resource that no request can change: sending one is a 422. */
export function unchangeable<const Member extends string>(...members: Member[]) {
  const refused = z.undefined({ error: 'This member cannot be changed.' }).optional();
  return Object.fromEntries(members.map((member) => [member, refused])) as Record<Member, typeof refused>;
}

export const name = z
  .string('A name is required: text of 1 to 255 characters.')
  .check(characters(0, MAX_NAME_LENGTH, NAME_TOO_LONG))
  .regex(NOT_BLANK, NAME_BLANK)
  .trim();

const description = z
  .string('The description must be text.')
  .check(characters(0, 5_000, 'The description must have at most 5000 characters.'));

const bundleId = z
  .string('The bundle_id must be text.')
  .max(MAX_BUNDLE_ID_LENGTH, BUNDLE_ID_TOO_LONG)
  .regex(BUNDLE_ID, BUNDLE_ID_RULE);

const platform = z.enum(platformSchema.options, 'The platform must be ios, android or both.');

export const channel = channelField('channel');

const releaseNotes = z
  .string('The release_notes must be text.')
  .check(characters(0, 5_000, 'The release_notes must have at most 5000 characters.'));

/** A version as devices send it, in requests that must hold nothing else. */
export const lenientVersion = (missing: string, rule: string) =>
  z
    .string(missing)
    .check(characters(0, 250, rule))
    .refine((text) => coerceVersion(text) !== undefined, rule)
    .describe(VERSION_NUMBERS)
    .meta({ pattern: VERSION_START.source });

const minNativeVersion = lenientVersion('The min_native_version must be text.', NATIVE_VERSION_RULE).check(
  characters(0, MAX_NATIVE_VERSION_LENGTH, NATIVE_VERSION_TOO_LONG),
);

const nativeRange = z
  .string('The native_range must be text.')
  .check(characters(0, MAX_RANGE_LENGTH, NATIVE_RANGE_RULE))
  .refine((text) => parseRange(text) !== undefined, { error: NATIVE_RANGE_RULE, abort: true })
  .refine((text) => !isEmptyRange(text), NATIVE_RANGE_EMPTY)
  .describe(
    'A semver range, for example `>=2.1.0 <3.0.0`, that includes at least one version. Only devices whose native version is in it get the build, and those that send none. Not together with min_native_version, whose value 2.1.0 is the short form of `>=2.1.0`.',
  );

const fingerprint = z
  .string('The fingerprint must be text.')
  .regex(FINGERPRINT, FINGERPRINT_RULE)
  .describe('Only devices that send exactly this text in X-Native-Fingerprint get the build.');

const buildPlatform = z
  .enum(buildPlatformSchema.options, 'The platform must be ios, android or all.')
  .describe(
    'Only devices of this platform get the build. A version is unique in its channel for each platform; a build for all platforms shares its version with no other.',
  );

const KEEP_BUILDS_RULE = 'The keep_builds must be a whole number from 0 to 10000, where 0 keeps all builds.';

const percentage = z
  .int('The rollout_percentage must be a whole number from 0 to 100.')
  .min(0, 'The rollout_percentage must be a whole number from 0 to 100.')
  .max(100, 'The rollout_percentage must be a whole number from 0 to 100.');

const ring = z.enum(ringSchema.options, 'The ring must be per_build or stable.');

const keepBuilds = z
  .int(KEEP_BUILDS_RULE)
  .min(0, KEEP_BUILDS_RULE)
  .max(10_000, KEEP_BUILDS_RULE)
  .meta({ description: 'How many builds of each channel are kept; 0: all of them.' });

const defaultRollout = defaultRolloutSchema.nullable().optional();

const boolean = (field: string) => z.boolean(`The ${field} must be true or false.`);

export const createAppBody = z.object({
  name,
  bundle_id: optional(bundleId),
  platform: optional(platform),
  description: optional(description),
});

export const editAppBody = z.object({
  name: name.optional(),
  platform: platform.optional(),
  description: description.nullable().optional(),
  signing_key_rotation: z
    .enum(signingKeyRotationSchema.options, 'The signing_key_rotation must be any_token or owner_only.')
    .optional(),
  unique_signatures: boolean('unique_signatures').optional(),
  keep_builds: keepBuilds.nullable().optional(),
  default_rollout: z
    .strictObject(
      {
        production: defaultRollout,
        staging: defaultRollout,
        development: defaultRollout,
      },
      'The default_rollout must be an object with the members production, staging and development.',
    )
    .nullable()
    .optional()
    .describe(
      'By channel, the rollout of uploads and promotions for which the CLI gets neither --rollout nor --plan: a percentage, or the name of a plan template. The console preselects it. Omitted channels keep their default. Null removes the default of a channel, or of all channels.',
    ),
  attributes: attributeEditsSchema
    .optional()
    .describe(
      'What devices may send of themselves as X-Attr-{name}, for audiences: the type of each attribute, string or version. An app may declare at most 8 attributes. Omitted ones stay; null removes one, and then no device meets a rule that names it.',
    ),
  default_channels: z
    .strictObject(
      byPlatform(channelField('channel').nullable()),
      'The default_channels must be an object with the members ios, android, web and all.',
    )
    .nullable()
    .optional()
    .describe(
      'By platform of the device, the channel of devices whose update check names none; `all` is for the platforms that are left out. Omitted platforms keep their channel. Null removes that of a platform, or of all of them.',
    ),
  channel_aliases: z
    .record(
      channelAliasSchema,
      channelField('channel').nullable(),
      'The channel_aliases must be an object with an alias as each name and a channel as its value.',
    )
    .nullable()
    .optional()
    .describe(
      'By alias, the channel that devices with the update client of another server get under this name, at most 100. Omitted aliases stay. Null removes an alias, or all of them. An alias must not be the name of a channel.',
    ),
  ...unchangeable('id', 'app_id', 'bundle_id', 'platforms', 'channels', 'revision', 'created_at'),
});

/** In a preview, the default is the number in force. */
export const retentionQuery = z.object({
  keep_builds: z
    .preprocess((text) => (typeof text === 'string' && /^\d{1,5}$/.test(text) ? Number(text) : text), keepBuilds)
    .optional(),
});

export const createApiKeyBody = z.object({ name });

export const createChannelKeyBody = createApiKeyBody.extend({
  key: optional(importedKeySchema).describe(
    'The text of the key, to import one that clients have already, such as a deployment key of CodePush: 10 to 100 characters out of A-Z, a-z, 0-9, - and _. It must not begin with svc_. Left out, the server makes one.',
  ),
  platform: optional(keyPlatformSchema).describe(
    'The platform of the devices that use the key, for clients that do not send theirs.',
  ),
});

/** When omitted in a rotation, name and scheme keep their values. */
export const signingKeyBody = z.object({
  name: optional(name),
  scheme: optional(z.enum(signatureSchemeSchema.options, 'The scheme must be pkcs1v15 or pss.')),
  size: optional(z.literal([2048, 3072], 'The size must be 2048 or 3072.')),
});

export const rotateSigningKeyBody = signingKeyBody.extend({
  expected_fingerprint: optional(
    z
      .string('The expected_fingerprint must be text.')
      .regex(/^[0-9A-Fa-f]{64}$/, 'The expected_fingerprint must be 64 hex digits, as the signing key shows them.')
      .toLowerCase(),
  ),
});

export const listBuildsQuery = z.object({
  channel: channel.optional(),
  status: z
    .enum(buildStatusSchema.options, `The status must be one of ${buildStatusSchema.options.join(', ')}.`)
    .optional(),
});

const UPLOAD_PERCENTAGE_RULE = 'The rollout_percentage must be a whole number from 1 to 100.';
const MULTIPART_BOOLEANS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false };

/** The fields of the upload form, all of them text. */
export const uploadFields = withOneNativeRule(
  withOneRollout(
    z.object({
      version: z.string('A version is required, for example 1.4.0.').regex(RELEASE_VERSION, RELEASE_VERSION_RULE),
      channel,
      release_notes: releaseNotes.optional(),
      min_native_version: emptyAsOmitted(minNativeVersion),
      native_range: emptyAsOmitted(nativeRange),
      fingerprint: emptyAsOmitted(fingerprint),
      platform: buildPlatform.default('all'),
      rollout_percentage: z
        .preprocess(
          (text) => (typeof text === 'string' && /^([1-9]\d?|100)$/.test(text) ? Number(text) : null),
          z.int(UPLOAD_PERCENTAGE_RULE).min(1).max(100),
        )
        .optional()
        .describe('100 by default, if there is no plan.'),
      ring: ring
        .optional()
        .describe(
          'Which devices the percentage selects: per_build (default), or stable, the same ones first each time.',
        ),
      plan: z
        .preprocess(parsedJson, planOfBuild)
        .describe(
          'The rollout plan of the build: the name of a plan template, or as JSON what sets a plan. Not together with rollout_percentage.',
        )
        .optional(),
      mandatory: z
        .preprocess((text) => MULTIPART_BOOLEANS[String(text)], boolean('mandatory'))
        .describe('`1` and `0` are also accepted.')
        .default(false),
      audience: z
        .preprocess(parsedJson, audienceSchema)
        .describe(
          'As JSON: the devices that are offered the build. By default all devices. The audience must have at least one rule.',
        )
        .optional(),
      delivery: z
        .preprocess(parsedJson, deliverySchema)
        .describe(
          'As JSON, for a bundle that was encrypted before the upload: what clients need to decrypt it. The file is then no zip, and its content is not checked. Only clients of Capgo are offered the build.',
        )
        .optional(),
      signature: z.preprocess(
        (text) => (text === '' ? undefined : text),
        z
          .string()
          .max(4_096, 'The signature must have at most 4096 characters.')
          .regex(
            /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
            'The signature must be Base64, as a detached RSA-SHA256 signature of the bundle.',
          )
          .describe(
            'Base64 of a detached RSA-SHA256 signature of the bundle, which the server stores and does not verify. If the app sets unique_signatures, no other version may have the same signature.',
          )
          .optional(),
      ),
      metadata: z
        .preprocess(parsedJson, buildMetadataSchema)
        .describe(
          'As JSON: where the build comes from, such as its commit, its branch and the link to the run of the CI. At most 20 pairs of text, which builds return until they are deleted.',
        )
        .optional(),
    }),
  ),
);

/** Both are about the native version. */
function withOneNativeRule<Schema extends z.ZodType<{ min_native_version?: unknown; native_range?: unknown }>>(
  schema: Schema,
): Schema {
  return schema.refine(
    ({ min_native_version: minimum, native_range: range }) => typeof minimum !== 'string' || typeof range !== 'string',
    { path: ['native_range'], error: ONE_NATIVE_RULE },
  );
}

/** In a form, the empty text counts as omitted. */
function emptyAsOmitted<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((text) => (text === '' ? undefined : text), schema.optional()).meta({ orElse: [{ const: '' }] });
}

/** A plan sets the rollout of its build. */
function withOneRollout<Schema extends z.ZodType<{ plan?: unknown; rollout_percentage?: unknown }>>(
  schema: Schema,
): Schema {
  return schema.refine(({ plan, rollout_percentage: percentage }) => plan === undefined || percentage === undefined, {
    path: ['plan'],
    error: 'Send plan or rollout_percentage, not both.',
  });
}

/** Left as it is where it is no JSON, so that the error quotes it. */
function parsedJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}

/** Members of a build that no request changes. */
const BUILD_FACTS = [
  'id',
  'version',
  'channel',
  'state',
  'checksum',
  'checksum_algorithm',
  'signature',
  'file_size',
  'platform',
  'delivery',
  'promoted_from_id',
  'recalled_at',
  'recall_reason',
  'recall_target',
  'recall_of',
  'republished_from_id',
  'job_id',
  'metadata',
  'revision',
  'created_at',
  'updated_at',
] as const;

export const editBuildBody = withOneNativeRule(
  z.object({
    status: z.enum(['active', 'paused', 'archived'], 'The status must be active, paused or archived.').optional(),
    release_notes: releaseNotes.nullable().optional(),
    min_native_version: minNativeVersion.nullable().optional(),
    native_range: nativeRange.nullable().optional(),
    fingerprint: fingerprint.nullable().optional(),
    mandatory: boolean('mandatory').optional(),
    audience: audienceSchema
      .nullable()
      .optional()
      .describe(
        'The devices that are offered the build; its rollout is a percentage of them. null: all devices. The audience must have at least one rule.',
      ),
    ...unchangeable(...BUILD_FACTS, 'rollout_percentage', 'rollout_enabled', 'ring'),
  }),
);

export const promoteBody = withOneRollout(
  z.object({
    target_channel: channelField('target_channel'),
    rollout_percentage: optional(percentage),
    mandatory: optional(boolean('mandatory')),
    ring: optional(ring).describe('Default: that of the build.'),
    audience: optional(audienceSchema).describe(
      'The devices that are offered the new build. By default all devices. The audience must have at least one rule.',
    ),
    plan: optional(planOfBuild).describe(
      'The rollout plan of the new build: the name of a plan template, or what sets a plan. Not together with rollout_percentage.',
    ),
  }),
);

export const recallBody = z.object({
  reason: z
    .string('A reason is required: text of 1 to 500 characters. Say what is wrong with the build.')
    .check(characters(0, MAX_REASON_LENGTH, REASON_RULE))
    .regex(NOT_BLANK, REASON_RULE)
    .trim(),
  to: recallTargetSchema
    .optional()
    .describe(
      'Another build of the channel, which devices get; "embedded": the bundle inside their native app; "none": nothing. Default: the newest build of the channel below this one that was ever active, is not recalled, and can run on every device that can run this one.',
    ),
  version: z
    .string()
    .regex(RELEASE_VERSION, RELEASE_VERSION_RULE)
    .optional()
    .describe(
      'The version under which that build is republished, because devices install higher versions only. It must be above every version of the channel. Default: the next patch. Leave it out where no build is republished: with "embedded" or "none".',
    ),
  everywhere: optional(boolean('everywhere')).describe(
    'Also recall builds with the same bundle in the other channels.',
  ),
});

export const rolloutBody = z
  .object({
    rollout_percentage: percentage.optional(),
    enabled: boolean('enabled').optional(),
    ring: ring.optional().describe('A change can take the build from devices that it was offered to.'),
    ...unchangeable(...BUILD_FACTS, 'status', 'release_notes', 'mandatory', 'rollout_enabled'),
    ...unchangeable('min_native_version', 'native_range', 'fingerprint', 'audience'),
  })
  .refine(
    ({ rollout_percentage, enabled, ring }) => [rollout_percentage, enabled, ring].some((one) => one !== undefined),
    {
      path: ['rollout_percentage'],
      error: 'Send rollout_percentage, enabled or both.',
    },
  )
  .meta({ anyOf: [{ required: ['rollout_percentage'] }, { required: ['enabled'] }, { required: ['ring'] }] });
