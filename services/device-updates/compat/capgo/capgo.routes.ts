import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { MAX_PREVIOUS_VERSION_LENGTH } from '@sluice/contracts';
import type { ErrorReply } from '@sluice/http';
import { channelName, channelNumber, coerceVersion, DomainError, ValidationError } from '@sluice/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, deviceIdFault, deviceIdOf, requireChannel } from '../../access/device-headers';
import type { FileIndexes } from '../../files/file-indexes';
import { readJsonBodies } from '../../http/json-bodies';
import { sendPrepared } from '../../http/send-prepared';
import type { Reporting } from '../../reports/reporting';
import { channelOfDevice } from '../../serving/channel-of-device';
import type { ServedBuild } from '../../serving/served-builds';
import type { ServedKey } from '../../serving/serving-index';
import type { ServingApp } from '../../serving/serving.projection';
import type { DecisionOptions } from '../../update-check/update-check.route';
import { capgoRefusal, type CapgoCheck } from './capgo-check';
import { type CapgoReport, reportsOfCapgo, versionOfCapgo } from './capgo-events';
import { headersOf, infoOf, membersOf, type CapgoInfo } from './capgo-info';
import { channelNamed, urlKeyOf, type UrlKey } from '../url-key';

export interface CapgoOptions extends Pick<DecisionOptions, 'index' | 'usage' | 'limits' | 'hashes'> {
  readonly check: CapgoCheck;
  readonly files: FileIndexes;
  readonly reporting: Reporting;
  /** Counts a rejection, and logs a fault of the server. */
  readonly refuse: (error: unknown, request: { readonly method: string; readonly url: string }) => ErrorReply;
}

/** Who sends a request, once it is authenticated and counted. */
interface Caller {
  readonly members: Readonly<Record<string, unknown>>;
  readonly info: CapgoInfo;
  readonly asked: UrlKey;
  readonly headers: IncomingHttpHeaders;
  readonly app: ServingApp;
  readonly key: ServedKey;
}

/** A queue of a client holds no more. */
const MAX_EVENTS = 200;
const MAX_BODY_BYTES = 512 * 1024;

/**
 * Registers the protocol of Capgo's update clients on a scope of their own, with the app key in the path:
 * `POST /{key}/updates`, `POST /{key}/stats` and `/{key}/channel`.
 */
