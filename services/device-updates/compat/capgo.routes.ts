import type { IncomingMessage } from 'node:http';
import type { ErrorReply } from '@sluice/http';
import { channelName, channelNumber, coerceVersion, DomainError, ValidationError } from '@sluice/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, deviceIdFault, deviceIdOf, requireChannel } from '../access/device-headers';
import { readJsonBodies } from '../http/json-bodies';
import { sendPrepared } from '../http/send-prepared';
import type { Reporting } from '../reports/reporting';
import type { ServedBuild } from '../serving/served-builds';
import type { ServedKey } from '../serving/serving-index';
import type { ServingApp } from '../serving/serving.projection';
import type { DecisionOptions } from '../update-check/update-check.route';
import { capgoRefusal, type CapgoCheck } from './capgo-check';
import { reportsOfCapgo, versionOfCapgo } from './capgo-events';
import { headersOf, infoOf, membersOf, type CapgoInfo } from './capgo-info';
import { urlKeyOf, type UrlKey } from './url-key';

export interface CapgoOptions extends Pick<DecisionOptions, 'index' | 'usage' | 'limits'> {
  readonly check: CapgoCheck;
  readonly reporting: Reporting;
  /** Counts a rejection, and logs a fault of the server. */
  readonly refuse: (error: unknown, request: { readonly method: string; readonly url: string }) => ErrorReply;
}

/** A queue of a client holds no more. */
const MAX_EVENTS = 200;
const MAX_BODY_BYTES = 512 * 1024;
/** Of a version, as the API accepts it in reports. */
const MAX_VERSION_LENGTH = 50;

/**
 * Registers the protocol of Capgo's update clients on a scope of their own, with the app key in the path:
 * `POST /{key}/updates`, `POST /{key}/stats` and `/{key}/channel`.
 */
