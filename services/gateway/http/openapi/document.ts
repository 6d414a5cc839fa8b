import { pageMetaSchema, statusOfCode } from '@sluice/http';
import { VALIDATION_FAILED } from '@sluice/kernel';
import type { z } from 'zod';
import { ACCESS_POLICIES, isRepeatable } from '../access-policy';
import { IDEMPOTENCY_KEY_PATTERN } from '../idempotency';
import { toJsonSchema, withoutNul, type JsonSchema } from './json-schema';
import type { Answer, Operation, OperationGroup } from './operation';

/** A plane as it is to be described. */
export interface Plane {
  readonly title: string;
  readonly description: string;
  /** Stands before every path. */
  readonly base: string;
  readonly groups: readonly OperationGroup[];
  /** Schemas that get a name of their own. */
  readonly components: Readonly<Record<string, z.ZodType>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
  /** Around an answer's schema. */
  readonly envelope: (schema: JsonSchema) => JsonSchema;
  /** A refusal's body, given its codes, all of one status. */
  readonly refusal: (codes: readonly string[], status: number) => JsonSchema;
  /** Named schemas that `envelope` and `refusal` point at. */
  readonly envelopes: Readonly<Record<string, JsonSchema>>;
  /** Texts by name: every success carries these headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Every operation may answer these. */
  readonly alwaysRefusals: readonly string[];
  /** A NUL in a body is replaced; elsewhere the body is rejected. */
  readonly repairsText?: true;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface MediaType {
  readonly schema: JsonSchema;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly security: readonly object[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, ResponseObject>>;
}

/** What is served of OpenAPI 3.1; `paths` by path, then by method in small letters. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: {
    readonly title: string;
    readonly description: string;
    readonly version: string;
    readonly license: object;
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>>; readonly securitySchemes: object };
}

/** What stands in a path, and the refusal when it names nothing. */
const PATH_PARAMETERS: Readonly<Record<string, { description: string; schema: JsonSchema; notFound: string }>> = {
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
  name: { description: 'The name of a read model.', schema: { type: 'string' }, notFound: 'PROJECTION_NOT_FOUND' },
};

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'Names the request for 24 hours: the same one again has no second effect and answers the same ids.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN.source },
};

const takesIdempotencyKey = (route: string): boolean =>
  isRepeatable(route.split(' ', 1)[0] ?? '', ACCESS_POLICIES[route]);

const RETRY_AFTER = {
  'Retry-After': { description: 'Whole seconds to wait.', schema: { type: 'integer', minimum: 1 } },
} as const;

/**
 * The OpenAPI 3.1 description of a plane, and of where clients find it.
 * @throws Error when an operation names a path parameter or a refusal that nobody declared
 */
export function describePlane(plane: Plane, servedAt = plane.base): OpenApiDocument {
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const { heading, operations } of plane.groups) {
    for (const [route, operation] of Object.entries(operations)) {
      const [method = '', path = ''] = route.split(' ');
      const template = path.slice(plane.base.length).replace(/:(\w+)/g, '{$1}');
      (paths[template] ??= {})[method.toLowerCase()] = describeOperation(plane, heading, route, operation);
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: plane.title,
      description: plane.description,
      version: '1.0.0',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: servedAt }],
    tags: plane.groups.map(({ heading, description }) => ({ name: heading, description })),
    paths,
    components: {
      schemas: {
        ...Object.fromEntries(
          Object.entries(plane.components).map(([name, schema]) => [name, toJsonSchema(schema, 'output')]),
        ),
        ...plane.envelopes,
      },
      securitySchemes: plane.securitySchemes,
    },
  };
}

