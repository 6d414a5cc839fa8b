import type { Type } from '@nestjs/common';
import {
  accessTokenSchema,
  adoptionSchema,
  apiKeySchema,
  appOverviewSchema,
  appSchema,
  buildSchema,
  buildStatsSchema,
  explanationSchema,
  feedSettingsSchema,
  listingsModuleSchema,
  ownedAppSchema,
  ownerSchema,
  projectionSchema,
  syncLogSchema,
  syncSettingsSchema,
  tokenInfoSchema,
} from '@sluice/contracts';
import {
  ALWAYS_REFUSED,
  commonEnvelopes,
  errorsByField,
  HEADER_LIMIT,
  object,
  text,
  type Plane,
} from '@sluice/openapi';
import type { AccessPolicy } from '../access/access-policy';
import { historyAnswer } from '../management/app-history';
import { AccessTokensController } from '../dashboard/access-tokens.controller';
import { OwnedAppsController } from '../dashboard/apps.controller';
import { DiagnosticsController } from '../dashboard/diagnostics.controller';
import { EventsController } from '../dashboard/events.controller';
import { ListingsController } from '../dashboard/listings.controller';
import { OverviewController } from '../dashboard/overview.controller';
import { OwnersController } from '../dashboard/owners.controller';
import { ProjectionsController } from '../dashboard/projections.controller';
import { SecretsController } from '../dashboard/secrets.controller';
import { SessionController } from '../dashboard/session.controller';
import { SettingsController } from '../dashboard/settings.controller';
import { StorageController } from '../dashboard/storage.controller';
import { UpgradeController } from '../dashboard/upgrade.controller';
import { WebhookController } from '../dashboard/webhook.controller';
import { ConnectionController } from '../listings/connection.controller';
import { listingsCode } from '../listings/plane/envelope';
import { FeedController } from '../listings/feed.controller';
import { LISTINGS } from '../listings/plane/namespace';
import { ListingsSettingsController } from '../listings/settings.controller';
import { SyncController } from '../listings/sync.controller';
import { ApiKeysController } from '../management/api-keys.controller';
import { AppsController } from '../management/apps.controller';
import { BuildsController } from '../management/builds.controller';
import { DevicesController } from '../management/devices.controller';
import { HistoryController } from '../management/history.controller';
import { jobAnswer, JobsController } from '../management/jobs.controller';
import { KeystoreController } from '../management/keystore.controller';
import { SigningKeyController } from '../management/signing-key.controller';
import { TokenController } from '../management/token.controller';
import { routesOn } from '../http/route';
import { CSRF_HEADER, SESSION_COOKIE } from '../access/sessions';

// In the order in which they are described.
const management: readonly Type[] = [
  ...[TokenController, AppsController, BuildsController, HistoryController, DevicesController, JobsController],
  ...[ApiKeysController, SigningKeyController, KeystoreController],
];
const dashboard: readonly Type[] = [
  ...[SessionController, OwnersController, SettingsController, StorageController, EventsController],
  ...[OverviewController, OwnedAppsController, AccessTokensController, ListingsController, WebhookController],
  ...[SecretsController, DiagnosticsController, ProjectionsController, UpgradeController],
];
const listings: readonly Type[] = [ConnectionController, ListingsSettingsController, SyncController, FeedController];

/** The classes whose methods are routes. */
export const CONTROLLERS: readonly Type[] = [...management, ...dashboard, ...listings];

/** Schemas that the descriptions of both planes give a name. */
const componentsOfApps = {
  App: appSchema,
  Build: buildSchema,
  Job: jobAnswer,
  ApiKey: apiKeySchema,
  HistoryEntry: historyAnswer,
  Adoption: adoptionSchema,
  BuildStats: buildStatsSchema,
  Explanation: explanationSchema,
};

/** Of every plane whose bodies are stored as they come. */
const STORED_TEXT =
  'A text in a request body must not contain a NUL character, also in members that are not described here.';

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

/** The planes of the gateway by the name of their description. */
export const PLANES = {
  management: {
    ...commonEnvelopes,
    title: 'Sluice management API',
    description:
      'Apps, builds, rollouts and keys, for CI and scripts. Successes are `{data}`, lists carry `meta`; branch on the `code` of a refusal. No cross-origin headers are sent. ' +
      `${STORED_TEXT} ${HEADER_LIMIT}`,
    base: '/api/public/v1',
    routes: routesOn('management', management),
    components: { TokenInfo: tokenInfoSchema, ...componentsOfApps },
    headers: LIMIT_HEADERS,
    securitySchemes: { accessToken: bearerToken, accessTokenHeader: tokenHeader },
    alwaysRefusals: ALWAYS_REFUSED,
  },
  dashboard: {
    ...commonEnvelopes,
    title: 'Sluice dashboard API',
    description:
      'What an owner does: its login, owners, access tokens, the switch of the listings module, sealed secrets; and in its own apps all that access tokens do on the management plane, with every permission. ' +
      `${STORED_TEXT} ${HEADER_LIMIT}`,
    base: '/api/dashboard/v1',
    routes: routesOn('dashboard', [...dashboard, ...management]),
    components: {
      Owner: ownerSchema,
      AccessToken: accessTokenSchema,
      OwnedApp: ownedAppSchema,
      AppOverview: appOverviewSchema,
      ListingsModule: listingsModuleSchema,
      Projection: projectionSchema,
      ...componentsOfApps,
    },
    headers: {},
    securitySchemes: { ownerKey, session },
    alwaysRefusals: ALWAYS_REFUSED,
  },
  'listings-ads': {
    title: 'Sluice listings and ads API',
    description:
      'The store’s listings, for the operator (the first owner) and tokens with `manage_store` that the operator created; other owners and their tokens get 403 `forbidden`. Every answer is `{success, data, message}`; a refusal’s code is `data.code`. ' +
      `${STORED_TEXT} ${HEADER_LIMIT}`,
    base: LISTINGS,
    routes: routesOn('listings', listings),
    components: { FeedSettings: feedSettingsSchema, SyncSettings: syncSettingsSchema, SyncLog: syncLogSchema },
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
    alwaysRefusals: ALWAYS_REFUSED,
  },
} as const satisfies Record<string, Plane>;

/** Everything that the gateway serves of the planes: what is not declared here is not served. */
export const ROUTES = [PLANES.management, PLANES.dashboard, PLANES['listings-ads']].flatMap(({ routes }) => routes);

/** What each route needs that is not open to anyone, by `METHOD /path/:parameter`. */
export function guardedRoutes(): ReadonlyMap<string, AccessPolicy> {
  return new Map(
    ROUTES.flatMap(({ method, url, access }) => (access === 'open' ? [] : [[`${method} ${url}`, access] as const])),
  );
}
