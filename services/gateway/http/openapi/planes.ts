import { listingsCode } from '../listings/envelope';
import { dashboardComponents, dashboardGroups } from '../dashboard/operations';
import { deviceGroups } from '../devices/operations';
import { LISTINGS } from '../listings/namespace';
import { listingsComponents, listingsGroups } from '../listings/operations';
import { managementComponents, managementGroups } from '../management/operations';
import { CSRF_HEADER, SESSION_COOKIE } from '../sessions';
import { VALIDATION_FAILED } from '@sluice/kernel';
import type { Plane } from './document';
import type { JsonSchema } from './json-schema';

const object = (properties: Record<string, JsonSchema>, required = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text: JsonSchema = { type: 'string' };
const errorsByField: JsonSchema = { type: 'object', additionalProperties: { type: 'array', items: text, minItems: 1 } };

/** The envelopes of spec 1, which the dashboard and the devices share. */
const commonEnvelopes: Pick<Plane, 'envelope' | 'envelopes' | 'refusal'> = {
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

const ALWAYS = [
  ...['INVALID_REQUEST', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE'],
  ...['RATE_LIMITED', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'],
];

/** Of every plane whose bodies are stored as they come. */
const STORED_TEXT =
  'A text in a request body must not contain a NUL character, also in members that are not described here.';

const HEADERS = 'The address and the headers of a request have at most 16 KiB together.';

/** Requests of a token; those of an owner are counted too, without these headers. */
const LIMIT_HEADERS = {
  'RateLimit-Limit': 'Requests that one token may make in a minute.',
  'RateLimit-Remaining': 'How many are left.',
  'RateLimit-Reset': 'Whole seconds until the minute is over.',
};

const bearerToken = {
  type: 'http',
  scheme: 'bearer',
  description: 'An access token, `svc_pat_…`.',
};
const tokenHeader = {
  type: 'apiKey',
  in: 'header',
  name: 'X-Access-Token',
  description: 'The same token, where the transport owns the Authorization header.',
};
const ownerKey = { type: 'http', scheme: 'bearer', description: 'The owner key, `svc_own_…`.' };

const session = {
  type: 'apiKey',
  in: 'cookie',
  name: SESSION_COOKIE,
  description: `What the login hands out; where the server is reached by https, its name begins with \`__Secure-\`. A change by it must come from a page of the server itself (\`Origin\`, or without it \`Sec-Fetch-Site: same-origin\`) and carry the header \`${CSRF_HEADER}\`, whatever its value.`,
};

/** The planes by the name of their description. */
export const PLANES = {
  management: {
    ...commonEnvelopes,
    title: 'Sluice management API',
    description:
      'Apps, builds, rollouts and keys, for CI and scripts. Successes are `{data}`, lists carry `meta`; branch on the `code` of a refusal. No cross-origin headers are sent. ' +
      `${STORED_TEXT} ${HEADERS}`,
    base: '/api/public/v1',
    groups: managementGroups,
    components: managementComponents,
    headers: LIMIT_HEADERS,
    securitySchemes: { accessToken: bearerToken, accessTokenHeader: tokenHeader },
    alwaysRefusals: ALWAYS,
  },
  dashboard: {
    ...commonEnvelopes,
    title: 'Sluice dashboard API',
    description:
      'What an owner does: its login, owners, access tokens, the switch of the listings module, sealed secrets; and in its own apps all that access tokens do on the management plane, with every permission. ' +
      `${STORED_TEXT} ${HEADERS}`,
    base: '/api/dashboard/v1',
    groups: dashboardGroups,
    components: dashboardComponents,
    headers: {},
    securitySchemes: { ownerKey, session },
    alwaysRefusals: ALWAYS,
  },
  'listings-ads': {
    title: 'Sluice listings and ads API',
    description:
      'The store’s listings, for the operator (the first owner) and tokens with `manage_store` that the operator created; other owners and their tokens get 403 `forbidden`. Every answer is `{success, data, message}`; a refusal’s code is `data.code`. ' +
      `${STORED_TEXT} ${HEADERS}`,
    base: LISTINGS,
    groups: listingsGroups,
    components: listingsComponents,
    headers: LIMIT_HEADERS,
    securitySchemes: { accessToken: bearerToken, accessTokenHeader: tokenHeader, ownerKey, session },
    envelope: (data) => object({ success: { const: true }, data, message: text }),
    envelopes: {
      Refusal: object({
        success: { const: false },
        data: object({ code: text, errors: errorsByField, error_id: text }, ['code']),
        message: text,
      }),
    },
    refusal: (codes, status) => ({
      allOf: [
        { $ref: '#/components/schemas/Refusal' },
        {
          properties: {
            data: { properties: { code: { enum: [...new Set(codes.map((code) => listingsCode(code, status)))] } } },
          },
        },
      ],
    }),
    alwaysRefusals: ALWAYS,
  },
  device: {
    ...commonEnvelopes,
    title: 'Sluice device API',
    description: `What installed apps ask. Any origin may call; the restrictions of the key decide who is answered. ${HEADERS}`,
    base: '/api/v1',
    groups: deviceGroups,
    components: {},
    headers: {},
    securitySchemes: {
      appApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An app API key, `svc_app_…`.' },
    },
    alwaysRefusals: ALWAYS,
    repairsText: true,
  },
} as const satisfies Record<string, Plane>;
