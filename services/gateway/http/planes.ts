import { requireListingsModule } from '@sluice/contracts';
import {
  frameworkRefusal,
  parseStorableJson,
  requireJsonObject,
  textOfBody,
  UNCACHED,
  unsupportedMediaType,
} from '@sluice/http';
import type { Clock, Logger } from '@sluice/kernel';
import { DomainError, stableUuid, ValidationError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { IDEMPOTENCY_KEY_PATTERN } from '@sluice/openapi';
import { continueTrace, httpRequests, tracing } from '@sluice/telemetry';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccessState } from '../access/access-state';
import type { AccessPolicy } from '../access/access-policy';
import { authenticate, authorize, presentIdentity, type Identity } from '../access/authentication';
import { bindBody, type Idempotency } from '../idempotency/idempotency';
import type { Limits } from '../limits/limits';
import { onlyNarrows } from '../access/narrowing';
import { refuseForged, type Sessions } from '../access/sessions';
import type { TokenUse } from '../access/token-usage';
import type { Uploads } from '../uploads/uploads';

/** Largest JSON body; a larger one gets 413. */
export const MAX_JSON_BYTES = 1024 * 1024;
/** Largest body of a route that needs no credential. */
export const MAX_OPEN_BYTES = 4 * 1024;

export interface PlanesOptions {
  readonly state: AccessState;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly tokenUse: TokenUse;
  readonly sessions: Sessions;
  readonly idempotency: Idempotency;
  readonly uploads: Uploads;
  readonly messaging: Messaging;
  readonly logger: Logger;
  /** For how long browsers are to come by https alone; 0: nothing is said of it. */
  readonly hstsSeconds: number;
}

/**
 * What every request meets before its handler, in this order: trace, limit of the address,
 * credential, whether a page of another site made it, limits of the token, scope, permission, limit of key actions, whether its module works,
 * then the body's type and size.
 */
