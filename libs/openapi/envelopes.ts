import { VALIDATION_FAILED } from '@sluice/kernel';
import type { Plane } from './document';
import type { JsonSchema } from './json-schema';

/** The schema of an object that has these members and no others. */
export const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
export const text: JsonSchema = { type: 'string' };
export const errorsByField: JsonSchema = {
  type: 'object',
  additionalProperties: { type: 'array', items: text, minItems: 1 },
};

/** The envelopes that the management, dashboard and device APIs share. */
export const commonEnvelopes: Pick<Plane, 'envelope' | 'envelopes' | 'refusal'> = {
  envelope: (data) => object({ data }),
  envelopes: {
    Error: object({ error: object({ code: text, message: text, details: { type: 'object' } }, ['code', 'message']) }),
    ValidationError: object({ message: text, errors: errorsByField }),
  },
  refusal: (codes) => {
    const named = codes.filter((code) => code !== VALIDATION_FAILED);
    const ofFields = { $ref: '#/components/schemas/ValidationError' };
    const withCode = {
      allOf: [
        { $ref: '#/components/schemas/Error' },
        { properties: { error: { properties: { code: { enum: named } } } } },
      ],
    };
    if (named.length === 0) return ofFields;
    return named.length === codes.length ? withCode : { anyOf: [ofFields, withCode] };
  },
};

/** Errors of every operation. */
export const ALWAYS_REFUSED = [
  ...['INVALID_REQUEST', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE'],
  ...['RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'],
];

/** Applies to every API. */
export const HEADER_LIMIT = 'The URL and the headers of a request may have at most 16 KiB together.';
