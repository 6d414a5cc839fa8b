import type { Type } from '@nestjs/common';
import {
  accessTokenSchema,
  adoptionSchema,
  apiKeySchema,
  appOverviewSchema,
  appSchema,
  buildSchema,
  buildFilesSchema,
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
import { PlanTemplatesController } from '../management/plan-templates.controller';
import { PinsController } from '../management/pins.controller';
import { PlansController } from '../management/plans.controller';
import { ChannelsController } from '../management/channels.controller';
import { DevicesController } from '../management/devices.controller';
import { GroupsController } from '../management/groups.controller';
import { HistoryController } from '../management/history.controller';
import { jobAnswer, JobsController } from '../management/jobs.controller';
import { KeystoreController } from '../management/keystore.controller';
import { SigningKeyController } from '../management/signing-key.controller';
import { TokenController } from '../management/token.controller';
import { routesOn } from '../http/route';
import { CSRF_HEADER, SESSION_COOKIE } from '../access/sessions';

// In the order in which the document lists them.
const management: readonly Type[] = [
  ...[
    TokenController,
    AppsController,
    ChannelsController,
    BuildsController,
    PlansController,
    PlanTemplatesController,
    PinsController,
    HistoryController,
    DevicesController,
    GroupsController,
    JobsController,
  ],
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

/** Schemas that both planes name in their documents. */
const componentsOfApps = {
  App: appSchema,
  Build: buildSchema,
  Job: jobAnswer,
  ApiKey: apiKeySchema,
  HistoryEntry: historyAnswer,
  Adoption: adoptionSchema,
  BuildFiles: buildFilesSchema,
  BuildStats: buildStatsSchema,
  Explanation: explanationSchema,
};

/** For planes that store bodies unchanged. */
const STORED_TEXT =
  'Text in a request body must not contain a NUL character, even in members that are not described here.';

/** For requests with a token; those of an owner are limited too, but without these headers. */
const LIMIT_HEADERS = {
  'RateLimit-Limit': 'Requests that one token may make per minute.',
  'RateLimit-Remaining': 'Requests left in this minute.',
  'RateLimit-Reset': 'Whole seconds until the minute ends.',
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
  description: 'The same token, for transports that use the Authorization header themselves.',
};
const ownerKey = { type: 'http', scheme: 'bearer', description: 'The owner key, `svc_own_…`.' };

const session = {
  type: 'apiKey',
  in: 'cookie',
  name: SESSION_COOKIE,
  description: `Set by the login; over https its name begins with \`__Secure-\`. Changes with it must come from a page of the server itself (\`Origin\`, or without it \`Sec-Fetch-Site: same-origin\`) and send the header \`${CSRF_HEADER}\` with any value.`,
};

/** The planes of the gateway by the name of their description. */
export const PLANES = {
  management: {
    ...commonEnvelopes,
    title: 'Sluice management API',
    description:
      'Apps, builds, rollouts and keys, for CI and scripts. Successful responses are `{data}`, lists also have `meta`. Branch on the `code` of an error. The server sends no cross-origin headers. ' +
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
      'For owners: login, owners, access tokens, the listings module and encrypted secrets. In their own apps, owners can also do everything that access tokens can do with the management API, with every permission. ' +
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
      'The listings of the shop, for the operator (the first owner) and tokens with `manage_store` that the operator created; other owners and their tokens get 403 `forbidden`. Every response is `{success, data, message}`; the code of an error is `data.code`. ' +
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

/** All routes of the gateway's planes. A route that is not declared here is not served. */
export const ROUTES = [PLANES.management, PLANES.dashboard, PLANES['listings-ads']].flatMap(({ routes }) => routes);

/** The access policy of each route that is not open, by `METHOD /path/:parameter`. */
export function guardedRoutes(): ReadonlyMap<string, AccessPolicy> {
  return new Map(
    ROUTES.flatMap(({ method, url, access }) => (access === 'open' ? [] : [[`${method} ${url}`, access] as const])),
  );
}
