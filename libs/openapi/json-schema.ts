import { WITHOUT_NUL } from '@sluice/kernel';
import { z } from 'zod';

/** A schema of JSON Schema 2020-12. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The JSON Schema of a zod schema: of what may be sent (`input`) or of what is answered (`output`,
 * where no object holds a member that isn't described). Of a refinement it holds what the schema's `meta` states in
 * JSON Schema. `orElse` in a `meta` lists schemas of what is accepted besides, and read by a `preprocess`.
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === 'undefined') jsonSchema.not = {};
      if (def.type === 'default') jsonSchema.default = def.defaultValue;
      if (io === 'output') dropObvious(jsonSchema);
      const { orElse, ...own } = jsonSchema;
      if (!Array.isArray(orElse)) return;
      for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
      const { description, ...schema } = own;
      jsonSchema.anyOf = [schema, ...(orElse as JsonSchema[])];
      if (description !== undefined) jsonSchema.description = description;
    },
  });
  delete json.$schema;
  return json;
}

/** For responses: drops what the format already states, and the bounds of every JSON number. */
function dropObvious(schema: JsonSchema): void {
  if (schema.format === 'date-time' || schema.format === 'uuid') delete schema.pattern;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
}

/** Patterns whose every match is made of listed characters, none of which is NUL. */
const LISTED_ALONE = /^\^(?:(?!\[\^|\\[SDW]|(?<!\\)\.).)*\$$/s;

/** The same schema without NUL in any text. Members that it does not name are not checked. */
export function withoutNul(schema: JsonSchema): JsonSchema {
  const inner = mapSchemas(schema, withoutNul);
  const isText = inner.type === 'string' || (Array.isArray(inner.type) && inner.type.includes('string'));
  if (!isText || inner.enum !== undefined || inner.const !== undefined) return inner;
  if (inner.pattern === undefined) return { ...inner, pattern: WITHOUT_NUL.source };
  if (LISTED_ALONE.test(inner.pattern)) return inner;
  return { ...inner, allOf: [...(inner.allOf ?? []), { pattern: WITHOUT_NUL.source }] };
}

function mapSchemas(schema: JsonSchema, map: (inner: JsonSchema) => JsonSchema): JsonSchema {
  const one = (inner: boolean | JsonSchema) => (typeof inner === 'boolean' ? inner : map(inner));
  const { properties, items, anyOf } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, one(inner)])),
    }),
    ...(items !== undefined && !Array.isArray(items) && { items: one(items) }),
    ...(anyOf && { anyOf: anyOf.map((each) => one(each)) }),
  } as JsonSchema;
}
