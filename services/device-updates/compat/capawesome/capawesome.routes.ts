import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ErrorReply } from '@sluice/http';
import { channelName, channelNumber, coerceVersion } from '@sluice/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate } from '../../access/device-headers';
import type { DownloadUrls } from '../../downloads/download-urls';
import { sendPrepared } from '../../http/send-prepared';
import { prepareAnswer, type PreparedAnswer } from '../../serving/prepared-answer';
import type { ServedBuild } from '../../serving/served-builds';
import { decideUpdate, type DecisionOptions } from '../../update-check/update-check.route';
import type { InferredReports } from '../inferred-reports';
import { channelNamed, isUnknown, urlKeyOf } from '../url-key';

export interface CapawesomeCheckOptions extends DecisionOptions {
  readonly urls: DownloadUrls;
  readonly reports: InferredReports;
}

type Members = Readonly<Record<string, unknown>>;

/** @param segment of the path, with the app key. @param query of the request, parsed. @throws as an UpdateCheck */
export type CapawesomeCheck = (
  request: Pick<IncomingMessage, 'headers' | 'socket'>,
  segment: string,
  query: Members,
) => PreparedAnswer;

export interface CapawesomeOptions extends Pick<DecisionOptions, 'index' | 'usage' | 'limits'> {
  readonly check: CapawesomeCheck;
  /** Counts a rejection, and logs a fault of the server. */
  readonly refuse: (error: unknown, request: { readonly method: string; readonly url: string }) => ErrorReply;
}

/** Clients take every status but 2xx for this, and the body of none. */
const NOTHING_NEW = prepareAnswer(404, { code: 'NO_UPDATE', message: 'No update is available.' });
const PLATFORMS: Readonly<Record<string, string>> = { 0: 'android', 1: 'ios' };
const DEFAULT_CHANNELS = 50;

/** What a client sends with a check; '' for what it leaves out. */
type Query = (name: string) => string;

/**
 * Registers the protocol of Capawesome's live updates on a scope of its own, with the app key as app id:
 * `GET /v1/apps/{key}/bundles/latest` and `/channels`.
 */
export function registerCapawesomeRoutes(plane: FastifyInstance, options: CapawesomeOptions): void {
  const { index, usage, limits, check, refuse } = options;

  plane.setErrorHandler((error, request, reply) => {
    reply.hijack();
    sendPrepared(capawesomeRefusal(refuse(error, request)), request.raw, reply.raw);
  });

  plane.get('/v1/apps/:key/bundles/latest', (request, reply) => {
    const answer = check(request.raw, keyIn(request), request.query as Members);
    reply.hijack();
    sendPrepared(answer, request.raw, reply.raw);
  });

  plane.get('/v1/apps/:key/channels', (request) => {
    const query = queryOf(request.query as Members);
    const asked = urlKeyOf(index, keyIn(request));
    const { app, key } = authenticate(index, usage, headersOf(request.raw, asked.key, query, undefined));
    limits.countDevice(app.appId, query('deviceId'));
    const [offset, limit] = [numberIn(query('offset'), 0), numberIn(query('limit'), DEFAULT_CHANNELS)];
    return index
      .channelsOf(app.appId)
      .filter((channel) => index.choosable(app.appId, channelName(channel)) === channel)
      .filter((channel) => key.channels?.admits(channel) !== false && channelName(channel).includes(query('query')))
      .slice(offset, offset + limit)
      .map((channel) => ({ id: String(channelNumber(channel)), name: channelName(channel) }));
  });
}

export function capawesomeRefusal({ status, headers, code, body }: ErrorReply): PreparedAnswer {
  return prepareAnswer(status, { code, message: textOf(body) }, headers);
}

