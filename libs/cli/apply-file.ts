import {
  buildPlatformSchema,
  channelNameSchema,
  keepBuildsSchema,
  platformSchema,
  signingKeyRotationSchema,
} from '@sluice/contracts';
import { z } from 'zod';
import { UsageError } from './failure';

const text = (most: number) => z.string().max(most);
const name = z.string().trim().min(1).max(255);
const identity = text(155).regex(/^[\x21-\x7e]+$/, 'It must be text of 1 to 155 characters without spaces.');
const fingerprint = (bytes: number) =>
  z
    .string()
    .regex(
      new RegExp(`^[0-9A-Fa-f]{2}(?::?[0-9A-Fa-f]{2}){${bytes - 1}}$`),
      `It must be a fingerprint of ${bytes} bytes in hexadecimal digits, with or without colons.`,
    );

const settingsSchema = z
  .strictObject({
    name: name.optional(),
    platform: platformSchema.optional(),
    description: text(5_000).nullable().optional(),
    signing_key_rotation: signingKeyRotationSchema
      .optional()
      .meta({ description: 'Who creates, rotates and retires signing keys. A change needs the owner key.' }),
    unique_signatures: z
      .boolean()
      .optional()
      .meta({ description: 'Whether a supplied signature is for one version only. A change needs the owner key.' }),
    keep_builds: keepBuildsSchema.nullable().optional().meta({
      description:
        'Builds kept of each channel: 0 for all, null for the default of the installation. A change needs the owner key.',
    }),
  })
  .meta({ description: 'Settings of the app.' });

const releaseSchema = z
  .strictObject({
    version: z.string().min(1).max(250).meta({ description: 'The build of the channel with this version.' }),
    promote_from: channelNameSchema
      .optional()
      .meta({ description: 'The channel from which the build is promoted if this channel has none of the version.' }),
    status: z.enum(['active', 'paused']).optional(),
    rollout_percentage: z.int().min(0).max(100).optional(),
    rollout_enabled: z.boolean().optional().meta({ description: 'false halts the rollout.' }),
    mandatory: z.boolean().optional(),
    platform: buildPlatformSchema
      .optional()
      .meta({ description: 'Of the build, where iOS and Android have different builds of the version.' }),
    min_native_version: text(50).nullable().optional(),
    native_range: text(100).nullable().optional(),
    fingerprint: text(128).nullable().optional(),
    release_notes: text(5_000).nullable().optional(),
  })
  .meta({ description: 'The build of a channel, and its rollout.' });

const restrictionsSchema = z
  .strictObject({
    origins: z.array(text(255)).max(100).optional(),
    android: z
      .array(
        z.strictObject({
          package_name: identity,
          sha256: z.array(fingerprint(32)).max(20).optional(),
          sha1: z.array(fingerprint(20)).max(20).optional(),
        }),
      )
      .max(100)
      .optional(),
    ios: z
      .array(z.strictObject({ bundle_id: identity, team_id: identity.optional() }))
      .max(100)
      .optional(),
  })
  .meta({ description: 'The callers that may use the key. {} allows all callers.' });
export type Restrictions = z.infer<typeof restrictionsSchema>;

const keySchema = z.strictObject({
  name: name.meta({ description: 'Identifies the key.' }),
  restrictions: restrictionsSchema.optional(),
});

/** A file for `sluice apply`. Members have the names and values of the API; omitted ones are left as they are. */
export const applySchema = z
  .strictObject({
    app: z.string().min(1).max(255).meta({ description: 'ID or app ID of the app.' }),
    settings: settingsSchema.optional(),
    channels: z
      .record(channelNameSchema, releaseSchema)
      .optional()
      .meta({ description: 'By channel. The app has the channel already.' }),
    keys: z
      .array(keySchema)
      .superRefine((keys, context) => {
        for (const [index, key] of keys.entries()) {
          if (keys.findIndex((other) => other.name === key.name) === index) continue;
          context.addIssue({ code: 'custom', path: [index, 'name'], message: `Another key is named ${key.name}.` });
        }
      })
      .optional()
      .meta({ description: 'The API keys of the app that are not revoked.' }),
  })
  .meta({ title: 'File for sluice apply', description: 'The state that an app is brought to.' });

export type Wanted = z.infer<typeof applySchema>;
export type WantedRelease = z.infer<typeof releaseSchema>;

export interface ApplyFile {
  readonly wanted: Wanted;
  /** A mistake at a member of the file, with its line. */
  readonly fault: (path: readonly PropertyKey[], message: string) => UsageError;
}

/** @param path for messages. @throws UsageError that names the line and the member of each mistake */
export async function parseApplyFile(source: string, path: string): Promise<ApplyFile> {
  const { isMap, isNode, isScalar, LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(source, { lineCounter, prettyErrors: false });

  const at = (offset: number | undefined) => {
    const { line, col } = lineCounter.linePos(offset ?? 0);
    return `${path}:${line}:${col}`;
  };
  /** Of the member, else of the nearest one around it that exists. A key is named by its last element. */
  const offsetOf = (member: readonly PropertyKey[]): number | undefined => {
    for (let depth = member.length; depth > 0; depth -= 1) {
      const parent: unknown = document.getIn(member.slice(0, depth - 1), true);
      const last = member[depth - 1];
      const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === last) : undefined;
      const node: unknown = isScalar(pair?.key) ? pair.key : document.getIn(member.slice(0, depth), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return undefined;
  };
  const faultsIn = (faults: readonly string[]) =>
    new UsageError(
      faults.join('\n'),
      'The guide "Managing an app with a YAML file" and apply.schema.json list the fields.',
    );

  if (document.errors.length > 0) {
    throw faultsIn(document.errors.map(({ message, pos }) => `${at(pos[0])}: ${message}`));
  }
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    throw faultsIn([`${path}: ${(error as Error).message}`]);
  }
  const { data, error } = applySchema.safeParse(value);
  if (data === undefined) {
    const issues = error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ path: [...issue.path, key], message: 'There is no such field.' }))
        : [issue],
    );
    throw faultsIn(issues.map((issue) => describe(issue)));
  }
  function describe(issue: { readonly path: readonly PropertyKey[]; readonly message: string }): string {
    const member = issue.path.map(String).join('.');
    return `${at(offsetOf(issue.path))}: ${member === '' ? '' : `${member}: `}${issue.message}`;
  }
  return { wanted: data, fault: (member, message) => faultsIn([describe({ path: member, message })]) };
}
