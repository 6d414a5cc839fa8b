import {
  accessTokenSchema,
  appOverviewSchema,
  createOwner,
  createToken,
  clearDeadLetters,
  deadLetterSchema,
  deleteWebhook,
  diagnosticsSchema,
  effectiveSettingsSchema,
  listDataKeys,
  listingsModuleSchema,
  oauthClientSchema,
  ownedAppSchema,
  ownerSchema,
  projectionSchema,
  resealSecrets,
  resendDeadLetters,
  rotateDataKeys,
  rotateOwnerKey,
  rotateToken,
  saveOAuthClient,
  saveWebhook,
  storageSchema,
  timeSchema,
  webhookSchema,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { z } from 'zod';
import { ACCESS_POLICIES, DASHBOARD, ownersRoute } from '../access-policy';
import { HISTORY_DEPTH, historyAnswer } from '../app-history';
import { STREAM_DESCRIPTION } from '../event-streams';
import { componentsOfApps, managementGroups } from '../management/operations';
import { buildFilter, buildHistoryQuery } from '../management/past';
import { one, pageOfMany, type OperationGroup } from '../openapi/operation';
import {
  createOwnerBody,
  rotateOwnerKeyBody,
  suspendOwnerBody,
  createTokenBody,
  editTokenBody,
  listingsModuleBody,
  loginBody,
  removedQuery,
  rotateDataKeysBody,
} from './schemas';

const sessionAnswer = z.object({
  owner: ownerSchema.pick({ id: true, name: true, operator: true }),
  /** When the session ends unless it is used before; null with the owner key. */
  expires_at: timeSchema.nullable(),
});

/** Schemas that the description gives a name. */
export const dashboardComponents = {
  Owner: ownerSchema,
  AccessToken: accessTokenSchema,
  OwnedApp: ownedAppSchema,
  AppOverview: appOverviewSchema,
  ListingsModule: listingsModuleSchema,
  Projection: projectionSchema,
  ...componentsOfApps,
};

/** Below each heading also what the management plane has there and the dashboard plane serves as well. */
function withOperationsOfTokens(own: readonly OperationGroup[]): OperationGroup[] {
  const described = new Set(own.flatMap(({ operations }) => Object.keys(operations)));
  const shared = managementGroups
    .map((group) => ({
      ...group,
      operations: Object.fromEntries(
        Object.entries(group.operations)
          .map(([route, operation]) => [ownersRoute(route), operation] as const)
          .filter(([route]) => route in ACCESS_POLICIES && !described.has(route)),
      ),
    }))
    .filter(({ operations }) => Object.keys(operations).length > 0);
  const under = (heading: string) => shared.find((group) => group.heading === heading)?.operations;
  const headings = new Set(own.map(({ heading }) => heading));
  return [
    ...own.map((group) => ({ ...group, operations: { ...group.operations, ...under(group.heading) } })),
    ...shared.filter(({ heading }) => !headings.has(heading)),
  ];
}

/** What each route of the dashboard plane takes and answers. */
export const dashboardGroups: readonly OperationGroup[] = withOperationsOfTokens([
  {
    heading: 'Session',
    description: 'The login of an owner in a browser. Scripts send the owner key instead.',
    operations: {
      [`POST ${DASHBOARD}/session`]: {
        id: 'beginSession',
        summary: 'Log in with the owner key',
        description: 'The cookie is HttpOnly and SameSite=Strict. Failures count against the address.',
        body: loginBody,
        answers: { 201: { ...one(sessionAnswer, 'Logged in.'), headers: { 'Set-Cookie': 'The session.' } } },
        refusals: ['INVALID_OWNER_KEY', 'OWNER_SUSPENDED', 'CSRF_REFUSED'],
        open: true,
      },
      [`GET ${DASHBOARD}/session`]: {
        id: 'getSession',
        summary: 'Who is logged in, and until when',
        answers: { 200: one(sessionAnswer, 'The owner who asks.') },
      },
      [`DELETE ${DASHBOARD}/session`]: {
        id: 'endSession',
        summary: 'Log out, everywhere at once',
        answers: { 200: one(z.object({ ended: z.boolean() }), 'Whether there was a session to end.') },
      },
    },
  },
  {
    heading: 'Owners',
    description: 'Each has apps, tokens and a quota of its own. The first is the operator.',
    operations: {
      [`GET ${DASHBOARD}/owner`]: {
        id: 'getOwner',
        summary: 'The owner who asks',
        answers: { 200: one(ownerSchema, 'The owner.') },
      },
      [`POST ${DASHBOARD}/owner/rotate-key`]: {
        id: 'rotateOwnKey',
        summary: 'Give yourself a new owner key; only this answer shows it',
        description:
          'The former key and its sessions stop working immediately, everywhere; with `revoke_tokens`, which is for a key that leaked, so do all tokens of the owner.',
        body: rotateOwnerKeyBody,
        answers: { 200: one(rotateOwnerKey.reply, 'The owner, with the new key.') },
        refusals: ['OWNER_NOT_FOUND', 'PLAINTEXT_UNAVAILABLE'],
      },
      [`GET ${DASHBOARD}/owners`]: {
        id: 'listOwners',
        summary: 'All owners, by id; for the operator',
        query: [pageQuery],
        answers: { 200: pageOfMany(ownerSchema) },
      },
      [`POST ${DASHBOARD}/owners`]: {
        id: 'createOwner',
        summary: 'Make an owner; only this answer shows its key',
        body: createOwnerBody,
        answers: { 201: one(createOwner.reply, 'The owner, with its key.') },
        refusals: ['PLAINTEXT_UNAVAILABLE'],
      },
      [`POST ${DASHBOARD}/owners/:owner/rotate-key`]: {
        id: 'rotateOwnerKey',
        summary: 'Give any owner a new key; only this answer shows it',
        description:
          'The former key and its sessions stop working immediately, everywhere; with `revoke_tokens` so do all tokens of the owner.',
        body: rotateOwnerKeyBody,
        answers: { 200: one(rotateOwnerKey.reply, 'The owner, with the new key.') },
        refusals: ['PLAINTEXT_UNAVAILABLE'],
      },
      [`POST ${DASHBOARD}/owners/:owner/suspend`]: {
        id: 'suspendOwner',
        summary: 'Suspend an owner; for the operator',
        description:
          'Its key, sessions and tokens get 403 `OWNER_SUSPENDED` from this response on. Devices of its apps are served as before, unless `stop_devices` is true: then they get the same 403. Download addresses that were given out work until they expire. Suspending again changes the reason and `stop_devices`.',
        body: suspendOwnerBody,
        answers: { 200: one(ownerSchema, 'The owner.') },
        refusals: ['OPERATOR_NOT_SUSPENDABLE'],
      },
      [`POST ${DASHBOARD}/owners/:owner/resume`]: {
        id: 'resumeOwner',
        summary: 'End the suspension of an owner; for the operator',
        description: 'An owner that is not suspended stays as it is.',
        answers: { 200: one(ownerSchema, 'The owner.') },
      },
    },
  },
  {
    heading: 'Settings',
    description: 'What the installation runs with. They come from the environment and are changed there.',
    operations: {
      [`GET ${DASHBOARD}/settings`]: {
        id: 'getSettings',
        summary: 'Limits, sizes, retention and version; for the operator also what it all stands on',
        answers: { 200: one(effectiveSettingsSchema, 'The settings in force.') },
      },
      [`GET ${DASHBOARD}/storage`]: {
        id: 'getStorage',
        summary: 'How much of its storage the owner uses',
        description:
          'The bundles of its apps, each once however many builds share it; not its keystores, and not bundles without a build that are still to be deleted.',
        answers: { 200: one(storageSchema, 'The limit, the sum, and the bytes of each app that has a bundle.') },
      },
    },
  },
  {
    heading: 'Events',
    description: 'What changes, as it happens, of all that the owner sees.',
    operations: {
      [`GET ${DASHBOARD}/events`]: {
        id: 'streamEvents',
        summary: 'Be told what to ask for anew',
        description: STREAM_DESCRIPTION,
        answers: { 200: { kind: 'bytes', mediaType: 'text/event-stream', description: 'A stream that goes on.' } },
        refusals: ['TOO_MANY_STREAMS'],
      },
    },
  },
  {
    heading: 'Apps',
    description: 'Of the owner, those that were removed as well.',
    operations: {
      [`GET ${DASHBOARD}/overview`]: {
        id: 'getOverview',
        summary: 'The apps of the owner at a glance, by id',
        description:
          'What each channel serves, and the health of each app. `devices`, `builds` or `blocked` is null while the service that knows it does not answer.',
        query: [pageQuery],
        answers: { 200: pageOfMany(appOverviewSchema) },
      },
      [`GET ${DASHBOARD}/apps`]: {
        id: 'listOwnedApps',
        summary: 'Apps of the owner, by id; removed ones when they are asked for',
        query: [pageQuery, removedQuery],
        answers: { 200: pageOfMany(ownedAppSchema) },
      },
      [`GET ${DASHBOARD}/apps/:app/history`]: {
        id: 'getOwnedAppHistory',
        summary: 'Who did what to an app, newest first, also once it was removed',
        description: `A removed app is named by its integer id alone. ${HISTORY_DEPTH}`,
        query: [pageQuery, buildFilter, buildHistoryQuery],
        answers: { 200: pageOfMany(historyAnswer) },
      },
    },
  },
  {
    heading: 'Access tokens',
    description:
      'Credentials of the management plane and, with `manage_store`, of the listings-ads plane. Only the operator can give a token that permission; other owners get 403 `OPERATOR_ONLY`.',
    operations: {
      [`GET ${DASHBOARD}/tokens`]: {
        id: 'listTokens',
        summary: 'Access tokens of the owner, by id',
        query: [pageQuery],
        answers: { 200: pageOfMany(accessTokenSchema) },
      },
      [`POST ${DASHBOARD}/tokens`]: {
        id: 'createToken',
        summary: 'Make an access token; only this answer shows it',
        body: createTokenBody,
        answers: { 201: one(createToken.reply, 'The token, with its secret.') },
        refusals: ['PLAINTEXT_UNAVAILABLE', 'OPERATOR_ONLY', 'TOKEN_LIMIT_REACHED'],
      },
      [`GET ${DASHBOARD}/tokens/:token`]: {
        id: 'getToken',
        summary: 'One access token',
        answers: { 200: one(accessTokenSchema, 'The token, without its secret.') },
      },
      [`PATCH ${DASHBOARD}/tokens/:token`]: {
        id: 'editToken',
        summary: 'Change what an access token is called, may do and reaches, and until when',
        description:
          'Members left out stay as they are. `apps` replaces every app that it reaches, those that it registered included; `all_apps: true` gives it all, `all_apps: false` goes with `apps`. Counts at once, everywhere.',
        body: editTokenBody,
        answers: { 200: one(accessTokenSchema, 'The token as it stands now.') },
        refusals: ['TOKEN_REVOKED', 'OPERATOR_ONLY'],
      },
      [`POST ${DASHBOARD}/tokens/:token/rotate`]: {
        id: 'rotateToken',
        summary: 'Give an access token a new secret; only this answer shows it',
        description: 'The old secret ends at once, everywhere. Everything else stays.',
        answers: { 200: one(rotateToken.reply, 'The token, with its new secret.') },
        refusals: ['TOKEN_REVOKED', 'PLAINTEXT_UNAVAILABLE'],
      },
      [`POST ${DASHBOARD}/tokens/:token/revoke`]: {
        id: 'revokeToken',
        summary: 'Revoke an access token, everywhere at once',
        answers: { 200: one(accessTokenSchema, 'The revoked token.') },
      },
    },
  },
  {
    heading: 'Listings module',
    description: 'Its switch, its entitlement and its OAuth client, for the operator alone.',
    operations: {
      [`GET ${DASHBOARD}/listings`]: {
        id: 'getListingsModule',
        summary: 'Whether the module is on, and paid for',
        answers: { 200: one(listingsModuleSchema, 'The switch and the entitlement.') },
      },
      [`PUT ${DASHBOARD}/listings`]: {
        id: 'setListingsModule',
        summary: 'Turn the module on or off',
        body: listingsModuleBody,
        answers: { 200: one(listingsModuleSchema, 'The switch and the entitlement.') },
      },
      [`GET ${DASHBOARD}/listings/oauth-client`]: {
        id: 'getOAuthClient',
        summary: 'As which OAuth client access to a merchant account is asked for',
        answers: { 200: one(oauthClientSchema, 'The client, without its secret.') },
      },
      [`PUT ${DASHBOARD}/listings/oauth-client`]: {
        id: 'saveOAuthClient',
        summary: 'Save an OAuth client, in place of the environment’s',
        description:
          'The secret is sealed and never shown. A grant belongs to the client that it was given to: connect the store again behind a change to another client.',
        body: saveOAuthClient.request,
        answers: { 200: one(oauthClientSchema, 'The client that holds now.') },
      },
      [`DELETE ${DASHBOARD}/listings/oauth-client`]: {
        id: 'deleteOAuthClient',
        summary: 'Forget the OAuth client that was saved',
        answers: { 200: one(oauthClientSchema, 'The client that holds now, the environment’s or none.') },
      },
    },
  },
  {
    heading: 'Listings webhook',
    description:
      'Where hooks are sent, signed, and what could not be delivered. docs/listings.md tells what they hold.',
    operations: {
      [`GET ${DASHBOARD}/listings/webhook`]: {
        id: 'getWebhook',
        summary: 'The address, and how much waits for it',
        answers: { 200: one(webhookSchema, 'The webhook, without its secret.') },
      },
      [`PUT ${DASHBOARD}/listings/webhook`]: {
        id: 'saveWebhook',
        summary: 'Set the address; only the answer that made a secret shows it',
        description:
          'Hooks are sent from the first address on, nothing of the past. Without `secret` the present one stays, or one is made; `null` makes a new one. What waits goes to the new address.',
        body: saveWebhook.request,
        answers: { 200: one(saveWebhook.reply, 'The webhook is set.') },
      },
      [`DELETE ${DASHBOARD}/listings/webhook`]: {
        id: 'deleteWebhook',
        summary: 'Forget address, secret, and all deliveries',
        answers: { 200: one(deleteWebhook.reply, 'Whether there was one.') },
      },
      [`GET ${DASHBOARD}/listings/webhook/dead-letters`]: {
        id: 'listDeadLetters',
        summary: 'Deliveries that were given up, the latest first',
        query: [pageQuery],
        answers: { 200: pageOfMany(deadLetterSchema) },
      },
      [`POST ${DASHBOARD}/listings/webhook/dead-letters/resend`]: {
        id: 'resendDeadLetters',
        summary: 'Try dead letters again, those named or all',
        body: resendDeadLetters.request,
        answers: { 200: one(resendDeadLetters.reply, 'How many are tried again.') },
      },
      [`DELETE ${DASHBOARD}/listings/webhook/dead-letters`]: {
        id: 'clearDeadLetters',
        summary: 'Delete all dead letters',
        answers: { 200: one(clearDeadLetters.reply, 'How many were deleted.') },
      },
    },
  },
  {
    heading: 'Secrets',
    description: 'Sealed secrets of the installation, for the operator alone.',
    operations: {
      [`POST ${DASHBOARD}/secrets/reseal`]: {
        id: 'resealSecrets',
        summary: 'Seal one part of the secrets again, under the current master key',
        body: resealSecrets.request,
        answers: { 200: one(resealSecrets.reply, 'What was done, and where the next part begins.') },
      },
      [`GET ${DASHBOARD}/secrets/data-keys`]: {
        id: 'listDataKeys',
        summary: 'Versions of the data keys, and what a rotation changes',
        answers: { 200: one(listDataKeys.reply, 'Each data key, its versions newest first.') },
      },
      [`POST ${DASHBOARD}/secrets/data-keys/rotate`]: {
        id: 'rotateDataKeys',
        summary: 'Make a new version of the data keys named, or of all',
        body: rotateDataKeysBody,
        answers: {
          200: one(
            rotateDataKeys.reply.extend({ ended_sessions: z.int().min(0) }),
            'The data keys that were rotated. With `end_sessions`, how many sessions of owners were ended.',
          ),
        },
        refusals: ['TOO_MANY_DATA_KEY_VERSIONS'],
      },
    },
  },
  {
    heading: 'Diagnostics',
    description: 'What each service knows of itself, for the operator alone; sluice doctor judges it.',
    operations: {
      [`GET ${DASHBOARD}/diagnostics`]: {
        id: 'getDiagnostics',
        summary: 'Versions, engines, read models, disk and traffic of every service, one process of each',
        answers: { 200: one(diagnosticsSchema, 'The facts; null for a service that does not answer.') },
      },
    },
  },
  {
    heading: 'Projections',
    description: 'Read models of the installation, for the operator alone.',
    operations: {
      [`GET ${DASHBOARD}/projections`]: {
        id: 'listProjections',
        summary: 'Where each read model stands',
        answers: { 200: one(z.array(projectionSchema), 'Every read model.') },
      },
      [`GET ${DASHBOARD}/projections/:name`]: {
        id: 'getProjection',
        summary: 'Where a read model stands, and what became of its last rebuild or verification',
        answers: { 200: one(projectionSchema, 'The read model.') },
      },
      [`POST ${DASHBOARD}/projections/:name/rebuild`]: {
        id: 'rebuildProjection',
        summary: 'Make a read model anew from all events, while the present one serves',
        answers: { 202: one(projectionSchema, 'The read model, its task under way.') },
        refusals: ['PROJECTION_BUSY'],
      },
      [`POST ${DASHBOARD}/projections/:name/verify`]: {
        id: 'verifyProjection',
        summary: 'Replay all events and compare them with a read model row by row',
        answers: { 202: one(projectionSchema, 'The read model, its task under way.') },
        refusals: ['PROJECTION_BUSY'],
      },
    },
  },
]);
