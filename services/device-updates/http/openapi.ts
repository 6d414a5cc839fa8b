import { channelSchema, downloadReportBody, installReportBody, VERSION_NUMBERS } from '@sluice/contracts';
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
    .describe('Signed text (docs/guides/signing.md): which builds the channel serves. Verify these exact bytes.'),
  channelStateSignature: base64.optional().describe("By the app's oldest trusted signing key."),
  channelStateSignatures: signatures.optional().describe('While more than one key signs: by each.'),
};
const noUpdate = z.object({
  available: z.literal(false),
  message: z.literal('No updates available'),
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
  expiresAt: z.iso.datetime(),
  signatures: signatures
    .optional()
    .describe('Of the bundle, by every trusted signing key; not of a supplied signature.'),
  manifest: z
    .string()
    .optional()
    .describe('Signed text (docs/guides/signing.md): what the offered build is. Verify these exact bytes.'),
  manifestSignature: base64.optional().describe("By the app's oldest trusted signing key."),
  manifestSignatures: signatures.optional().describe('While more than one key signs: by each.'),
  ...channelState,
});

const deviceId = z.string().min(1).max(255).describe('Opaque, stable id of the install.');
const runningVersion = z
  .string()
  .min(1)
  .max(250)
  .regex(VERSION_START)
  .describe(`Version of the bundle that runs now. ${VERSION_NUMBERS}`);
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
  'X-App-Version': z.string().optional().describe('Native version, compared with min_native_version.'),
  ...callerHeaders,
});
const activeHeaders = z.object({
  'X-Device-ID': deviceId,
  'X-Bundle-Version': runningVersion,
  'X-Platform': devicePlatform,
  ...callerHeaders,
});
const reportHeaders = z.object({
  'X-Device-ID': deviceId,
  'X-Platform': devicePlatform.meta({ orElse: [{ const: '' }] }).optional(),
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
  description: 'It is stored, now or by an earlier request.',
};

const downloadQuery = z.object({
  expires: z.string(),
  kid: z
    .string()
    .optional()
    .describe('Version of the key that signed the URL, in URLs signed since its first rotation.'),
  signature: z.string(),
});
const bundleHeaders = {
  'Accept-Ranges': '`bytes`.',
  ETag: 'Of the bundle, by its checksum.',
  'X-Bundle-Checksum': 'SHA-256 of the whole bundle, in hex.',
  'Content-Disposition': 'Names the file after the version.',
};
const bundle = (description: string, more: Readonly<Record<string, string>> = {}): Answer => ({
  kind: 'bytes',
  mediaType: 'application/zip',
  description,
  headers: { ...bundleHeaders, ...more },
});
const elsewhere: Answer = {
  kind: 'empty',
  description: 'The object store gives the bytes, where the server runs with DOWNLOAD_MODE redirect. Never to a HEAD.',
  headers: { Location: 'Absolute, signed, expiring.', 'X-Bundle-Checksum': 'SHA-256 of the whole bundle, in hex.' },
};
const unchanged: Answer = {
  kind: 'empty',
  description: 'The client holds this bundle already, by If-None-Match.',
  headers: { ETag: 'Of the bundle.' },
};
const downloadRefusals = ['DOWNLOAD_URL_INVALID', 'BUILD_NOT_FOUND'];

const updates: Tag = { name: 'Updates', description: 'What to run, and its bytes.' };
const reports: Tag = {
  name: 'Reports',
  description: 'What became of an update. The same report sent again counts once.',
};

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
    summary: 'Whether there is an update for this device',
    query: [z.object({ channel: channelSchema.default('production') })],
    headers: updateHeaders,
    answers: {
      200: { kind: 'bare', schema: z.union([noUpdate, update]), description: 'Nothing to do, or an update.' },
    },
    refusals: deviceRefusals,
  },
  {
    method: 'GET',
    url: `${DEVICES}/bundles/:build/download`,
    tag: updates,
    id: 'downloadBundle',
    summary: 'The bundle, by the address that a check answered',
    description:
      'Range, If-Range and If-None-Match are honoured. An address may have 512 downloads in progress at a time (`LIMIT_DOWNLOADS_PER_ADDRESS`), beyond which the answer is 429 with Retry-After. A download of which a client takes less than 32 KiB in two minutes (`SLOW_RESPONSE_MS`) is cut off; ask for the rest with Range.',
    open: true,
    query: [downloadQuery],
    answers: {
      200: bundle('The whole bundle.'),
      206: bundle('The bytes of the range.', { 'Content-Range': 'Which bytes these are.' }),
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
    summary: 'The headers of the download',
    open: true,
    query: [downloadQuery],
    answers: { 200: { kind: 'empty', description: 'As the download.', headers: bundleHeaders }, 304: unchanged },
    refusals: downloadRefusals,
  },
  {
    method: 'POST',
    url: `${DEVICES}/analytics/mau`,
    tag: reports,
    id: 'reportActive',
    summary: 'This device is in use',
    description: 'Counts a device once a day for each version that it runs.',
    headers: activeHeaders,
    answers: {
      200: {
        kind: 'bare',
        schema: z.object({ success: z.literal(true), recorded_at: z.iso.datetime() }),
        description: 'It is stored, now or by an earlier request.',
      },
    },
    refusals: deviceRefusals,
  },
  report('download', 'reportDownload', 'A download ended', downloadReportBody),
  report('install', 'reportInstall', 'An install ended, or was rolled back', installReportBody),
];

/** The device plane as its description presents it. */
export const devicePlane: Plane = {
  ...commonEnvelopes,
  title: 'Sluice device API',
  description: `What installed apps ask. Any origin may call; the restrictions of the key decide who is answered. ${HEADER_LIMIT}`,
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
