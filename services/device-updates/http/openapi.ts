import {
  channelChoiceBody,
  channelNameSchema,
  downloadReportBody,
  installReportBody,
  VERSION_NUMBERS,
} from '@sluice/contracts';
import { VALIDATION_FAILED, VERSION_START } from '@sluice/kernel';
import { z } from 'zod';
import {
  ALWAYS_REFUSED,
  commonEnvelopes,
  HEADER_LIMIT,
  type Answer,
  type DescribedRoute,
  type Plane,
  type Tag,
} from '@sluice/openapi';

const DEVICES = '/api/v1';

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/);
const signatures = z.array(z.object({ key_id: z.int().min(1), signature: base64 })).min(1);
const channelState = {
  channelState: z
    .string()
    .optional()
    .describe('Signed text that lists the builds of the channel (docs/guides/signing.md). Verify these exact bytes.'),
  channelStateSignature: base64.optional().describe("Signature by the app's oldest trusted signing key."),
  channelStateSignatures: signatures.optional().describe('Signatures by each key, while more than one key signs.'),
};
const nativeUpdateRequired = z
  .object({ minimum: z.string() })
  .optional()
  .describe(
    'A newer build is released to this device that its native app is too old for. The native version `minimum` is the lowest that can run it. Only for builds with a native_range.',
  );
const noUpdate = z.object({
  available: z.literal(false),
  message: z.literal('No updates available'),
  rollBackToEmbedded: z
    .literal(true)
    .optional()
    .describe(
      'The version that the device runs was recalled, and nothing replaces it: return to the bundle inside the native app.',
    ),
  nativeUpdateRequired,
  channelClosed: z.literal(true).optional().describe('The channel was deleted in the last 30 days, or has expired.'),
  ...channelState,
});
const update = z.object({
  available: z.literal(true),
  version: z.string(),
  /** Stable per build. */
  bundleId: z.uuid(),
  downloadUrl: z.url(),
  checksum: z.string().regex(/^[0-9a-f]{64}$/),
  signature: z.string().nullable(),
  size: z.int().min(0),
  mandatory: z.boolean(),
  releaseNotes: z.string().nullable(),
  minNativeVersion: z.string().nullable(),
  nativeRange: z
    .string()
    .optional()
    .describe('Native versions that can run the build, as comparators such as `>=2.1.0 <3.0.0-0`.'),
  fingerprint: z.string().optional().describe('The fingerprint of the native apps that can run the build.'),
  platform: z.enum(['ios', 'android']).optional().describe('Present if the build is for this platform alone.'),
  nativeUpdateRequired,
  expiresAt: z.iso.datetime(),
  signatures: signatures
    .optional()
    .describe('Signatures of the bundle by every trusted signing key. Absent for a supplied signature.'),
  manifest: z
    .string()
    .optional()
    .describe('Signed text that describes the offered build (docs/guides/signing.md). Verify these exact bytes.'),
  manifestSignature: base64.optional().describe("Signature by the app's oldest trusted signing key."),
  manifestSignatures: signatures.optional().describe('Signatures by each key, while more than one key signs.'),
  ...channelState,
});

const deviceId = z.string().min(1).max(255).describe('Opaque, stable ID of the installation.');
const runningVersion = z
  .string()
  .min(1)
  .max(250)
  .regex(VERSION_START)
  .describe(`Version of the running bundle. ${VERSION_NUMBERS}`);
const devicePlatform = z.enum(['ios', 'android', 'web', 'all']);
const callerHeaders = {
  'X-Android-Package': z.string().optional().describe('Identity of the caller, for the restrictions of the key.'),
  'X-Android-Cert-Sha256': z.string().optional().describe('Fingerprint of the certificate that signed the app.'),
  'X-Android-Cert-Sha1': z.string().optional().describe('Fingerprint of the certificate that signed the app.'),
  'X-Ios-Bundle-Id': z.string().optional().describe('Identity of the caller, for the restrictions of the key.'),
  'X-Ios-Team-Id': z.string().optional().describe('Identity of the caller, for the restrictions of the key.'),
};
const updateHeaders = z.object({
  'X-Device-ID': deviceId,
  'X-Current-Version': runningVersion,
  'X-Platform': devicePlatform,
  'X-App-Version': z.string().optional().describe('Native version, compared with min_native_version and native_range.'),
  'X-Native-Fingerprint': z
    .string()
    .optional()
    .describe('Fingerprint of the native app. Builds that name another one, or any if it is omitted, are not offered.'),
  'X-Embedded-Version': runningVersion
    .describe(
      `Version of the bundle inside the native app: no build that is as old or older is offered. ${VERSION_NUMBERS}`,
    )
    .meta({ orElse: [{ const: '' }] })
    .optional(),
  ...callerHeaders,
});
const reportedNative = z
  .string()
  .optional()
  .describe(
    'Native version, as in update checks. Without it, the statistics and the page of the device in the console do not show one.',
  );
