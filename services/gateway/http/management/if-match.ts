import type { Build } from '@sluice/contracts';
import { validate } from '@sluice/http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';

/** Of requests that change a build. */
export const ifMatchHeader = z.object({
  'If-Match': z
    .string()
    .regex(/^(?:\*|"[1-9]\d{0,14}")$/, 'If-Match must be the ETag of a build, for example "3", or *.')
    .optional()
    .describe('The ETag of the build as you read it: the request has no effect if the build has changed since.'),
});

/** What the description says of the header that `sendBuild` sets. */
export const etagHeader = { ETag: 'The revision of the build in double quotes, for If-Match.' };

/**
 * The revision that If-Match asks for; undefined: any.
 * @throws ValidationError
 */
export function expectedRevision({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const { 'If-Match': tag } = validate(ifMatchHeader, { 'If-Match': headers['if-match'] });
  return tag === undefined || tag === '*' ? undefined : Number(tag.slice(1, -1));
}

export const etagOf = (revision: number): string => `"${revision}"`;

/** A build in the envelope of the plane, with its ETag. */
export function sendBuild(reply: FastifyReply, build: Build): { readonly data: Build } {
  void reply.header('ETag', etagOf(build.revision));
  return { data: build };
}
