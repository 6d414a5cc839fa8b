import type { Readable } from 'node:stream';
import { turnOf } from '@sluice/http';
import { DomainError } from '@sluice/kernel';
import { ObjectNotFoundError } from '@sluice/object-store';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceLimits } from '../access/device-limits';
import { matchesAny, requestedRange, unsatisfiableRange } from '../downloads/conditions';
import { refuseRecalled } from '../downloads/recalled';
import type { ServingIndex } from '../serving/serving-index';
import type { FileIndexes } from './file-indexes';

export interface FileDownloadOptions {
  readonly index: ServingIndex;
  readonly files: FileIndexes;
  readonly limits: DeviceLimits;
}

/** The bytes at an address never change. */
const CACHING = 'public, max-age=31536000, immutable';

/**
 * `GET` and `HEAD /files/{capability}/{sha256}?bundle={bundle id}`: one file of a bundle. A wrong capability and a file that
 * there is not get the same response.
 */
export function fileDownload({ index, files, limits }: FileDownloadOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { build, file } = await wanted(request, index, files);
    const { size, sha256 } = file;
    const etag = `"${sha256}"`;
    reply.header('ETag', etag).header('Cache-Control', CACHING);
    if (matchesAny(request.headers['if-none-match'], etag)) return reply.code(304).send();
    // Unpacking a file up to a part of it would cost far more than the request.
    const range = file.deflated ? undefined : requestedRange(request, etag, size);
    if (range === 'unsatisfiable') throw unsatisfiableRange(reply, size, 'file');
    let bytes: Readable | undefined;
    if (request.method !== 'HEAD') {
      if (!(await turnOf(reply.raw))) return reply.hijack();
      limits.beginDownload(request.raw, reply.raw);
      bytes = await files.unpack(build, file, range).catch(orNotFound);
    }
    if (range !== undefined) {
      reply.code(206).header('Content-Range', `bytes ${range.start}-${range.end}/${size}`);
    }
    return (
      reply
        // Not the type that its name suggests: no browser may run it as a page of this origin.
        .header('Content-Type', 'application/octet-stream')
        .header('Content-Disposition', 'attachment')
        .header('Content-Length', range === undefined ? size : range.end - range.start + 1)
        .header('Accept-Ranges', file.deflated ? 'none' : 'bytes')
        .send(bytes)
    );
  };
}

async function wanted(request: FastifyRequest, index: ServingIndex, files: FileIndexes) {
  const { capability, sha256 } = request.params as { readonly capability: string; readonly sha256: string };
  const { bundle } = request.query as { readonly bundle?: unknown };
  const build = typeof bundle === 'string' ? index.builds.findByBundleId(bundle) : undefined;
  if (build === undefined || index.app(build.facts.appId) === undefined) throw notFound();
  if (!files.isCapability(capability, build.facts.appId, sha256)) throw notFound();
  refuseRecalled(index, build);
  const file = await files.findByHash(build, sha256).catch(orNotFound);
  if (file === undefined) throw notFound();
  return { build, file };
}

function notFound(): DomainError {
  return new DomainError('NOT_FOUND', 'There is nothing at this address.');
}

function orNotFound(error: unknown): never {
  throw error instanceof ObjectNotFoundError ? notFound() : error;
}
