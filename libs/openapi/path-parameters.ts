import type { JsonSchema } from './json-schema';

interface PathParameter {
  readonly description: string;
  readonly schema: JsonSchema;
  /** The error code if nothing has this id. */
  readonly notFound: string;
}

/** Path parameters by name. */
export const PATH_PARAMETERS = {
  app: {
    description: 'The integer id of an app, or its app_id.',
    schema: { type: 'string' },
    notFound: 'APP_NOT_FOUND',
  },
  build: { description: 'The id of a build.', schema: { type: 'integer', minimum: 1 }, notFound: 'BUILD_NOT_FOUND' },
  key: {
    description: 'The id of an app API key, or of a signing key.',
    schema: { type: 'integer', minimum: 1 },
    notFound: 'KEY_NOT_FOUND',
  },
  job: { description: 'The id of a job, a ULID.', schema: { type: 'string' }, notFound: 'JOB_NOT_FOUND' },
  device: {
    description: 'The id that the device sends as X-Device-ID.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    notFound: 'NOT_FOUND',
  },
  token: {
    description: 'The id of an access token.',
    schema: { type: 'integer', minimum: 1 },
    notFound: 'TOKEN_NOT_FOUND',
  },
  owner: { description: 'The id of an owner.', schema: { type: 'integer', minimum: 1 }, notFound: 'OWNER_NOT_FOUND' },
  log: { description: 'The id of a sync log, a ULID.', schema: { type: 'string' }, notFound: 'NOT_FOUND' },
  template: {
    description: 'The name of a plan template.',
    schema: { type: 'string', pattern: '^[a-z][a-z0-9]*(-[a-z0-9]+)*$', maxLength: 50 },
    notFound: 'PLAN_TEMPLATE_NOT_FOUND',
  },
  channel: {
    description: 'The name of a channel.',
    schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' },
    notFound: 'CHANNEL_NOT_FOUND',
  },
  group: {
    description: 'The name of a device group.',
    schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{0,62}$' },
    notFound: 'GROUP_NOT_FOUND',
  },
  name: { description: 'The name of a read model.', schema: { type: 'string' }, notFound: 'PROJECTION_NOT_FOUND' },
} as const satisfies Readonly<Record<string, PathParameter>>;