function describeOperation(plane: Plane, heading: string, route: string, operation: Operation): OperationObject {
  const parameters = pathParameters(route);
  const successes = Object.entries(operation.answers).map(
    ([status, answer]) => [status, describeAnswer(plane, answer)] as const,
  );
  return {
    operationId: operation.id,
    summary: operation.summary,
    ...describeDetails(route, operation),
    tags: [heading],
    security: operation.open === true ? [] : Object.keys(plane.securitySchemes).map((name) => ({ [name]: [] })),
    parameters: [
      ...parameters.map(
        ({ name, description, schema }) => ({ name, in: 'path', required: true, description, schema }) as const,
      ),
      ...(operation.query ?? []).flatMap((schema) => fieldsOf(schema, 'query')),
      ...(operation.headers === undefined ? [] : fieldsOf(operation.headers, 'header')),
      ...(takesIdempotencyKey(route) ? [IDEMPOTENCY_KEY] : []),
    ],
    ...requestBody(operation, plane.repairsText === true ? (schema) => schema : withoutNul),
    responses: { ...Object.fromEntries(successes), ...describeRefusals(plane, route, operation) },
  };
}

/** What the operation says of itself, and which permission it wants of a token. */
function describeDetails(route: string, { description }: Operation): Pick<OperationObject, 'description'> {
  const policy = ACCESS_POLICIES[route];
  const permission = policy?.plane === 'management' ? policy.permission : undefined;
  const needs = permission === undefined ? [] : [`Needs the permission \`${permission}\`.`];
  const sentences = [...needs, ...(description === undefined ? [] : [description])];
  return sentences.length === 0 ? {} : { description: sentences.join(' ') };
}

function pathParameters(route: string) {
  return [...route.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const parameter = PATH_PARAMETERS[name];
    if (parameter === undefined) throw new Error(`${route}: add the path parameter "${name}" to PATH_PARAMETERS.`);
    return { name, ...parameter };
  });
}

function fieldsOf(schema: z.ZodType, where: 'query' | 'header'): Parameter[] {
  const { properties = {}, required = [] } = toJsonSchema(schema, 'input');
  return Object.entries(properties).map(([name, field]) => {
    const { description, ...type } = typeof field === 'boolean' ? {} : field;
    return {
      name,
      in: where,
      required: required.includes(name),
      ...(description !== undefined && { description }),
      schema: type,
    };
  });
}

function requestBody(
  { body, bodyRequired, form }: Operation,
  restrict: (schema: JsonSchema) => JsonSchema,
): Pick<OperationObject, 'requestBody'> | undefined {
  if (body !== undefined) {
    const schema = restrict(toJsonSchema(body, 'input'));
    const required = bodyRequired === true || !takesNoMembers(schema);
    return { requestBody: { required, content: { 'application/json': { schema } } } };
  }
  if (form === undefined) return undefined;
  const { properties, required = [], ...rest } = restrict(toJsonSchema(form, 'input'));
  const file = { description: 'The file, as binary.', contentMediaType: 'application/zip' };
  const schema = { ...rest, properties: { file, ...properties }, required: ['file', ...required] };
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } };
}

/** Whether `{}`, which a body that is left out counts as, fits. */
function takesNoMembers({ required = [], anyOf }: JsonSchema): boolean {
  return required.length === 0 && (anyOf?.some((each) => (each.required ?? []).length === 0) ?? true);
}

function describeAnswer(plane: Plane, answer: Answer): ResponseObject {
  const { description } = answer;
  const headers = Object.entries({ ...answer.headers, ...plane.headers }).map(
    ([name, text]) => [name, { description: text, schema: { type: 'string' } }] as const,
  );
  const described = { description, ...(headers.length > 0 && { headers: Object.fromEntries(headers) }) };
  switch (answer.kind) {
    case 'empty':
      return described;
    case 'bytes':
      return {
        ...described,
        content: {
          [answer.mediaType]: { schema: { contentMediaType: answer.mediaType } },
          ...(answer.json && { 'application/json': { schema: plane.envelope(nameOrSchema(plane, answer.json)) } }),
        },
      };
    case 'bare':
      return { ...described, content: { 'application/json': { schema: nameOrSchema(plane, answer.schema) } } };
    case 'one': {
      const schema = plane.envelope(nameOrSchema(plane, answer.schema));
      return { ...described, content: { 'application/json': { schema } } };
    }
    case 'page': {
      const schema: JsonSchema = {
        type: 'object',
        properties: {
          data: { type: 'array', items: nameOrSchema(plane, answer.schema) },
          meta: toJsonSchema(pageMetaSchema, 'output'),
        },
        required: ['data', 'meta'],
        additionalProperties: false,
      };
      return { ...described, content: { 'application/json': { schema } } };
    }
  }
}

