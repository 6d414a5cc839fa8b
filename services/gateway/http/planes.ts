import { requireListingsModule, type Caller } from '@sluice/contracts';
import { parseJsonBody, unsupportedMediaType } from '@sluice/http';
import type { Clock } from '@sluice/kernel';
import { DomainError, stableUuid, ValidationError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { continueTrace, httpRequests, type Logger } from '@sluice/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessState } from '../projections/access-state';
import { ACCESS_POLICIES, isRepeatable, OPEN_ROUTES, type AccessPolicy } from './access-policy';
import { authenticate, authorize, type Access, type Identity } from './authentication';
import { hashBody, type Idempotency } from './idempotency';
import type { Limits } from './limits';
import type { Sessions } from './sessions';
import type { TokenUse } from './token-usage';

/** Largest JSON body (spec 5, too large). */
export const MAX_JSON_BYTES = 1024 * 1024;

export interface PlanesOptions {
  readonly state: AccessState;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly tokenUse: TokenUse;
  readonly sessions: Sessions;
  readonly idempotency: Idempotency;
  readonly messaging: Messaging;
  readonly logger: Logger;
}

/**
 * What every request meets before its handler, in the order of spec 5: trace, limit of the address,
 * credential, limits of the token, scope, permission, limit of key actions, whether its module works,
 * then the body's type and size.
 */
export function guardPlanes(fastify: FastifyInstance, options: PlanesOptions): void {
  const { messaging, logger } = options;
  fastify.decorateRequest('access', null);
  fastify.decorateRequest('trace', null);
  fastify.decorateRequest('named', null);
  fastify.decorateRequest('route', '');
  fastify.decorateRequest('policy', undefined);

  fastify.addHook('onRoute', ({ method, url }) => {
    for (const name of [method].flat()) {
      const route = `${name} ${url}`;
      if (ACCESS_POLICIES[route] === undefined && !OPEN_ROUTES.has(route))
        throw new Error(`The route ${route} has no access policy.`);
    }
  });

  fastify.addHook('onRequest', async (request, reply) => {
    const { traceparent } = request.headers;
    request.trace = continueTrace(typeof traceparent === 'string' ? traceparent : undefined);
    // Fastify makes the options of the route anew whenever they are asked for.
    request.route = request.routeOptions.url ?? '';
    const policy = (request.policy = ACCESS_POLICIES[`${request.method} ${request.route}`]);
    if (policy === undefined) return;
    request.access = await admit(request, reply, policy, options);
    if (policy.plane === 'listings') await messaging.request(requireListingsModule, {}, request.access.caller);
  });
  fastify.addHook('preHandler', (request, reply, done) => {
    const key = request.headers['idempotency-key'];
    if (key === undefined || !isRepeatable(request.method, request.policy)) done();
    else beginNamed(request, reply, key, options.idempotency).then(() => done(), done);
  });
  // Before the answer leaves: whoever has it may repeat the request.
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (request.named === null) done(null, payload);
    else request.named.end(reply.statusCode, request.trace?.traceparent).then(() => done(null, payload), done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const { statusCode: status, elapsedTime } = reply;
    const route = request.route || 'unknown';
    httpRequests.observe({ service: 'gateway', method, route, status }, elapsedTime / 1_000);
    // What changes something is worth a line to everybody, a look is not.
    const level = method === 'GET' ? 'debug' : 'info';
    if (logger.isLevelEnabled(level)) {
      // A device's id stays out of the log.
      const path = route.includes(':device') ? route : request.url.split('?', 1)[0];
      const facts = { method, path, status, ms: Math.round(elapsedTime), actor: request.access?.caller.actor };
      logger[level]({ ...facts, trace_id: request.trace?.traceId }, 'Answered');
    }
    done();
  });

  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<string>(
    /^application\/([\w.-]+\+)?json\b/,
    { parseAs: 'string', bodyLimit: MAX_JSON_BYTES },
    (_request: FastifyRequest, text: string) => Promise.resolve(text).then(parseJsonBody),
  );
  fastify.addContentTypeParser(/^multipart\/form-data\b/, (request, _payload, done) => {
    const { policy } = request;
    const takesMultipart = policy?.plane === 'management' && policy.multipart === true;
    done(takesMultipart ? null : unsupportedMediaType('application/json'));
  });
}

async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  policy: AccessPolicy,
  { state, clock, limits, tokenUse, sessions }: PlanesOptions,
): Promise<Access> {
  let identity: Identity;
  try {
    const found = authenticate(request, policy, state, clock, sessions);
    identity = found instanceof Promise ? await found : found;
  } catch (refusal) {
    if (!(refusal instanceof DomainError)) throw refusal;
    void reply.headers(await limits.strangers.count(limits.addressOf(request.raw), reply));
    throw refusal;
  }
  const limit = policy.plane === 'management' ? policy.limit : undefined;
  if ('token' in identity) {
    tokenUse.note(identity.token.id);
    void reply.headers(await limits.requests.count(identity.token.id, reply));
    if (limit === 'uploads') await limits.uploads.count(identity.token.id, reply);
  }
  const access = authorize(request, policy, identity, state);
  if (access.app !== undefined && limit === 'keyActionsOfApp') await limits.keyActions.count(access.app.id, reply);
  if (access.app !== undefined && limit === 'keyActionsOfKey') {
    const key = Number((request.params as { key: string }).key);
    await limits.keyActions.count(`${access.app.id}/${key}`, reply);
  }
  return access;
}

async function beginNamed(
  request: FastifyRequest,
  reply: FastifyReply,
  key: string | string[],
  idempotency: Idempotency,
): Promise<void> {
  request.named = await idempotency.begin(nameCommand(request, key));
  reply.raw.once('close', () => request.named?.abandon());
  const { policy } = request;
  if (policy?.plane !== 'management' || policy.multipart !== true) await bindBody(request, request.body ?? {});
}

/** Gives the request the id that its credential, its key and its route always give. */
function nameCommand(request: FastifyRequest, key: string | string[]): string {
  const { access } = request;
  if (access === null) throw new Error('An Idempotency-Key counts with a credential alone.');
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key)) {
    throw new ValidationError({ 'Idempotency-Key': ['The key must have 1 to 255 visible ASCII characters.'] });
  }
  const target = JSON.stringify({ ...(request.params as object), ...(access.app && { app: access.app.id }) });
  const commandId = stableUuid('idempotency', access.token?.id ?? access.caller.actor, key, request.route, target);
  request.access = { ...access, caller: { ...access.caller, commandId } };
  return commandId;
}

/**
 * The caller of a request whose body is known by now; with an Idempotency-Key, the body is the one
 * that the key stands for.
 * @throws DomainError IDEMPOTENCY_KEY_REUSED
 */
export async function bindBody(request: FastifyRequest, body: unknown): Promise<Caller> {
  const { access, named } = request;
  if (access === null) throw new Error('The request has no caller.');
  if (named === null) return access.caller;
  const bodyHash = hashBody(body);
  await named.bind(bodyHash);
  request.access = { ...access, caller: { ...access.caller, bodyHash } };
  return request.access.caller;
}