export function guardPlanes(fastify: FastifyInstance, options: PlanesOptions): void {
  const { logger, hstsSeconds } = options;
  const strict = hstsSeconds > 0 ? { 'Strict-Transport-Security': `max-age=${hstsSeconds}` } : {};
  const safeHeaders = Object.entries({ ...UNCACHED, ...strict });
  fastify.decorateRequest('access', null);
  fastify.decorateRequest('trace', null);
  fastify.decorateRequest('span', null);
  fastify.decorateRequest('named', null);
  fastify.decorateRequest('overLimit', null);
  fastify.decorateRequest('confirmAccess', () => undefined);
  fastify.decorateRequest('route', '');
  fastify.decorateRequest('policy', undefined);

  fastify.addHook('onRoute', (route) => {
    const { method, url } = route;
    if (Array.isArray(method)) throw new Error(`The route ${url} must have one method.`);
    const access = route.config?.access;
    if (access === undefined) throw new Error(`The route ${method} ${url} has no access policy.`);
    const policy = access === 'open' ? undefined : access;
    route.onRequest = (request, reply, done) => {
      request.route = url;
      request.policy = policy;
      beginTrace(request);
      if (policy === undefined && method === 'POST') countAttempt(request, reply, options).then(() => done(), done);
      else if (policy === undefined) done();
      else letIn(request, reply, policy, options).then(() => done(), done);
    };
    if (policy === undefined && method === 'POST') {
      route.bodyLimit = MAX_OPEN_BYTES;
      route.onSend = (request, reply, payload, done) => {
        creditSuccess(request, reply, options).then(() => done(null, payload), done);
      };
    }
    if (policy?.mayNarrow === true) {
      route.preHandler = (request, _reply, done) => {
        if (request.overLimit === null) done();
        else admitNarrowing(request, request.overLimit, options).then(() => done(), done);
      };
    }
    if (policy?.repeatable !== true) return;
    route.preHandler = (request, reply, done) => {
      const key = request.headers['idempotency-key'];
      if (key === undefined) done();
      else beginNamed(request, reply, key, options).then(() => done(), done);
    };
    // Before the response is sent: a client that received it may repeat the request.
    route.onSend = (request, reply, payload, done) => {
      if (request.named === null) done(null, payload);
      else request.named.end(reply.statusCode, request.trace?.traceparent).then(() => done(null, payload), done);
    };
  });

  // What no route is for: whatever its body or its method may be.
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) beginTrace(request);
    done(request.is404 ? frameworkRefusal(404) : undefined);
  });
  // The console's files alone say otherwise.
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    for (const [name, value] of safeHeaders) if (!reply.hasHeader(name)) reply.header(name, value);
    done();
  });
  // Not in the parser: what that rejects ends the connection.
  fastify.addHook('preValidation', (request, _reply, done) => {
    if (request.policy?.multipart !== true) {
      if (request.body !== undefined) request.confirmAccess();
      requireJsonObject(request.body);
    }
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const { method } = request;
    const { statusCode: status, elapsedTime } = reply;
    const route = request.route || 'unknown';
    request.span?.end({
      failed: status >= 500,
      attributes: { 'http.request.method': method, 'http.route': route, 'http.response.status_code': status },
    });
    const endless = request.policy?.endless === true && status === 200;
    if (!endless) httpRequests.observe({ service: 'gateway', method, route, status }, elapsedTime / 1_000);
    // What changes something is worth a line to everybody, a look is not.
    const level = method === 'GET' ? 'debug' : 'info';
    if (logger.isLevelEnabled(level)) {
      // A device's id stays out of the log.
      const path = route.includes(':device') ? route : request.originalUrl.split('?', 1)[0];
      const facts = { method, path, status, ms: Math.round(elapsedTime), actor: request.access?.caller.actor };
      logger[level]({ ...facts, trace_id: request.trace?.traceId }, 'Answered');
    }
    done();
  });

  fastify.removeAllContentTypeParsers();
  // As a string, Fastify would take one that is not UTF-8 for a body of another length than announced.
  fastify.addContentTypeParser<Buffer>(
    /^application\/([\w.-]+\+)?json\b/,
    { parseAs: 'buffer', bodyLimit: MAX_JSON_BYTES },
    (_request: FastifyRequest, bytes: Buffer) => Promise.resolve(bytes).then(textOfBody).then(parseStorableJson),
  );
  fastify.addContentTypeParser(/^multipart\/form-data\b/, (request, _payload, done) => {
    done(request.policy?.multipart === true ? null : unsupportedMediaType('application/json'));
  });
}

function beginTrace(request: FastifyRequest): void {
  const { traceparent } = request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  const name = `${request.method} ${request.route}`;
  request.span = tracing()?.span({ name, kind: 'SERVER', parent, fromClient: true }) ?? null;
  request.trace = request.span ?? continueTrace(parent);
}

async function letIn(
  request: FastifyRequest,
  reply: FastifyReply,
  policy: AccessPolicy,
  { state, clock, limits, tokenUse, sessions, messaging }: PlanesOptions,
): Promise<void> {
  let identity: Identity;
  try {
    const found = authenticate(request, policy, state, clock, sessions);
    identity = found instanceof Promise ? await found : found;
  } catch (refusal) {
    if (!(refusal instanceof DomainError)) throw refusal;
    void reply.headers(await limits.unauthenticated.count(limits.addressOf(request.raw), reply));
    throw refusal;
  }
  const { limit } = policy;
  if ('token' in identity) tokenUse.used(identity.token.id);
  else if (identity.session !== undefined) refuseForged(request, identity.session);
  try {
    await countRequest(request, reply, identity, limits);
  } catch (refusal) {
    if (!(refusal instanceof DomainError) || !(policy.onlyTakesAway ?? policy.mayNarrow)) throw refusal;
    await limits.narrowing.count(principalOf(identity), reply);
    if (policy.onlyTakesAway !== true) request.overLimit = refusal;
  }
  if (limit === 'uploads') {
    await limits.uploads.count(principalOf(identity), reply);
  }
  const access = authorize(request, policy, identity, state);
  if (access.app !== undefined && limit === 'keyActionsOfApp') await limits.keyActions.count(access.app.id, reply);
  if (access.app !== undefined && limit === 'keyActionsOfSigningKey') {
    await limits.keyActions.count(`${access.app.id}/signing-key`, reply);
  }
  if (access.app !== undefined && limit === 'keyActionsOfKey') {
    const key = Number((request.params as { key: string }).key);
    await limits.keyActions.count(`${access.app.id}/${key}`, reply);
  }
  request.access = access;
  request.confirmAccess = () => void authorize(request, policy, presentIdentity(identity, state), state);
  if (policy.plane === 'listings') await messaging.request(requireListingsModule, {}, access.caller);
}