function nameOrSchema(plane: Plane, schema: z.ZodType): JsonSchema {
  const named = Object.entries(plane.components).find(([, component]) => component === schema);
  return named === undefined ? toJsonSchema(schema, 'output') : { $ref: `#/components/schemas/${named[0]}` };
}

function describeRefusals(plane: Plane, route: string, operation: Operation): Record<string, ResponseObject> {
  const byStatus = new Map<number, string[]>();
  for (const code of new Set([...refusalsOf(route, operation), ...plane.alwaysRefusals])) {
    const status = code === 'INTERNAL_ERROR' ? 500 : statusOfCode(code);
    if (status === undefined) throw new Error(`${route}: no status is declared for the refusal ${code}.`);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]): [string, ResponseObject] => [
    String(status),
    {
      description: `Refused: ${codes.map((code) => (code === VALIDATION_FAILED ? 'a field is wrong' : code)).join(', ')}.`,
      ...((status === 429 || status === 503) && { headers: RETRY_AFTER }),
      content: { 'application/json': { schema: plane.refusal(codes, status) } },
    },
  ]);
  return Object.fromEntries(responses);
}

/** What follows from the policy, the path, the query and the body, then what the operation itself names. */
function refusalsOf(route: string, operation: Operation): string[] {
  const parameters = pathParameters(route);
  const takesBody = /^(POST|PUT|PATCH|DELETE) /.test(route);
  const validates = [operation.query, operation.headers, operation.body, operation.form].some(Boolean);
  return [
    ...policyRefusals(route),
    ...parameters.map(({ notFound }) => notFound),
    ...(parameters.length > 0 ? ['NOT_FOUND', 'INVALID_REQUEST'] : []),
    ...(takesBody
      ? ['INVALID_JSON', VALIDATION_FAILED, 'INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
      : []),
    ...(operation.form === undefined ? [] : ['INVALID_MULTIPART']),
    ...(validates ? [VALIDATION_FAILED] : []),
    ...(takesIdempotencyKey(route) ? [VALIDATION_FAILED, 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS'] : []),
    ...(operation.refusals ?? []),
  ];
}

function policyRefusals(route: string): string[] {
  const policy = ACCESS_POLICIES[route];
  const session = ['SESSION_ENDED', ...(route.startsWith('GET ') ? [] : ['CSRF_REFUSED'])];
  const token = [
    'MISSING_ACCESS_TOKEN',
    'INVALID_ACCESS_TOKEN_FORMAT',
    'INVALID_ACCESS_TOKEN_CHECKSUM',
    'ACCESS_TOKEN_NOT_FOUND',
    'ACCESS_TOKEN_INVALID',
  ];
  const limit =
    policy?.limit === undefined ? [] : [policy.limit === 'uploads' ? 'UPLOAD_RATE_LIMITED' : 'KEY_ACTION_RATE_LIMITED'];
  switch (policy?.plane) {
    case 'management':
      return [
        ...token,
        'OWNER_SUSPENDED',
        ...(policy.permission === undefined && policy.changesSigningKeys !== true ? [] : ['TOKEN_PERMISSION_DENIED']),
        ...limit,
      ];
    case 'dashboard':
      return [
        'MISSING_OWNER_KEY',
        'INVALID_OWNER_KEY',
        ...session,
        'OWNER_SUSPENDED',
        ...(policy.operator === true ? ['OPERATOR_ONLY'] : []),
        ...limit,
      ];
    case 'listings':
      return [
        ...token,
        'INVALID_OWNER_KEY',
        ...session,
        'OWNER_SUSPENDED',
        'OPERATOR_ONLY',
        'TOKEN_PERMISSION_DENIED',
        'module_disabled',
        'entitlement_required',
      ];
    case undefined:
      return [];
  }
}
