import type { IncomingHttpHeaders } from 'node:http';
import { type ErrorReply, requireJsonObject, turnOf } from '@sluice/http';
import { ValidationError } from '@sluice/kernel';
import type { ObjectStore } from '@sluice/object-store';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate, header } from '../../access/device-headers';
import type { DownloadUrls } from '../../downloads/download-urls';
import { buildNotFound, downloadable, downloadUrlInvalid, signedQuery } from '../../downloads/bundle-download.route';
import type { FileIndexes } from '../../files/file-indexes';
import { readJsonBodies } from '../../http/json-bodies';
import { sendPrepared } from '../../http/send-prepared';
import type { Reporting } from '../../reports/reporting';
import { channelOfDevice } from '../../serving/channel-of-device';
import type { ServedBuild } from '../../serving/served-builds';
import type { ServingApp } from '../../serving/serving.projection';
import type { DecisionOptions } from '../../update-check/update-check.route';
import { changesBetween, zipOfChanges } from './codepush-changes';
import { type CodePushCheck, codePushRefusal, devicePlatform } from './codepush-check';
import {
  codePushRequest,
  headersOf,
  readLabel,
  requireKey,
  type CodePushRequest,
  type Spelling,
} from './codepush-request';
import { channelNamed, urlKeyOf } from '../url-key';

export interface CodePushOptions extends Pick<DecisionOptions, 'index' | 'usage' | 'limits' | 'hashes'> {
  readonly check: CodePushCheck;
  readonly reporting: Reporting;
  readonly urls: DownloadUrls;
  readonly files: FileIndexes;
  readonly objects: ObjectStore;
  /** Counts a rejection, and logs a fault of the server. */
  readonly refuse: (error: unknown, request: { readonly method: string; readonly url: string }) => ErrorReply;
}

/** Operations below the base of the plane, as versions of the client's SDK since 3.0 and before name them. */
export const CODEPUSH_PATHS: Readonly<Record<Spelling, string>> = { snake: '/v0.1/public/codepush', camel: '' };
const OPERATIONS: Readonly<Record<Spelling, { readonly check: string; readonly report: string }>> = {
  snake: { check: 'update_check', report: 'report_status' },
  camel: { check: 'updateCheck', report: 'reportStatus' },
};

export function checkPath(spelling: Spelling): string {
  return `${CODEPUSH_PATHS[spelling]}/${OPERATIONS[spelling].check}`;
}

const STATUSES = { DeploymentSucceeded: 'complete', DeploymentFailed: 'rollback' } as const;