const activeHeaders = z.object({
  'X-Device-ID': deviceId,
  'X-Bundle-Version': runningVersion,
  'X-Platform': devicePlatform,
  'X-App-Version': reportedNative,
  ...callerHeaders,
});
const reportHeaders = z.object({
  'X-Device-ID': deviceId,
  'X-Platform': devicePlatform.meta({ orElse: [{ const: '' }] }).optional(),
  'X-App-Version': reportedNative,
  ...callerHeaders,
});

const deviceRefusals = [
  'MISSING_API_KEY',
  'INVALID_API_KEY_FORMAT',
  'INVALID_API_KEY',
  'API_KEY_RESTRICTED',
  'OWNER_SUSPENDED',
  'MISSING_DEVICE_ID',
  VALIDATION_FAILED,
];
const recorded: Answer = {
  kind: 'bare',
  schema: z.object({ success: z.literal(true) }),
  description: 'The report is stored, by this or an earlier request.',
};

const downloadQuery = z.object({
  expires: z.string(),
  kid: z
    .string()
    .optional()
    .describe('Version of the key that signed the URL. Present after the first rotation of that key.'),
  signature: z.string(),
});
const bundleHeaders = {
  'Accept-Ranges': '`bytes`.',
  ETag: 'The checksum of the bundle.',
  'X-Bundle-Checksum': 'SHA-256 of the whole bundle, in hex.',
  'Content-Disposition': 'A file name with the version.',
};
const bundle = (description: string, more: Readonly<Record<string, string>> = {}): Answer => ({
  kind: 'bytes',
  mediaType: 'application/zip',
  description,
  headers: { ...bundleHeaders, ...more },
});
const elsewhere: Answer = {
  kind: 'empty',
  description: 'Redirect to the object store, if the server runs with DOWNLOAD_MODE redirect. Never for HEAD.',
  headers: {
    Location: 'An absolute, signed URL that expires.',
    'X-Bundle-Checksum': 'SHA-256 of the whole bundle, in hex.',
  },
};
const unchanged: Answer = {
  kind: 'empty',
  description: 'The client has this bundle already (If-None-Match).',
  headers: { ETag: 'The checksum of the bundle.' },
};
const downloadRefusals = ['DOWNLOAD_URL_INVALID', 'BUILD_NOT_FOUND'];

const updates: Tag = { name: 'Updates', description: 'Update checks and downloads.' };
const channels: Tag = {
  name: 'Channels',
  description: 'The channel that a device chooses for itself, of those that the app lets devices choose (self_assign).',
};
const choice: Answer = {
  kind: 'bare',
  schema: z.object({
    channel: channelNameSchema.nullable().describe('Null: the device has chosen none.'),
    expiresAt: z.iso.datetime().nullable().describe('When the choice ends. Choose again before.'),
  }),
  description: 'The channel that the device has chosen.',
};
const reports: Tag = {
  name: 'Reports',
  description: 'Results of updates. A repeated report counts once.',
};

const channelRoute = (
  method: DescribedRoute['method'],
  id: string,
  summary: string,
  more: Partial<DescribedRoute> = {},
): DescribedRoute => ({
  ...{ method, url: `${DEVICES}/channel`, tag: channels, id, summary },
  ...{ headers: z.object({ 'X-Device-ID': deviceId, ...callerHeaders }), answers: { 200: choice } },
  ...{ refusals: deviceRefusals, ...more },
});

