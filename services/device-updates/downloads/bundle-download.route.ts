import type { Readable } from 'node:stream';
import { turnOf } from '@sluice/http';
import { DomainError } from '@sluice/kernel';
import { ObjectNotFoundError, type ByteRange, type ObjectStore } from '@sluice/object-store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DownloadUrls, SignedQuery } from './download-urls';
import type { ServedBuild } from '../serving/served-builds';
import type { ServingIndex } from '../serving/serving-index';
import type { StoreAddresses } from './store-addresses';
import { matchesAny, requestedRange, unsatisfiableRange } from './conditions';
import { refuseRecalled } from './recalled';
import type { DeviceLimits } from '../access/device-limits';

export interface BundleDownloadOptions {
  readonly index: ServingIndex;
  readonly urls: DownloadUrls;
  readonly objects: ObjectStore;
  readonly limits: DeviceLimits;
  /** If set, a GET is redirected to the object store, which serves the bytes. */
  readonly storeAddresses?: StoreAddresses | undefined;
}

/**
 * `GET` and `HEAD /api/v1/bundles/{build}/download`: the bundle's bytes, or a redirect to them, for a client
 * with a signed URL.
 */
export function bundleDownload({ index, urls, objects, limits, storeAddresses }: BundleDownloadOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { build, expires } = await signedBuild(request, index, urls);
    const { facts } = build;
    const etag = `"${facts.checksum}"`;
    // A shared cache would serve the bundle after its URL has expired or its build is deleted. Its bytes never change.
    const caching = `private, max-age=${urls.secondsLeft(expires)}, immutable`;

    if (matchesAny(request.headers['if-none-match'], etag)) {
      return reply.code(304).header('ETag', etag).header('Cache-Control', caching).send();
    }
    const range = requestedRange(request, etag, facts.size);
    if (range === 'unsatisfiable') throw unsatisfiableRange(reply, facts.size, 'bundle');
    if (storeAddresses !== undefined && request.method === 'GET') {
      return reply
        .header('Cache-Control', 'no-store')
        .header('X-Bundle-Checksum', facts.checksum)
        .redirect(await storeAddresses.of(build), 302);
    }
    let bytes: Readable | undefined;
    if (request.method !== 'HEAD') {
      if (!(await turnOf(reply.raw))) return reply.hijack();
      limits.beginDownload(request.raw, reply.raw);
      bytes = await open(objects, facts.objectKey, range);
    }
    if (range !== undefined) {
      reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${facts.size}`);
    }
    return reply
      .header('Content-Type', 'application/zip')
      .header('Content-Length', range === undefined ? facts.size : range.end - range.start + 1)
      .header('Content-Disposition', `attachment; filename="bundle-${facts.version}.zip"`)
      .header('Accept-Ranges', 'bytes')
      .header('Cache-Control', caching)
      .header('ETag', etag)
      .header('X-Bundle-Checksum', facts.checksum)
      .send(bytes);
  };
}

async function signedBuild(
  request: FastifyRequest,
  index: ServingIndex,
  urls: DownloadUrls,
): Promise<{ readonly build: ServedBuild; readonly expires: string }> {
  const build = downloadable(index, (request.params as { readonly build: string }).build);
  const query = signedQuery(request);
  if (await urls.verify(build.facts, query)) return { build, expires: query.expires };
  throw downloadUrlInvalid();
}

/** @throws DomainError BUILD_NOT_FOUND; DOWNLOAD_URL_INVALID for a recalled build */
export function downloadable(index: ServingIndex, id: string): ServedBuild {
  const build = /^[1-9]\d{0,15}$/.test(id) ? index.builds.find(Number(id)) : undefined;
  if (build === undefined || index.app(build.facts.appId) === undefined) throw buildNotFound();
  refuseRecalled(index, build);
  return build;
}

/** @throws DomainError DOWNLOAD_URL_INVALID when a part of it is missing */
export function signedQuery({ query }: FastifyRequest): SignedQuery {
  const { expires, kid, signature } = query as Readonly<Record<keyof SignedQuery, unknown>>;
  if (typeof expires !== 'string' || typeof signature !== 'string' || (kid !== undefined && typeof kid !== 'string')) {
    throw downloadUrlInvalid();
  }
  return { expires, kid, signature };
}

export function downloadUrlInvalid(): DomainError {
  return new DomainError(
    'DOWNLOAD_URL_INVALID',
    'The download URL is invalid or has expired. Check for updates again.',
  );
}

export function buildNotFound(): DomainError {
  return new DomainError('BUILD_NOT_FOUND', 'There is no build with this id.');
}

async function open(objects: ObjectStore, key: string, range: ByteRange | undefined) {
  try {
    return await objects.get(key, range);
  } catch (error) {
    throw error instanceof ObjectNotFoundError ? buildNotFound() : error;
  }
}
