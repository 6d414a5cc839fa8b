import { parseRepairedJson, textOfBody, unsupportedMediaType } from '@sluice/http';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const MAX_BODY_BYTES = 16 * 1024;

/** Of a scope of its own: its requests have a JSON body, or none. */
export function readJsonBodies(scope: FastifyInstance, bodyLimit = MAX_BODY_BYTES): void {
  scope.removeAllContentTypeParsers();
  // As a string, Fastify would take one that is not UTF-8 for a body of another length than announced.
  const asBytes = { parseAs: 'buffer', bodyLimit } as const;
  scope.addContentTypeParser<Buffer>(
    /^application\/([\w.-]+\+)?json\b/,
    asBytes,
    (_request: FastifyRequest, bytes: Buffer) => Promise.resolve(bytes).then(textOfBody).then(parseRepairedJson),
  );
  // Clients label empty bodies with whatever their library is used to.
  scope.addContentTypeParser<Buffer>('*', asBytes, (_request, bytes, done) =>
    done(bytes.length === 0 ? null : unsupportedMediaType('application/json')),
  );
}