const report = (
  path: string,
  id: string,
  summary: string,
  body: NonNullable<DescribedRoute['body']>,
): DescribedRoute => ({
  ...{ method: 'POST', url: `${DEVICES}/analytics/${path}`, tag: reports, id, summary },
  ...{ headers: reportHeaders, body, answers: { 200: recorded } },
  refusals: [...deviceRefusals, 'BUILD_NOT_FOUND'],
});

/** What each route takes and answers. */
const routes: readonly DescribedRoute[] = [
  {
    method: 'GET',
    url: `${DEVICES}/updates/check`,
    tag: updates,
    id: 'checkUpdate',
    summary: 'Check for an update',
    description:
      'The attributes that the app declares, for the audiences of builds, are sent as headers `X-Attr-{name}`, for example `X-Attr-plan: pro`: text, or a version like 17.2, as the app declares it. Others, and values of another type, count as not sent.',
    query: [
      z.object({
        channel: channelNameSchema
          .describe(
            'A channel of the app. Without it, the default channel of the app for the platform, else production. A channel that the device has chosen, or that its API key belongs to, comes before.',
          )
          .optional(),
      }),
    ],
    headers: updateHeaders,
    answers: {
      200: { kind: 'bare', schema: z.union([noUpdate, update]), description: 'An update, or none.' },
    },
    refusals: deviceRefusals,
  },
  {
    method: 'GET',
    url: `${DEVICES}/bundles/:build/download`,
    tag: updates,
    id: 'downloadBundle',
    summary: 'Download the bundle from the URL of an update check',
    description:
      'Supports Range, If-Range and If-None-Match. An address may have 512 downloads in progress (`LIMIT_DOWNLOADS_PER_ADDRESS`); further ones get 429 with Retry-After. The server cuts off a download if the client reads less than 32 KiB in two minutes (`SLOW_RESPONSE_MS`); request the rest with Range.',
    open: true,
    query: [downloadQuery],
    answers: {
      200: bundle('The whole bundle.'),
      206: bundle('The bytes of the range.', { 'Content-Range': 'The range of these bytes.' }),
      302: elsewhere,
      304: unchanged,
    },
    refusals: [...downloadRefusals, 'RANGE_NOT_SATISFIABLE'],
  },
  {
    method: 'HEAD',
    url: `${DEVICES}/bundles/:build/download`,
    tag: updates,
    id: 'headBundle',
    summary: 'Get the headers of the download',
    open: true,
    query: [downloadQuery],
    answers: {
      200: { kind: 'empty', description: 'The same headers as the download.', headers: bundleHeaders },
      304: unchanged,
    },
    refusals: downloadRefusals,
  },
  {
    method: 'POST',
    url: `${DEVICES}/analytics/mau`,
    tag: reports,
    id: 'reportActive',
    summary: 'Report that the device is active',
    description: 'A device counts once a day, by the last version that it reported that day.',
    headers: activeHeaders,
    answers: {
      200: {
        kind: 'bare',
        schema: z.object({ success: z.literal(true), recorded_at: z.iso.datetime() }),
        description: 'The report is stored, by this or an earlier request.',
      },
    },
    refusals: deviceRefusals,
  },
  channelRoute('POST', 'chooseChannel', 'Choose a channel', {
    description:
      'Update checks of the device then get builds of this channel, whichever channel they name, for 90 days from the last choice. An API key that belongs to one channel keeps its own. The choice ends when the channel is deleted, and has no effect while the channel has no self_assign. If 100,000 devices of an app have chosen a channel, further ones get 429.',
    body: channelChoiceBody,
  }),
  channelRoute('GET', 'getChosenChannel', 'Get the channel that the device has chosen'),
  channelRoute('DELETE', 'leaveChannel', 'Leave the chosen channel'),
  report('download', 'reportDownload', 'Report the result of a download', downloadReportBody),
  report('install', 'reportInstall', 'Report the result of an install, or a rollback', installReportBody),
];

/** The device plane for its OpenAPI document. */
export const devicePlane: Plane = {
  ...commonEnvelopes,
  title: 'Sluice device API',
  description: `The API for installed apps. Requests from any origin are accepted if the restrictions of the API key allow them. ${HEADER_LIMIT}`,
  base: DEVICES,
  routes,
  components: {},
  headers: {},
  securitySchemes: {
    appApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An app API key, `svc_app_…`.' },
  },
  alwaysRefusals: ALWAYS_REFUSED,
  repairsText: true,
};
