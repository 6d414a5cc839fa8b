import { buildSchema, type Build } from '@sluice/contracts';
import { validate } from '@sluice/http';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { one } from '@sluice/openapi';

/** For requests that change a build. */
export const ifMatchHeader = z.object({
  'If-Match': z
    .string()
    .regex(/^(?:\*|"[1-9]\d{0,14}")$/, 'If-Match must be the ETag of a build, for example "3", or *.')
    .optional()
    .describe('The ETag of the build as you read it: the request has no effect if the build has changed since.'),
});

/** For routes that return a build: its ETag is its revision. */
export function taggedBuild(status: 200 | 201, description: string) {
  const headers = { ETag: 'The revision of the build in double quotes, for If-Match.' };
  return { answers: { [status]: { ...one(buildSchema, description), headers } }, headersOf: etagOf };
}

/** `build`: it, or its JSON. Within a text of that, quotes are escaped, so that no text can be taken for the revision. */
const etagOf = (build: Build | string): Readonly<Record<string, string>> => ({
  ETag: `"${typeof build === 'string' ? /"revision":(\d+)/.exec(build)?.[1] : build.revision}"`,
});

/**
 * The revision that If-Match asks for; undefined: any.
 * @throws ValidationError
 */
export function expectedRevision({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const { 'If-Match': tag } = validate(ifMatchHeader, { 'If-Match': headers['if-match'] });
  return tag === undefined || tag === '*' ? undefined : Number(tag.slice(1, -1));
}
