import {
  acceptBuild,
  adoptionSchema,
  apiKeySchema,
  appSchema,
  buildSchema,
  buildStatsSchema,
  countedSigningKeySchema,
  createApiKey,
  createSigningKey,
  deleteApiKey,
  deleteBuild,
  deleteKeystore,
  explanationSchema,
  forgetDevice,
  getDevice,
  jobSchema,
  keptReportSchema,
  keystoreSchema,
  removeApp,
  retentionSchema,
  retireSigningKey,
  revealApiKey,
  rotateApiKey,
  rotateSigningKey,
  signingKeySchema,
  storeKeystore,
  tokenInfoSchema,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { VALIDATION_FAILED } from '@sluice/kernel';
import { z } from 'zod';
import { PUBLIC } from '../access-policy';
import { one, pageOfMany, type OperationGroup } from '../openapi/operation';
import { HISTORY_DEPTH, historyAnswer } from '../app-history';
import { daysQuery, explainQuery } from './adoption';
import { etagHeader, ifMatchHeader } from './if-match';
import { asOfQuery, buildFilter, buildHistoryQuery } from './past';
import {
  createApiKeyBody,
  createAppBody,
  editAppBody,
  editBuildBody,
  listBuildsQuery,
  promoteBody,
  retentionQuery,
  rolloutBody,
  rotateSigningKeyBody,
  signingKeyBody,
  uploadFields,
} from './schemas';
import { restrictionsBody } from './restrictions';

const APP = `${PUBLIC}/apps/:app`;

const jobAnswer = jobSchema.omit({ app_id: true }).extend({ status_url: z.url() });
const uploadAnswer = acceptBuild.reply.omit({ objectKey: true }).extend({ status_url: z.url() });

/** Schemas that the descriptions of both planes give a name. */
export const componentsOfApps = {
  App: appSchema,
  Build: buildSchema,
  Job: jobAnswer,
  ApiKey: apiKeySchema,
  HistoryEntry: historyAnswer,
  Adoption: adoptionSchema,
  BuildStats: buildStatsSchema,
  Explanation: explanationSchema,
};

/** Schemas that the description gives a name. */
export const managementComponents = { TokenInfo: tokenInfoSchema, ...componentsOfApps };

/** What each route of the management plane takes and answers. */
export const managementGroups: readonly OperationGroup[] = [
  {
    heading: 'Token',
    description: 'The access token that asks.',
    operations: {
      [`GET ${PUBLIC}/token`]: {
        id: 'getToken',
        summary: 'What this token may do',
        answers: { 200: one(tokenInfoSchema, 'The token.') },
      },
    },
  },
  {
    heading: 'Apps',
    description: 'Apps that a token reaches.',
    operations: {
      [`GET ${PUBLIC}/apps`]: {
        id: 'listApps',
        summary: 'Apps that this token reaches, by id',
        query: [pageQuery],
        answers: { 200: pageOfMany(appSchema) },
      },
      [`POST ${PUBLIC}/apps`]: {
        id: 'createApp',
        summary: 'Register an app',
        description: 'An app that a token made for specific apps registers is attached to that token.',
        body: createAppBody,
        answers: { 201: one(appSchema, 'The new app.') },
        // APP_NOT_FOUND: to the repeat of a request whose app was deleted meanwhile.
        refusals: ['BUNDLE_ID_TAKEN', 'APP_LIMIT_REACHED', 'APP_NOT_FOUND'],
      },
      [`GET ${APP}`]: { id: 'getApp', summary: 'One app', answers: { 200: one(appSchema, 'The app.') } },
      [`PATCH ${APP}`]: {
        id: 'editApp',
        summary: 'Edit what an app says of itself',
        description:
          'Members left out stay as they are; a bundle_id can never be changed. Only the owner can change signing_key_rotation, unique_signatures and keep_builds.',
        body: editAppBody,
        answers: { 200: one(appSchema, 'The app as it stands now.') },
        refusals: ['TOKEN_PERMISSION_DENIED'],
      },
      [`DELETE ${APP}`]: {
        id: 'deleteApp',
        summary: 'Delete an app for ever, with its builds and keys',
        description: 'Its bundle_id is free again.',
        answers: { 200: one(removeApp.reply, 'It is deleted.') },
      },
    },
  },
  {
    heading: 'Builds',
    description: 'Bundles, their channels and rollouts.',
    operations: {
      [`GET ${APP}/builds`]: {
        id: 'listBuilds',
        summary: 'Builds, newest first',
        query: [pageQuery, listBuildsQuery, asOfQuery],
        answers: { 200: pageOfMany(buildSchema) },
      },
      [`POST ${APP}/builds`]: {
        id: 'uploadBuild',
        summary: 'Upload a bundle',
        description:
          'Accepted is not live: poll the job at status_url, about every 5 seconds, until it is completed or failed.',
        form: uploadFields,
        answers: { 202: one(uploadAnswer, 'Stored; its job is queued.') },
        refusals: ['VERSION_ALREADY_EXISTS', 'VERSION_NOT_NEWER', 'STORAGE_LIMIT_REACHED', 'UPLOAD_FAILED'],
      },
      [`GET ${APP}/retention`]: {
        id: 'previewRetention',
        summary: 'Builds that the retention would delete now',
        description:
          'Nothing is deleted by this. With keep_builds as if that many builds of each channel were kept, else by the number in force. A build that a device may be offered, the head of a channel, one that is being checked, and one that changed within BUILD_RETENTION_GRACE_SECONDS always stay.',
        query: [retentionQuery],
        answers: { 200: one(retentionSchema, 'The builds, and the bytes that their deletion frees.') },
        refusals: [VALIDATION_FAILED],
      },
      [`GET ${APP}/builds/:build`]: {
        id: 'getBuild',
        summary: 'One build',
        query: [asOfQuery],
        answers: { 200: { ...one(buildSchema, 'The build.'), headers: etagHeader } },
      },
      [`PATCH ${APP}/builds/:build`]: {
        id: 'editBuild',
        summary: 'Pause, resume or archive a build, or edit what it says',
        description: 'Members left out stay as they are.',
        headers: ifMatchHeader,
        body: editBuildBody,
        answers: { 200: { ...one(buildSchema, 'The build as it stands now.'), headers: etagHeader } },
        refusals: ['BUILD_CHANGED', 'BUILD_NOT_READY', 'VERSION_ALREADY_EXISTS'],
      },
      [`POST ${APP}/builds/:build/promote`]: {
        id: 'promoteBuild',
        summary: 'Promote a build to another channel',
        description: 'The new build is active at once and shares the stored bundle.',
        body: promoteBody,
        answers: { 201: { ...one(buildSchema, 'The new build.'), headers: etagHeader } },
        refusals: ['BUILD_NOT_READY', 'VERSION_ALREADY_EXISTS', 'ALREADY_IN_CHANNEL'],
      },
      [`PATCH ${APP}/builds/:build/rollout`]: {
        id: 'changeRollout',
        summary: 'Change a rollout',
        description: 'Send rollout_percentage, enabled or both.',
        headers: ifMatchHeader,
        body: rolloutBody,
        answers: { 200: { ...one(buildSchema, 'The build as it stands now.'), headers: etagHeader } },
        refusals: ['BUILD_CHANGED'],
      },
      [`DELETE ${APP}/builds/:build`]: {
        id: 'deleteBuild',
        summary: 'Delete a build for ever',
        description: 'Promoted copies keep working.',
        headers: ifMatchHeader,
        answers: { 200: one(deleteBuild.reply, 'It is deleted.') },
        refusals: ['BUILD_CHANGED'],
      },
    },
  },
  {
    heading: 'History',
    description: 'Who did what, when, with which token; deleted builds included.',
    operations: {
      [`GET ${APP}/history`]: {
        id: 'getAppHistory',
        summary: 'What happened to an app, newest first',
        description: HISTORY_DEPTH,
        query: [pageQuery, buildFilter, buildHistoryQuery],
        answers: { 200: pageOfMany(historyAnswer) },
      },
      [`GET ${APP}/builds/:build/history`]: {
        id: 'getBuildHistory',
        summary: 'What happened to a build, newest first',
        description: HISTORY_DEPTH,
        query: [pageQuery, buildHistoryQuery],
        answers: { 200: pageOfMany(historyAnswer) },
      },
    },
  },
  {
    heading: 'Adoption',
    description: 'What devices report, and what they are offered.',
    operations: {
      [`GET ${APP}/adoption`]: {
        id: 'getAdoption',
        summary: 'Active devices by day, version, platform and native version',
        description:
          'Days are UTC. In `total` a device counts once a day, in `versions` once for each version that it reports that day. A report names no channel.',
        query: [daysQuery],
        answers: { 200: one(adoptionSchema, 'The days, and what was active on each.') },
        refusals: [VALIDATION_FAILED],
      },
      [`GET ${APP}/builds/:build/stats`]: {
        id: 'getBuildStats',
        summary: 'What became of a build',
        description:
          'Of reports each device counts once. `checks` are those of the channel on days on which the build was offered or reported; they and `offered` are approximate.',
        query: [daysQuery],
        answers: { 200: one(buildStatsSchema, 'Totals, and the days asked for.') },
      },
      [`GET ${APP}/explain`]: {
        id: 'explainUpdate',
        summary: 'Which build a device would be offered, and why not each newer one',
        description: 'Judged as an update check would be, at this moment.',
        query: [explainQuery],
        answers: { 200: one(explanationSchema, 'The choice and its reasons.') },
      },
      [`GET ${APP}/devices/:device`]: {
        id: 'getDevice',
        summary: 'What is kept of a device',
        description:
          'What it last reported, kept for `DEVICE_STATE_DAYS` after that, and how many of its reports are kept. With the list of these reports it is all that is kept of the device. Of a device that never reported, `state` is null.',
        answers: { 200: one(getDevice.reply, 'The device.') },
        refusals: [VALIDATION_FAILED],
      },
      [`GET ${APP}/devices/:device/reports`]: {
        id: 'listDeviceReports',
        summary: 'The reports of a device that are kept',
        description: 'Each thing that it reported, once, with the time of the first such report.',
        query: [pageQuery],
        answers: { 200: pageOfMany(keptReportSchema) },
      },
      [`DELETE ${APP}/devices/:device`]: {
        id: 'forgetDevice',
        summary: 'Delete all that is kept of a device',
        description:
          'Its reports and its state are deleted. Totals of days that are over name no device, and stay as they are.',
        answers: { 200: one(forgetDevice.reply, 'How many reports were deleted.') },
        refusals: [VALIDATION_FAILED],
      },
    },
  },
  {
    heading: 'Jobs',
    description: 'Queued work.',
    operations: {
      [`GET ${PUBLIC}/jobs/:job`]: {
        id: 'getJob',
        summary: 'How an upload is getting on',
        answers: { 200: one(jobAnswer, 'The job.') },
      },
    },
  },
  {
    heading: 'App API keys',
    description: 'Credentials of the device plane, at most three of an app active.',
    operations: {
      [`GET ${APP}/api-keys`]: {
        id: 'listApiKeys',
        summary: 'Keys of an app, by id',
        query: [pageQuery],
        answers: { 200: pageOfMany(apiKeySchema) },
      },
      [`POST ${APP}/api-keys`]: {
        id: 'createApiKey',
        summary: 'Make a key; only this answer shows it',
        body: createApiKeyBody,
        answers: { 201: one(createApiKey.reply, 'The key, with its plaintext.') },
        refusals: ['MAX_KEYS_REACHED'],
      },
      [`GET ${APP}/api-keys/:key`]: {
        id: 'getApiKey',
        summary: 'One key, without its secret',
        answers: { 200: one(apiKeySchema, 'The key.') },
      },
      [`DELETE ${APP}/api-keys/:key`]: {
        id: 'deleteApiKey',
        summary: 'Delete a key, for good and at once',
        answers: { 200: one(deleteApiKey.reply, 'Deleted.') },
      },
      [`POST ${APP}/api-keys/:key/rotate`]: {
        id: 'rotateApiKey',
        summary: 'Give a key a new secret',
        description: 'The old secret counts no more from this answer on.',
        answers: { 200: one(rotateApiKey.reply, 'The key, with its plaintext.') },
        refusals: ['KEY_REVOKED'],
      },
      [`POST ${APP}/api-keys/:key/reveal`]: {
        id: 'revealApiKey',
        summary: 'Show the secret of a key again',
        answers: { 200: one(revealApiKey.reply, 'The plaintext.') },
        refusals: ['PLAINTEXT_UNAVAILABLE', 'KEY_REVOKED'],
      },
      [`PATCH ${APP}/api-keys/:key/restrictions`]: {
        id: 'restrictApiKey',
        summary: 'Say who may use a key',
        description:
          'Replaces every restriction; a kind left out is cleared, and `{}` clears them all. A body is required. A caller that meets one entry of any kind may use the key.',
        body: restrictionsBody,
        bodyRequired: true,
        answers: { 200: one(apiKeySchema, 'The key as it stands now.') },
      },
      [`POST ${APP}/api-keys/:key/revoke`]: {
        id: 'revokeApiKey',
        summary: 'Revoke a key, for good and at once',
        answers: { 200: one(apiKeySchema, 'The revoked key.') },
      },
      [`POST ${APP}/api-keys/:key/deprecate`]: {
        id: 'deprecateApiKey',
        summary: 'Mark a key for retirement; it keeps working',
        answers: { 200: one(apiKeySchema, 'The key as it stands now.') },
      },
    },
  },
  {
    heading: 'Signing key',
    description: 'With it the server signs the bundles of an app. The private half never leaves the server.',
    operations: {
      [`GET ${APP}/signing-key`]: {
        id: 'getSigningKey',
        summary: 'The public key, if there is one',
        answers: { 200: one(signingKeySchema, 'The key, or that there is none.') },
      },
      [`POST ${APP}/signing-key`]: {
        id: 'createSigningKey',
        summary: 'Make a signing key',
        body: signingKeyBody,
        answers: { 201: one(createSigningKey.reply, 'The new key.') },
        refusals: ['SIGNING_KEY_EXISTS'],
      },
      [`POST ${APP}/signing-key/rotate`]: {
        id: 'rotateSigningKey',
        summary: 'Make a new signing key the active one',
        description:
          'The former key goes on signing, so that installed apps, which trust it alone, go on verifying: `signature` is of the oldest such key until it is retired. With expected_fingerprint nothing changes unless the active key has it.',
        body: rotateSigningKeyBody,
        answers: { 200: one(rotateSigningKey.reply, 'The new key.') },
        refusals: ['NO_ACTIVE_SIGNING_KEY', 'FINGERPRINT_MISMATCH', 'TOO_MANY_FORMER_SIGNING_KEYS'],
      },
      [`GET ${APP}/signing-keys`]: {
        id: 'listSigningKeys',
        summary: 'Every signing key, newest first',
        description:
          'The active one, former ones that still sign, and retired ones. `devices` counts those that last reported a version which was first signed while the key was the newest: before a former key is retired, these need an update. Versions with a supplied signature are not counted. It is null while the device plane does not answer.',
        query: [pageQuery],
        answers: { 200: pageOfMany(countedSigningKeySchema) },
      },
      [`POST ${APP}/signing-keys/:key/retire`]: {
        id: 'retireSigningKey',
        summary: 'Retire a former signing key, for good and at once',
        description:
          'Its private half is deleted. Installed apps that trust this key alone accept no build that is signed from then on. Repeating it changes nothing.',
        answers: { 200: one(retireSigningKey.reply, 'The retired key.') },
        refusals: ['SIGNING_KEY_ACTIVE'],
      },
    },
  },
  {
    heading: 'Keystore backup',
    description: 'One zip per app with what its native builds are signed with. It is kept sealed.',
    operations: {
      [`GET ${APP}/keystore`]: {
        id: 'getKeystore',
        summary: 'The backup, if there is one',
        answers: { 200: one(keystoreSchema, 'The backup, or that there is none.') },
      },
      [`POST ${APP}/keystore`]: {
        id: 'uploadKeystore',
        summary: 'Keep a keystore, in place of an earlier one',
        form: z.object({}),
        answers: {
          201: one(
            storeKeystore.reply.shape.keystore,
            'Stored. The repeat of an upload answers the backup as it stands now.',
          ),
        },
        refusals: ['KEYSTORE_MUST_BE_ZIP', 'UPLOAD_FAILED'],
      },
      [`GET ${APP}/keystore/download`]: {
        id: 'downloadKeystore',
        summary: 'The zip as it was uploaded',
        answers: {
          200: {
            kind: 'bytes',
            mediaType: 'application/zip',
            description: 'The zip. One that was altered in the object store is cut off.',
            headers: { 'Content-Disposition': 'The name that it was uploaded under.', 'Content-Length': 'Bytes.' },
          },
        },
        refusals: ['KEYSTORE_NOT_FOUND'],
      },
      [`DELETE ${APP}/keystore`]: {
        id: 'deleteKeystore',
        summary: 'Delete the backup for ever',
        answers: { 200: one(deleteKeystore.reply, 'Deleted.') },
        refusals: ['KEYSTORE_NOT_FOUND'],
      },
    },
  },
];
