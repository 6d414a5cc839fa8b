import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { ErrorReply } from '@sluice/http';
import { channelName, channelNumber, coerceVersion, type Clock } from '@sluice/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { authenticate } from '../access/device-headers';
import type { DownloadUrls } from '../downloads/download-urls';
import { sendPrepared } from '../http/send-prepared';
import { COMPAT_BASE } from '../http/unrouted';
import type { Reporting } from '../reports/reporting';
import { prepareAnswer, type PreparedAnswer } from '../serving/prepared-answer';
import type { ServedBuild } from '../serving/served-builds';
import { decideUpdate, type DecisionOptions } from '../update-check/update-check.route';
import { inferredReports } from './inferred-reports';
import { channelNamed, isUnknown, urlKeyOf } from './url-key';

export interface CapawesomeOptions extends DecisionOptions {
  readonly urls: DownloadUrls;
  readonly reporting: Reporting;
  readonly clock: Clock;
  /** Counts a rejection, and logs a fault of the server. */
  readonly refuse: (error: unknown, request: { readonly method: string; readonly url: string }) => ErrorReply;
}

export const CAPAWESOME_BASE = `${COMPAT_BASE}capawesome`;

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
  const { index, usage, limits, urls, reporting, clock, refuse } = options;
  const decide = decideUpdate(options);
  const infer = inferredReports({ reporting, clock });
  const offers = new WeakMap<ServedBuild, { readonly expires: number; readonly answer: PreparedAnswer }>();

  plane.setErrorHandler((error, request, reply) => {
    const { status, headers, code, body } = refuse(error, request);
    return reply
      .code(status)
      .headers(headers)
      .header('Cache-Control', 'no-store')
      .send({ code, message: textOf(body) });
  });

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

  plane.get('/v1/apps/:key/bundles/latest', (request, reply) => {
    const query = queryOf(request);
    const asked = urlKeyOf(index, keyIn(request));
    const [version, bundleId] = readCapawesomeId(query('bundleId'));
    const running = runningBuild(asked.key, bundleId);
    const headers = headersOf(request.raw, asked.key, query, running?.facts.version ?? version);
    const named = channelNamed(index, asked, query('channelName') || asked.channel);
    // Any text may be the name of a channel of Capawesome's.
    const { selected } = isUnknown(index, asked, named)
      ? (authenticate(index, usage, headers), { selected: undefined })
      : decide(headers, named);
    // These clients also go back to an older build, and so need no copy of it under a higher version.
    const answer = selected === undefined ? NOTHING_NEW : offer(index.builds.sourceOf(selected.build));
    reply.hijack();
    sendPrepared(answer, request.raw, reply.raw);
    infer(request.raw, { deviceId: query('deviceId'), headers, running });
  });

  plane.get('/v1/apps/:key/channels', (request) => {
    const query = queryOf(request);
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
  const [, text = '', bundleId = ''] = /^([^_]{1,100})_([0-9a-f-]{36})$/.exec(id) ?? [];
  return [coerceVersion(text), bundleId];
}

function keyIn({ params }: FastifyRequest): string {
  return (params as { readonly key: string }).key;
}

function queryOf({ query }: FastifyRequest): Query {
  return (name) => {
    const value = (query as Readonly<Record<string, unknown>>)[name];
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
