import type { Call } from '@sluice/contracts';
import { validate } from '@sluice/http';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';

/** For requests that change or delete a resource with a revision. */
export const ifMatchHeader = z.object({
  'If-Match': z
    .string()
    .regex(/^(?:\*|"[1-9]\d{0,14}")$/, 'If-Match must be the ETag of a response, for example "3", or *.')
    .optional()
    .describe(
      'The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since.',
    ),
});

/** For routes that return a resource with a revision: its ETag. */
export function tagged(call: Pick<Call, 'reply'>, status: 200 | 201, description: string) {
  const headers = { ETag: 'The revision in double quotes, for If-Match.' };
  return { answers: { [status]: { ...one(call.reply, description), headers } }, headersOf: etagOf };
}

/**
 * `resource`: it, or its JSON. Within a text of that, quotes are escaped, so that no text can be taken for the revision.
 * A replica of an earlier release may leave it out.
 */
function etagOf(resource: { readonly revision: number } | string): Readonly<Record<string, string>> {
  const revision = typeof resource === 'string' ? /"revision":(\d+)/.exec(resource)?.[1] : resource.revision;
  return revision === undefined ? {} : { ETag: `"${revision}"` };
}

/** For a call with `ifRevision`. @throws ValidationError */
export const ifRevision = ({ request }: Pick<RequestContext, 'request'>) => ({ ifRevision: expectedRevision(request) });

/**
 * The revision that If-Match asks for; undefined: any.
 * @throws ValidationError
 */
function expectedRevision({ headers }: Pick<FastifyRequest, 'headers'>): number | undefined {
  const { 'If-Match': tag } = validate(ifMatchHeader, { 'If-Match': headers['if-match'] });
  return tag === undefined || tag === '*' ? undefined : Number(tag.slice(1, -1));
}
