import type { IncomingHttpHeaders } from 'node:http';
import { channelSchema, credentialFault, type Channel } from '@sluice/contracts';
import { DomainError, parseVersion, ValidationError, type Version } from '@sluice/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ServingIndex } from '../application/serving-index';
import type { UpdateAnswers } from '../application/update-answers';
import { selectBuild, type Device, type DevicePlatform } from '../domain/select-build';
import type { ServingApp } from '../projections/serving.projection';
import { refuseRestricted } from './caller-identity';
import { corsHeaders } from './cors';

const NO_UPDATE = JSON.stringify({ available: false, message: 'No updates available' });

const CHANNELS: ReadonlySet<unknown> = new Set(channelSchema.options);
const PLATFORMS: readonly DevicePlatform[] = ['ios', 'android', 'web', 'all'];

const MAX_DEVICE_ID_LENGTH = 255;
const REMEMBERED_VERSIONS = 1_000;

export interface UpdateCheckOptions {
  readonly index: ServingIndex;
  readonly answers: UpdateAnswers;
}

/** `GET /api/v1/updates/check`: the hot path, answered from memory alone. */
export function updateCheck({ index, answers }: UpdateCheckOptions) {
  const versionOf = rememberingVersions();

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const app = authenticate(index, request.headers);
    const deviceId = deviceIdOf(request.headers);
    const question = readQuestion(request, deviceId, versionOf);
    const selected = selectBuild(index.activeBuilds(app.appId, question.channel), app.platform, question);
    send(request, reply, selected === undefined ? NO_UPDATE : answers.body(selected.build, selected.mandatory));
  };
}

/**
 * Writes past Fastify's reply, whose hooks and serialisers have nothing to do here but take a tenth
 * of the check; Node takes headers as a flat list far faster than as an object.
 */
function send({ headers }: FastifyRequest, reply: FastifyReply, body: string): void {
  reply.hijack();
  reply.raw
    .writeHead(200, [
      ...corsHeaders(headers.origin),
      'Content-Type',
      'application/json; charset=utf-8',
      'Cache-Control',
      'no-store',
      'Content-Length',
      String(Buffer.byteLength(body)),
    ])
    .end(body);
}

/** The app whose key was sent. @throws DomainError for spec 4's 401s and 403 */
function authenticate(index: ServingIndex, headers: IncomingHttpHeaders): ServingApp {
  const text = header(headers, 'x-api-key');
  if (text === undefined) throw new DomainError('MISSING_API_KEY', 'Send the app API key in the header X-API-Key.');
  const key = index.key(text);
  const app = key && index.app(key.appId);
  if (app !== undefined) {
    if (key?.admits !== undefined) refuseRestricted(key.admits, headers);
    return app;
  }
  if (credentialFault('svc_app_', text) === 'format') {
    throw new DomainError('INVALID_API_KEY_FORMAT', 'X-API-Key takes an app API key, which begins with svc_app_.');
  }
  throw new DomainError('INVALID_API_KEY', 'The app API key is not known, or it is no longer valid.');
}

function deviceIdOf(headers: IncomingHttpHeaders): string {
  const text = header(headers, 'x-device-id');
  if (text !== undefined) return asUtf8(text);
  throw new DomainError('MISSING_DEVICE_ID', 'Send a stable id of this install in the header X-Device-ID.');
}

/** Reads what else the device says. @throws ValidationError naming every fault */
function readQuestion(
  request: FastifyRequest,
  deviceId: string,
  versionOf: (text: string) => Version | undefined,
): Device & { readonly channel: Channel } {
  const { headers } = request;
  const { channel = 'production' } = request.query as { readonly channel?: unknown };
  const platform = header(headers, 'x-platform');
  const currentText = header(headers, 'x-current-version');
  const currentVersion = currentText === undefined ? undefined : versionOf(currentText);
  const nativeText = header(headers, 'x-app-version');
  const nativeVersion = nativeText === undefined ? undefined : versionOf(nativeText);

  if (
    currentVersion !== undefined &&
    isPlatform(platform) &&
    isChannel(channel) &&
    deviceId.length <= MAX_DEVICE_ID_LENGTH
  ) {
    return { deviceId, platform, currentVersion, nativeVersion, channel };
  }
  throw new ValidationError({
    ...(deviceId.length > MAX_DEVICE_ID_LENGTH && {
      'X-Device-ID': [`The X-Device-ID header may hold at most ${MAX_DEVICE_ID_LENGTH} characters.`],
    }),
    ...(currentVersion === undefined && {
      'X-Current-Version': [
        currentText === undefined
          ? 'The X-Current-Version header is required.'
          : 'The X-Current-Version header must hold a version like 1.2.3.',
      ],
    }),
    ...(!isPlatform(platform) && {
      'X-Platform': [
        platform === undefined
          ? 'The X-Platform header is required.'
          : `The X-Platform header must be one of ${PLATFORMS.join(', ')}.`,
      ],
    }),
    ...(!isChannel(channel) && {
      channel: [`The channel must be one of ${channelSchema.options.join(', ')}.`],
    }),
  });
}

function isPlatform(text: string | undefined): text is DevicePlatform {
  return text === 'ios' || text === 'android' || text === 'web' || text === 'all';
}

function isChannel(value: unknown): value is Channel {
  return CHANNELS.has(value);
}

/** Undefined when it is absent or empty. */
function header(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Node reads a header's bytes as Latin-1; a device id beyond ASCII was sent as UTF-8, mostly. */
function asUtf8(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'));
  } catch {
    return text;
  }
}

/** The installs of an app run few versions: parses each once, and forgets them all before they get many. */
function rememberingVersions(): (text: string) => Version | undefined {
  const parsed = new Map<string, Version>();
  return (text) => {
    const known = parsed.get(text);
    if (known !== undefined) return known;
    const version = parseVersion(text);
    if (parsed.size >= REMEMBERED_VERSIONS) parsed.clear();
    if (version !== undefined) parsed.set(text, version);
    return version;
  };
}