export function registerCapgoRoutes(plane: FastifyInstance, options: CapgoOptions): void {
  const { index, usage, limits, check, reporting, refuse } = options;
  readJsonBodies(plane, MAX_BODY_BYTES);

  plane.setErrorHandler((error, request, reply) => {
    const refused = refuse(error, request);
    const { status, headers, body } = capgoRefusal(refused);
    // Of statistics, clients repeat what has a status of the server's, and drop what has one of their own.
    const answered = isStats(request) ? refused.status : status;
    return reply.code(answered).headers(headers).send(body);
  });
  plane.addHook('onRequest', (_request, reply, next) => {
    reply.header('Cache-Control', 'no-store');
    next();
  });

  plane.post('/:key/updates', (request, reply) => {
    const answer = check(request.raw, segmentOf(request), request.body);
    reply.hijack();
    sendPrepared(answer, request.raw, reply.raw);
  });

  plane.post('/:key/stats', async (request) => {
    const asked = urlKeyOf(segmentOf(request));
    const { body } = request;
    // A queue repeats itself, and what it reports again must not count against the device once more.
    const recorded = new Set<string>();
    if (!Array.isArray(body)) {
      await record(request.raw, asked, body, recorded);
      return { status: 'ok' };
    }
    if (body.length > MAX_EVENTS) throw tooManyEvents(body.length);
    const results = [];
    for (const [index, event] of body.entries()) {
      const isOfDevice = deviceIn(event) === deviceIn(body[0]);
      const status = isOfDevice ? await record(request.raw, asked, event, recorded).then(() => 'ok', ofEvent) : 'error';
      results.push({ status, index });
    }
    return { status: 'ok', results };
  });

  plane.post('/:key/channel', (request) => {
    const { app, key, members } = caller(request, request.body);
    const { channel: wanted, action } = members;
    if (action === 'unset') return { status: 'ok', unset: true };
    if (typeof wanted !== 'string')
      throw new ValidationError({ channel: ['The channel must be the name of a channel.'] });
    const named = index.choosable(app.appId, wanted);
    if (key.channels !== undefined) requireChannel(key, named, usage);
    if (named === undefined) throw new ChannelNotFound(wanted);
    // The client keeps it, and sends it with every check.
    return { status: 'ok', allowSet: true };
  });
  plane.put('/:key/channel', (request, reply) => orDefault(reply, () => channelOf(caller(request, request.body))));
  plane.delete('/:key/channel', (request) => {
    caller(request, request.body ?? request.query);
    return { status: 'ok' };
  });
  plane.get('/:key/channel', (request, reply) => {
    const asking = caller(request, request.query);
    // The client for Electron lists by another request than the others, and reads its channel by the one with which they list.
    const isElectron = asking.info.platform === 'electron';
    if (isElectron && asking.members['action'] !== 'list') return orDefault(reply, () => channelOf(asking));
    const channels = choosableBy(asking).map((each) => ({
      ...{ id: channelNumber(each), name: channelName(each), public: true, allow_self_set: true },
    }));
    return isElectron ? { channels } : channels;
  });

  /** @throws DomainError, ValidationError in this order: 422 for the body, 401, 403, 400, 422, 429 */
  function caller(request: FastifyRequest, body: unknown) {
    const members = membersOf(body);
    const info = infoOf(members);
    const asked = urlKeyOf(segmentOf(request));
    const headers = headersOf(request.raw, asked, info);
    const { app, key } = authenticate(index, usage, headers);
    const deviceId = deviceIdOf(headers);
    const tooLong = deviceIdFault(deviceId);
    if (tooLong !== undefined) throw new ValidationError(tooLong);
    limits.countDevice(app.appId, deviceId);
    return { members, info, asked, app, key };
  }

  function choosableBy({ app: { appId }, key }: ReturnType<typeof caller>) {
    const isAllowed = (channel: string) => key.channels?.admits(channel) !== false;
    return index.channelsOf(appId).filter((each) => index.choosable(appId, channelName(each)) && isAllowed(each));
  }

  /** @throws ChannelNotFound */
  function channelOf({ app, key, info, asked }: ReturnType<typeof caller>) {
    const name = nameOf(app, key, info, asked);
    const named = index.channel(app.appId, name);
    if (named === undefined || named.closed) throw new ChannelNotFound(name);
    return { channel: name, status: info.channel === '' ? 'default' : 'override', allowSet: true };
  }

  /** The name of the channel that an update check of the device is about. */
  function nameOf(app: ServingApp, key: ServedKey, { channel: name, platform }: CapgoInfo, asked: UrlKey): string {
    if (key.channels?.only !== undefined) return key.channels.only;
    if (name !== '') return name;
    return asked.channel ?? index.defaultChannel(app, platform) ?? 'production';
  }

  async function record(request: IncomingMessage, asked: UrlKey, event: unknown, recorded: Set<string>): Promise<void> {
    const members = membersOf(event);
    const info = infoOf(members);
    const { action, old_version_name: previous } = members;
    if (typeof action !== 'string') throw new ValidationError({ action: ['The action must be text.'] });
    const headers = headersOf(request, asked, info);
    const { app, key } = authenticate(index, usage, headers);
    const version = coerceVersion(versionOfCapgo(info.versionName));
    const build =
      version === undefined ? undefined : buildOf(app, nameOf(app, key, info, asked), version, info.platform);
    for (const report of reportsOfCapgo(action)) {
      const id = JSON.stringify([report, build?.buildId]);
      // A client also reports what Sluice did not offer: the bundle in the native app, or a check that found nothing.
      if ((report.kind !== 'active' && build === undefined) || recorded.has(id)) continue;
      recorded.add(id);
      const reporter = reporting.reporter(report.kind, { headers, socket: request.socket });
      const isVersion = typeof previous === 'string' && previous !== '' && previous.length <= MAX_VERSION_LENGTH;
      const body =
        report.kind === 'active'
          ? undefined
          : {
              ...{ bundle_id: build?.facts.bundleId, status: report.status },
              ...(report.status !== 'complete' && { error: action }),
              ...(report.kind === 'install' && isVersion && { previous_version: previous }),
            };
      await reporting.record(reporter, body);
    }
  }

  /** In the channel of this name, else in the only one that has this version. */
  function buildOf({ appId }: ServingApp, name: string, version: string, platform: string): ServedBuild | undefined {
    const channel = index.channel(appId, name)?.channel;
    const builds = index.builds
      .ofVersion(appId, version)
      .filter(({ platform: own }) => own === undefined || own === platform);
    return builds.find(({ facts }) => facts.channel === channel) ?? (builds.length === 1 ? builds[0] : undefined);
  }
}

class ChannelNotFound extends DomainError {
  constructor(name: string) {
    super('CHANNEL_NOT_FOUND', `There is no channel "${name.slice(0, 63)}" that devices may choose.`);
  }
}

/** With 400 for a channel that there is not, the client goes back to the default of its configuration. */
function orDefault(reply: FastifyReply, answer: () => object): object {
  try {
    return answer();
  } catch (error) {
    if (!(error instanceof ChannelNotFound)) throw error;
    reply.code(400);
    return { status: 'error', error: 'channel_not_found', message: error.message };
  }
}

function segmentOf({ params }: FastifyRequest): string {
  return (params as { readonly key: string }).key;
}

function isStats({ url }: FastifyRequest): boolean {
  return url.split('?', 1).join('').endsWith('/stats');
}

const FAULTS_OF_AN_EVENT: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'MISSING_DEVICE_ID', 'BUILD_NOT_FOUND']);

/** A faulty event must not keep the others of the queue from being recorded. @throws what concerns all of them */
function ofEvent(error: unknown): 'error' {
  if (error instanceof DomainError && FAULTS_OF_AN_EVENT.has(error.code)) return 'error';
  throw error;
}

/** A queue is that of one device. */
function deviceIn(event: unknown): unknown {
  return typeof event === 'object' && event !== null
    ? (event as { readonly device_id?: unknown }).device_id
    : undefined;
}

function tooManyEvents(count: number): ValidationError {
  return new ValidationError({ body: [`The body has ${count} events, and may have at most ${MAX_EVENTS}.`] });
}