/** Registers the protocol of CodePush's clients on a scope of their own. The app key is in the query, or in the body of a report. */
export function registerCodePushRoutes(plane: FastifyInstance, options: CodePushOptions): void {
  const { index, usage, hashes, check, reporting, refuse } = options;
  readJsonBodies(plane);
  plane.setErrorHandler((error, request, reply) => {
    reply.hijack();
    sendPrepared(codePushRefusal(refuse(error, request)), request.raw, reply.raw);
  });

  for (const spelling of ['snake', 'camel'] as const) {
    plane.get(checkPath(spelling), async (request, reply) => {
      const answer = await check(request.raw, request.query as Record<string, unknown>, spelling);
      reply.hijack();
      sendPrepared(answer, request.raw, reply.raw);
    });
    const reports = `${CODEPUSH_PATHS[spelling]}/${OPERATIONS[spelling].report}`;
    plane.post(`${reports}/download`, async (request, reply) => {
      const asked = reportOf(request, spelling);
      await record(request, asked, 'download', 'complete');
      return recorded(reply);
    });
    plane.post(`${reports}/deploy`, async (request, reply) => {
      const asked = reportOf(request, spelling);
      const status = statusOf(asked);
      if (status !== 'rollback') await active(request, asked);
      if (status !== undefined) await record(request, asked, 'install', status);
      return recorded(reply);
    });
  }

  plane.get('/changes/:build/:base', (request, reply) => sendChanges(request, reply, options));

  /** @throws DomainError, as an UpdateCheck */
  function reporter(request: FastifyRequest, asked: CodePushRequest): IncomingHttpHeaders {
    const { key } = urlKeyOf(index, asked.deploymentKey);
    const { app, key: served } = authenticate(index, usage, { origin: request.headers.origin, 'x-api-key': key });
    const version = readLabel(asked.label)?.version ?? '0.0.0';
    return headersOf(request.raw, key, asked, { platform: devicePlatform(app, served), version });
  }

  async function active(request: FastifyRequest, asked: CodePushRequest): Promise<void> {
    const headers = reporter(request, asked);
    // A device that has no id can't be counted.
    if (asked.clientId === '') return;
    await reporting.record(reporting.reporter('active', { headers, socket: request.raw.socket }), undefined);
  }

  async function record(
    request: FastifyRequest,
    asked: CodePushRequest,
    kind: 'download' | 'install',
    status: 'complete' | 'rollback',
  ): Promise<void> {
    const headers = reporter(request, asked);
    if (asked.clientId === '') return;
    const reporterOf = reporting.reporter(kind, { headers, socket: request.raw.socket });
    const previous = readLabel(asked.previous)?.version;
    for (const build of buildsOf(reporterOf.app, asked, headers, status)) {
      await reporting.record(reporterOf, {
        ...{ bundle_id: build.facts.bundleId, status },
        ...(status === 'rollback' && { error: 'DeploymentFailed' }),
        ...(kind === 'install' && previous !== undefined && { previous_version: previous }),
      });
    }
  }

  /** None: clients also report packages of another server. */
  function buildsOf(
    app: ServingApp,
    asked: CodePushRequest,
    headers: IncomingHttpHeaders,
    status: string,
  ): readonly ServedBuild[] {
    const named = readLabel(asked.label);
    if (named === undefined) return [];
    const { key, channel: requested } = urlKeyOf(index, asked.deploymentKey);
    const keyChannels = index.key(key)?.channels;
    const labelled = index.builds
      .ofVersion(app.appId, named.version)
      .filter(({ facts: { release, channel } }) => release === named.release && keyChannels?.admits(channel) !== false);
    // Numbers of releases are those of a channel: another one may have the same.
    const device = channelOfDevice(index, app, {
      ...{ keyChannels, requested: channelNamed(index, { key, channel: requested }, requested) },
      ...{ platform: header(headers, 'x-platform'), hashes: () => hashes.known(app.appId, asked.clientId) },
    });
    const channel = device.chosen ?? device.named?.channel;
    const found =
      labelled.find(({ facts }) => facts.channel === channel) ?? (labelled.length === 1 ? labelled[0] : undefined);
    if (found === undefined) return [];
    return status === 'rollback' ? index.builds.withCopies(found) : [found];
  }
}

/** @throws ValidationError */
function reportOf({ body }: FastifyRequest, spelling: Spelling): CodePushRequest {
  const members = body ?? {};
  requireJsonObject(members);
  const asked = codePushRequest(members as Readonly<Record<string, unknown>>, spelling);
  requireKey(asked);
  return asked;
}

/** Undefined: a new version of the native app runs. @throws ValidationError */
function statusOf({ label, status }: CodePushRequest): 'complete' | 'rollback' | undefined {
  if (label === '' && status === '') return undefined;
  if (status === 'DeploymentSucceeded' || status === 'DeploymentFailed') return STATUSES[status];
  const known = Object.keys(STATUSES).join(' or ');
  throw new ValidationError({ status: [`The status must be ${known}. Received: ${status.slice(0, 50)}`] });
}

function recorded(reply: FastifyReply): FastifyReply {
  return reply.header('Cache-Control', 'no-store').type('text/plain; charset=utf-8').send('OK');
}

async function sendChanges(
  request: FastifyRequest,
  reply: FastifyReply,
  { index, urls, files, objects, limits }: CodePushOptions,
): Promise<FastifyReply> {
  const { build: targetId, base: baseId } = request.params as { readonly build: string; readonly base: string };
  const target = downloadable(index, targetId);
  const base = /^[1-9]\d{0,15}$/.test(baseId) ? index.builds.find(Number(baseId)) : undefined;
  if (base === undefined || base.facts.appId !== target.facts.appId) throw buildNotFound();
  const query = signedQuery(request);
  if (!(await urls.verifyChanges(target.facts, base.facts, query))) throw downloadUrlInvalid();
  const changes = changesBetween(await files.load(base), await files.load(target));
  if (changes === undefined) throw buildNotFound();
  if (!(await turnOf(reply.raw))) return reply.hijack();
  limits.beginDownload(request.raw, reply.raw);
  return reply
    .header('Content-Type', 'application/zip')
    .header('Content-Length', changes.size)
    .header('Cache-Control', `private, max-age=${urls.secondsLeft(query.expires)}, immutable`)
    .send(zipOfChanges(objects, target.facts.objectKey, changes));
}