async function countRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  identity: Identity,
  limits: Limits,
): Promise<void> {
  const counted =
    'token' in identity
      ? await limits.requests.count(identity.token.id, reply)
      : await limits.ownerRequests.count(identity.owner.id, reply);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    await limits.changes.count('token' in identity ? identity.token.ownerId : identity.owner.id, reply);
  }
  if ('token' in identity) void reply.headers(counted);
}

const principalOf = (identity: Identity): string | number =>
  'token' in identity ? identity.token.id : `owner:${identity.owner.id}`;

/** Of a request beyond its limit: lets it through when it only takes a build away from devices. */
async function admitNarrowing(
  request: FastifyRequest,
  refusal: DomainError,
  { messaging, limits }: PlanesOptions,
): Promise<void> {
  if (await onlyNarrows(request, messaging)) {
    request.overLimit = null;
    return;
  }
  const { token, caller } = request.access ?? {};
  await limits.narrowing.credit(token?.id ?? caller?.actor ?? '');
  throw refusal;
}

/** Before its body is read. The right key is accepted although other clients at the address have spent its budget. */
async function countAttempt(request: FastifyRequest, reply: FastifyReply, { limits }: PlanesOptions): Promise<void> {
  try {
    void reply.headers(await limits.unauthenticated.count(limits.addressOf(request.raw), reply));
  } catch (refusal) {
    if (!(refusal instanceof DomainError)) throw refusal;
    request.overLimit = refusal;
  }
}

async function creditSuccess(request: FastifyRequest, reply: FastifyReply, { limits }: PlanesOptions): Promise<void> {
  if (reply.statusCode < 400) await limits.unauthenticated.credit(limits.addressOf(request.raw));
}

async function beginNamed(
  request: FastifyRequest,
  reply: FastifyReply,
  key: string | string[],
  { idempotency, uploads }: PlanesOptions,
): Promise<void> {
  const isUpload = request.policy?.multipart === true;
  const begun = idempotency.begin(idempotentCommandId(request, key));
  request.named = await (isUpload ? uploads.beforeAccepted(begun, request.trace?.traceparent) : begun);
  reply.raw.once('close', () => request.named?.abandon());
  if (!isUpload) await bindBody(request, request.body ?? {});
}

/** Gives the request the id that its credential, its key and its route always give. */
function idempotentCommandId(request: FastifyRequest, key: string | string[]): string {
  const { access } = request;
  if (access === null) throw new Error('An Idempotency-Key counts with a credential alone.');
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY_PATTERN.test(key)) {
    throw new ValidationError({ 'Idempotency-Key': ['The key must have 1 to 255 visible ASCII characters.'] });
  }
  const target = JSON.stringify({ ...(request.params as object), ...(access.app && { app: access.app.id }) });
  const commandId = stableUuid('idempotency', access.token?.id ?? access.caller.actor, key, request.route, target);
  request.access = { ...access, caller: { ...access.caller, commandId } };
  return commandId;
}
