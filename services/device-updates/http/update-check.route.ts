import { channelSchema, type Channel } from '@sluice/contracts';
import { parseVersion, ValidationError, type Version } from '@sluice/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyUsage } from '../application/key-usage';
import type { ServingIndex } from '../application/serving-index';
import type { UpdateAnswers } from '../application/update-answers';
import { selectBuild, type Device } from '../domain/select-build';
import { corsHeaders } from './cors';
import { authenticate, deviceIdOf, header, isPlatform, MAX_DEVICE_ID_LENGTH, PLATFORMS } from './device-headers';

const NO_UPDATE = JSON.stringify({ available: false, message: 'No updates available' });

const CHANNELS: ReadonlySet<unknown> = new Set(channelSchema.options);

const REMEMBERED_VERSIONS = 1_000;

export interface UpdateCheckOptions {
  readonly index: ServingIndex;
  readonly usage: KeyUsage;
  readonly answers: UpdateAnswers;
}

/** `GET /api/v1/updates/check`: the hot path, answered from memory alone. */
export function updateCheck({ index, usage, answers }: UpdateCheckOptions) {
  const versionOf = rememberingVersions();

  return (request: FastifyRequest, reply: FastifyReply): void => {
    const app = authenticate(index, usage, request.headers);
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

function isChannel(value: unknown): value is Channel {
  return CHANNELS.has(value);
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
