import { z } from 'zod';

/** A schema of JSON Schema 2020-12. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * The JSON Schema of a zod schema: of what may be sent (`input`) or of what is answered (`output`,
 * where no object holds a member that isn't described). Refinements, which JSON Schema can't say, are left out.
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const json = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const { def } = zodSchema._zod;
      if (def.type === 'undefined') jsonSchema.not = {};
      if (def.type === 'default') jsonSchema.default = def.defaultValue;
      // The format says it, in fewer characters.
      if (jsonSchema.format === 'date-time' || jsonSchema.format === 'uuid') delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  delete json.$schema;
  return json;
}