/** Update checks of Capawesome's clients. */
export function capawesomeCheck({ urls, reports, ...options }: CapawesomeCheckOptions): CapawesomeCheck {
  const { index, usage } = options;
  const decide = decideUpdate(options);
  const offers = new WeakMap<ServedBuild, { readonly expires: number; readonly answer: PreparedAnswer }>();

  const offer = (build: ServedBuild): PreparedAnswer => {
    const expires = urls.expiry();
    const known = offers.get(build);
    if (known?.expires === expires) return known.answer;
    const { checksum, signature, channel, version, releaseNotes } = build.facts;
    const answer = prepareAnswer(200, {
      ...{ artifactType: 'zip', bundleId: capawesomeId(build), url: urls.sign(build.facts, expires), checksum },
      // Clients would read null as the text "null".
      ...(signature !== null && { signature }),
      channelName: channelName(channel),
      customProperties: { version, ...(releaseNotes !== null && { releaseNotes }) },
    });
    offers.set(build, { expires, answer });
    return answer;
  };

  return (request, segment, members) => {
    const query = queryOf(members);
    const asked = urlKeyOf(index, segment);
    const [version, bundleId] = readCapawesomeId(query('bundleId'));
    const running = runningBuild(asked.key, bundleId);
    const headers = headersOf(request, asked.key, query, running?.facts.version ?? version);
    const named = channelNamed(index, asked, query('channelName') || asked.channel);
    // Any text may be the name of a channel of Capawesome's.
    const { selected } = isUnknown(index, asked, named)
      ? (authenticate(index, usage, headers), { selected: undefined })
      : decide(headers, named);
    reports(request, { deviceId: query('deviceId'), headers, running });
    // These clients also go back to an older build, and so need no copy of it under a higher version.
    return selected === undefined ? NOTHING_NEW : offer(index.builds.sourceOf(selected.build));
  };

  /** Undefined: the bundle inside the native app, or one of another server. */
  function runningBuild(key: string, bundleId: string): ServedBuild | undefined {
    const build = index.builds.findByBundleId(bundleId);
    return build?.facts.appId === index.key(key)?.appId ? build : undefined;
  }
}

/**
 * What clients call the bundle of a build. It contains the version, so that a device is not moved back once the build is
 * deleted, and is moved by its recall.
 */
export function capawesomeId({ facts: { version, bundleId } }: Pick<ServedBuild, 'facts'>): string {
  return `${version}_${bundleId}`;
}

/** Nothing for the bundle inside the native app, and for one of another server. */
function readCapawesomeId(id: string): [version: string | undefined, bundleId: string] {
  const [, text, bundleId = ''] = /^([^_]{1,100})_([0-9a-f-]{36})$/.exec(id) ?? [];
  return [text === undefined ? undefined : coerceVersion(text), bundleId];
}

function keyIn({ params }: FastifyRequest): string {
  return (params as { readonly key: string }).key;
}

function queryOf(members: Members): Query {
  return (name) => {
    const value = members[name];
    return typeof value === 'string' ? value : '';
  };
}

function numberIn(text: string, otherwise: number): number {
  return /^\d{1,6}$/.test(text) ? Number(text) : otherwise;
}

/** The headers by which a client of Sluice sends the same. */
function headersOf(
  { headers }: Pick<IncomingMessage, 'headers'>,
  key: string,
  query: Query,
  version = '0.0.0',
): IncomingHttpHeaders {
  return {
    origin: headers.origin,
    'x-forwarded-for': headers['x-forwarded-for'],
    'x-api-key': key,
    'x-device-id': Buffer.from(query('deviceId'), 'utf8').toString('latin1'),
    'x-platform': PLATFORMS[query('platform')] ?? 'all',
    'x-app-version': query('appVersionName'),
    'x-current-version': version,
    'x-bundle-version': version,
  };
}

function textOf(body: object): string | undefined {
  const { error, errors } = body as {
    readonly error?: { readonly message: string };
    readonly errors?: Readonly<Record<string, readonly string[]>>;
  };
  return errors === undefined ? error?.message : Object.values(errors).flat().join(' ');
}
