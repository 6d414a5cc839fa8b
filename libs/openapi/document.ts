import { pageMetaSchema } from '@sluice/http';
import { statusOfCode, VALIDATION_FAILED } from '@sluice/kernel';
import type { z } from 'zod';
import { toJsonSchema, withoutNul, type JsonSchema } from './json-schema';
import { PATH_PARAMETERS } from './path-parameters';
import type { Answer, DescribedRoute, Operation, Tag } from './route';

/** An API to describe. */
export interface Plane {
  readonly title: string;
  readonly description: string;
  /** Prefix of every path. */
  readonly base: string;
  readonly routes: readonly DescribedRoute[];
  /** Schemas with a name of their own. */
  readonly components: Readonly<Record<string, z.ZodType>>;
  readonly securitySchemes: Readonly<Record<string, object>>;
  /** Wraps the schema of a response. */
  readonly envelope: (schema: JsonSchema) => JsonSchema;
  /** The body of an error, given its codes, which all have one status. */
  readonly refusal: (codes: readonly string[], status: number) => JsonSchema;
  /** Named schemas that `envelope` and `refusal` refer to. */
  readonly envelopes: Readonly<Record<string, JsonSchema>>;
  /** Headers of every success, with their descriptions. */
  readonly headers: Readonly<Record<string, string>>;
  /** Errors of every operation. */
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

/** The part of OpenAPI 3.1 that is used; `paths` by path, then by method in lower case. */
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

/** Visible ASCII characters. */
export const IDEMPOTENCY_KEY_PATTERN = /^[!-~]{1,255}$/;

const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids.',
  schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN.source },
};

const RETRY_AFTER = {
  'Retry-After': { description: 'Whole seconds to wait.', schema: { type: 'integer', minimum: 1 } },
} as const;

/**
 * The OpenAPI 3.1 description of an API, and of where clients reach it.
 * @throws Error when an operation names an undeclared path parameter or error
 */
export function describePlane(plane: Plane, servedAt = plane.base): OpenApiDocument {
  const paths: Record<string, Record<string, OperationObject>> = {};
  const tags = new Map<string, Tag>();
  for (const { tag } of plane.routes) if (!tags.has(tag.name)) tags.set(tag.name, tag);
  for (const name of tags.keys()) {
    for (const route of plane.routes.filter(({ tag }) => tag.name === name)) {
      const template = route.url.slice(plane.base.length).replace(/:(\w+)/g, '{$1}');
      (paths[template] ??= {})[route.method.toLowerCase()] = describeOperation(plane, route);
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
    tags: [...tags.values()],
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

function describeOperation(plane: Plane, route: DescribedRoute): OperationObject {
  const successes = Object.entries(route.answers).map(
    ([status, answer]) => [status, describeAnswer(plane, answer)] as const,
  );
  return {
    operationId: route.id,
    summary: route.summary,
    ...(route.description !== undefined && { description: route.description }),
    tags: [route.tag.name],
    security: route.open === true ? [] : Object.keys(plane.securitySchemes).map((name) => ({ [name]: [] })),
    parameters: [
      ...pathParameters(route).map(
        ({ name, description, schema }) => ({ name, in: 'path', required: true, description, schema }) as const,
      ),
      ...(route.query ?? []).flatMap((schema) => fieldsOf(schema, 'query')),
      ...(route.headers === undefined ? [] : fieldsOf(route.headers, 'header')),
      ...(route.takesIdempotencyKey === true ? [IDEMPOTENCY_KEY] : []),
    ],
    ...requestBody(route, plane.repairsText === true ? (schema) => schema : withoutNul),
    responses: { ...Object.fromEntries(successes), ...describeRefusals(plane, route) },
  };
}

function pathParameters({ url }: DescribedRoute) {
  return [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    if (!(name in PATH_PARAMETERS)) throw new Error(`${url}: add the path parameter "${name}" to PATH_PARAMETERS.`);
    return { name, ...PATH_PARAMETERS[name as keyof typeof PATH_PARAMETERS] };
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

/** Whether `{}`, the value of an omitted body, is valid. */
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

function describeRefusals(plane: Plane, route: DescribedRoute): Record<string, ResponseObject> {
  const byStatus = new Map<number, string[]>();
  for (const code of new Set([...refusalsOf(route), ...plane.alwaysRefusals])) {
    const status = statusOfCode(code);
    if (status === undefined) throw new Error(`${route.id}: no status is declared for the error ${code}.`);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const responses = [...byStatus].map(([status, codes]): [string, ResponseObject] => [
    String(status),
    {
      description: `Rejected: ${codes.map((code) => (code === VALIDATION_FAILED ? 'a field is invalid' : code)).join(', ')}.`,
      ...((status === 429 || status === 503) && { headers: RETRY_AFTER }),
      content: { 'application/json': { schema: plane.refusal(codes, status) } },
    },
  ]);
  return Object.fromEntries(responses);
}

/** Errors that follow from access, path, query and body, then those that the operation names. */
function refusalsOf(route: DescribedRoute): string[] {
  const parameters = pathParameters(route);
  const takesBody = route.method !== 'GET' && route.method !== 'HEAD';
  const validates = [route.query, route.headers, route.body, route.form].some(Boolean);
  return [
    ...(route.accessRefusals ?? []),
    ...parameters.map(({ notFound }) => notFound),
    ...(parameters.length > 0 ? ['NOT_FOUND', 'INVALID_REQUEST'] : []),
    ...(takesBody
      ? ['INVALID_JSON', VALIDATION_FAILED, 'INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
      : []),
    ...(route.form === undefined ? [] : ['INVALID_MULTIPART']),
    ...(validates ? [VALIDATION_FAILED] : []),
    ...(route.takesIdempotencyKey === true
      ? [VALIDATION_FAILED, 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_IN_PROGRESS']
      : []),
    ...(route.refusals ?? []),
  ];
}