export function registerCapgoRoutes(plane: FastifyInstance, options: CapgoOptions): void {
  const { index, usage, limits, hashes, check, files, reporting, refuse } = options;
  readJsonBodies(plane, MAX_BODY_BYTES);

  plane.setErrorHandler((error, request, reply) => {
    const refused = refuse(error, request);
    const { status, headers, body } = capgoRefusal(refused);
    // Of statistics, clients repeat what has a status of the server's, and drop what has one of their own. Of sizes, they
    // take every body of a 200 for the sizes.
    const answered = isStats(request) || isSizes(request) ? refused.status : status;
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

  plane.post('/:key/updates/manifest_size', async (request) => {
    const of = caller(request, request.body);
    const { version, manifest } = of.members;
    if (!Array.isArray(manifest)) throw new ValidationError({ manifest: ['The manifest must be a list of files.'] });
    const info = { ...of.info, versionName: typeof version === 'string' ? version : '' };
    const [build] = buildsOf({ ...of, info }, { kind: 'download', status: 'complete' });
    const listed = await Promise.all(manifest.map((each) => withSize(each, build)));
    const known = listed.flatMap((each) => ('size' in each ? each.size : []));
    const totalSize = known.reduce((sum, size) => sum + size, 0);
    return { totalSize, knownFiles: known.length, unknownFiles: listed.length - known.length, files: listed };
  });

  plane.post('/:key/stats', async (request) => {
    const { body } = request;
    const events: readonly unknown[] = Array.isArray(body) ? body : [body];
    if (events.length > MAX_EVENTS) throw tooManyEvents(events.length);
    // A queue is that of one device.
    const of = caller(request, events.find((event) => deviceIn(event) !== undefined) ?? events[0]);
    const record = recorder(request.raw, of);
    if (!Array.isArray(body)) {
      await record(body);
      return { status: 'ok' };
    }
    const results = [];
    for (const [index, event] of events.entries()) {
      const isOfDevice = deviceIn(event) === of.info.deviceId;
      results.push({ status: isOfDevice ? await record(event).then(() => 'ok', ofEvent) : 'error', index });
    }
    return { status: 'ok', results };
  });

  plane.post('/:key/channel', (request) => {
    const { app, key, members, asked } = caller(request, request.body);
    const { channel: wanted, action } = members;
    if (action === 'unset') return { status: 'ok', unset: true };
    if (typeof wanted !== 'string')
      throw new ValidationError({ channel: ['The channel must be the name of a channel.'] });
    const named = index.choosable(app.appId, channelNamed(index, asked, wanted) ?? wanted);
    if (key.channels !== undefined) requireChannel(key, named, usage);
    if (named === undefined) throw new ChannelNotFound(wanted);
    // The client keeps it, and sends it with every check.
    return { status: 'ok', allowSet: true };
  });
  plane.put('/:key/channel', (request, reply) => orDefault(reply, () => shownChannel(caller(request, request.body))));
  plane.delete('/:key/channel', (request) => {
    caller(request, request.body ?? request.query);
    return { status: 'ok' };
  });
  plane.get('/:key/channel', (request, reply) => {
    const asking = caller(request, request.query);
    // The client for Electron lists by another request than the others, and reads its channel by the one with which they list.
    const isElectron = asking.info.platform === 'electron';
    if (isElectron && asking.members['action'] !== 'list') return orDefault(reply, () => shownChannel(asking));
    const channels = choosableBy(asking).map((each) => ({
      ...{ id: channelNumber(each), name: channelName(each), public: true, allow_self_set: true },
    }));
    return isElectron ? { channels } : channels;
  });

  /** A file of a manifest with the bytes of its download, which is not compressed. */
  async function withSize(entry: unknown, build: ServedBuild | undefined) {
    const { file_name = null, file_hash: hash = null, download_url = null } = membersOf(entry);
    const isByFiles = build?.client === undefined && typeof hash === 'string';
    const file = build && isByFiles ? await files.findByHash(build, hash) : undefined;
    const named = { file_name, file_hash: hash, download_url };
    return file === undefined ? { ...named, error: 'size_unknown' } : { ...named, size: file.size };
  }

  /** @throws DomainError, ValidationError in this order: 422 for the body, 401, 403, 400, 422, 429 */
  function caller(request: FastifyRequest, body: unknown): Caller {
    const members = membersOf(body);
    const info = infoOf(members);
    const asked = urlKeyOf(index, segmentOf(request));
    const headers = headersOf(request.raw, asked, info);
    const { app, key } = authenticate(index, usage, headers);
    const deviceId = deviceIdOf(headers);
    const tooLong = deviceIdFault(deviceId);
    if (tooLong !== undefined) throw new ValidationError(tooLong);
    limits.countDevice(app.appId, deviceId);
    return { members, info, asked, headers, app, key };
  }

  function choosableBy({ app: { appId }, key }: Caller) {
    const isAllowed = (channel: string) => key.channels?.admits(channel) !== false;
    return index.channelsOf(appId).filter((each) => index.choosable(appId, channelName(each)) && isAllowed(each));
  }

  /** The channel that an update check of the device is about. */
  function channelOf({ app, key, info, asked, headers }: Caller) {
    const requested = channelNamed(index, asked, info.channel === '' ? asked.channel : info.channel);
    const hashesOf = () => hashes.known(app.appId, deviceIdOf(headers));
    const platform = headers['x-platform'] as string;
    return channelOfDevice(index, app, { keyChannels: key.channels, requested, platform, hashes: hashesOf });
  }

  /** @throws ChannelNotFound */
  function shownChannel(asking: Caller) {
    const { named, chosen } = channelOf(asking);
    if (named === undefined || (chosen === undefined && named.closed)) {
      throw new ChannelNotFound(asking.info.channel || (asking.asked.channel ?? ''));
    }
    const status = asking.info.channel === '' ? 'default' : 'override';
    return { channel: channelName(chosen ?? named.channel), status, allowSet: true };
  }

  /** Records the events of one queue. @throws what `ofEvent` does not take for a fault of the event */
  function recorder({ socket }: IncomingMessage, of: Caller) {
    // A queue repeats itself, and what it reports again must not count against the device once more.
    const recorded = new Set<string>();
    return async (event: unknown): Promise<void> => {
      const members = membersOf(event);
      const { action, old_version_name: previous } = members;
      if (typeof action !== 'string') throw new ValidationError({ action: ['The action must be text.'] });
      const info = infoOf(members);
      const headers = headersOf({ headers: of.headers }, of.asked, info);
      for (const report of reportsOfCapgo(action)) {
        const id = JSON.stringify([report, info.versionName]);
        if (recorded.has(id)) continue;
        recorded.add(id);
        const reporter = reporting.reporter(report.kind, { headers, socket });
        if (report.kind === 'active') {
          await reporting.record(reporter, undefined);
          continue;
        }
        const isVersion =
          typeof previous === 'string' && previous !== '' && previous.length <= MAX_PREVIOUS_VERSION_LENGTH;
        for (const build of buildsOf({ ...of, info, headers }, report)) {
          await reporting.record(reporter, {
            ...{ bundle_id: build.facts.bundleId, status: report.status },
            ...(report.status !== 'complete' && { error: action }),
            ...(report.kind === 'install' && isVersion && { previous_version: previous }),
          });
        }
      }
    };
  }

  /**
   * The build of the version that an event names: in the channel of the device, else the only one of the app. None: clients also
   * report what Sluice did not offer, such as the bundle in the native app. A rollback is also one of the builds that republish
   * it, because the device got them under the version of their source.
   */
  function buildsOf(of: Caller, report: CapgoReport): readonly ServedBuild[] {
    const { app, key, info, headers } = of;
    const version = coerceVersion(versionOfCapgo(info.versionName));
    if (version === undefined) return [];
    const { named, chosen } = channelOf(of);
    const channel = chosen ?? named?.channel;
    const builds = index.builds
      .ofVersion(app.appId, version)
      .filter(({ platform }) => platform === undefined || platform === headers['x-platform'])
      .filter(({ facts }) => key.channels?.admits(facts.channel) !== false);
    const found =
      builds.find(({ facts }) => facts.channel === channel) ?? (builds.length === 1 ? builds[0] : undefined);
    if (found === undefined) return [];
    if (report.kind !== 'install' || report.status !== 'rollback') return [found];
    return index.builds.withCopies(found);
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

function isSizes({ url }: FastifyRequest): boolean {
  return url.split('?', 1).join('').endsWith('/manifest_size');
}

const FAULTS_OF_AN_EVENT: ReadonlySet<string> = new Set(['VALIDATION_FAILED', 'MISSING_DEVICE_ID', 'BUILD_NOT_FOUND']);

/** A faulty event must not keep the others of the queue from being recorded. @throws what concerns all of them */
function ofEvent(error: unknown): 'error' {
  if (error instanceof DomainError && FAULTS_OF_AN_EVENT.has(error.code)) return 'error';
  throw error;
}

function deviceIn(event: unknown): string | undefined {
  const id = typeof event === 'object' && event !== null ? (event as { readonly device_id?: unknown }).device_id : '';
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function tooManyEvents(count: number): ValidationError {
  return new ValidationError({ body: [`The body has ${count} events, and may have at most ${MAX_EVENTS}.`] });
}
