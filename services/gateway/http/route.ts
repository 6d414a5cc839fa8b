import { Injectable, type Type } from '@nestjs/common';
import type { Call, PageRequest } from '@sluice/contracts';
import { pageMeta, validate, validateBody } from '@sluice/http';
import { ValidationError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { one, pageOfMany, type Answer, type DescribedRoute, type Operation, type Tag } from '@sluice/openapi';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { accessRefusals, DASHBOARD, PUBLIC, type AccessPolicy, type RouteAccess } from '../access/access-policy';
import { success } from '../listings/plane/envelope';
import { LISTINGS } from '../listings/plane/namespace';
import { RequestContext } from './request-context';
import { requireForm } from '../uploads/uploads';

type Method = Exclude<DescribedRoute['method'], 'HEAD'>;
type Plane = AccessPolicy['plane'];
type Queries = readonly z.ZodType[];
type QueryOf<Query> = Query extends readonly [infer First extends z.ZodType, ...infer Rest]
  ? z.output<First> & QueryOf<Rest>
  : unknown;

/**
 * All that there is to say of a route: what it needs (AccessPolicy), how it is described (Operation) and what it asks.
 * The name of its method is the id of its operation. A path with `:app` has the scope of an app.
 */
interface Declaration<C extends Call | undefined, Body extends z.ZodType, Query extends Queries>
  extends Omit<Operation, 'id' | 'answers' | 'body' | 'query'>, Omit<AccessPolicy, 'plane' | 'multipart'> {
  readonly body?: Body;
  readonly query?: Query;
  /** The method returns its request, and its reply is the answer. Left out: the method returns the answer. */
  readonly call?: C;
  /** The method reads the query itself: one that does not fit is no fault. */
  readonly readsQuery?: true;
  /** How long the call may take, in milliseconds. */
  readonly timeoutMs?: number;
  /** Sends the reply of the call as the service wrote it, without parsing it: for what scripts poll. */
  readonly raw?: true;
  /** Of a body or query that its schema rejects: all errors, so that one response names every wrong field. */
  readonly allErrors?: (
    controller: never,
    context: RequestContext,
    sent: Readonly<Record<string, unknown>>,
    errors: ValidationError['errors'],
  ) => Promise<ValidationError['errors']>;
  /** Headers that depend on the answer: on its JSON text with `raw`. */
  readonly headersOf?: (data: never) => Readonly<Record<string, string>>;
  /**
   * Successes by status; the first is the status of the response. A text describes the reply of the call. Left out: 200
   * and the page that the call replies.
   */
  readonly answers?: Readonly<Record<number, string | Answer>>;
  /** On the listings-ads plane, what the envelope says. Left out: the method returns the whole body. */
  readonly message?: string | ((data: C extends Call ? z.output<C['reply']> : never) => string);
  /** Of the management plane: not for owners, who may do all else that tokens may, with every permission. */
  readonly tokensOnly?: true;
  /** It needs no credential, or brings another proof. */
  readonly open?: true;
}

type AnyDeclaration = Omit<Declaration<undefined, z.ZodType, Queries>, 'call'> & { readonly call?: Call };

type Handler<C, Body extends z.ZodType, Query> = (
  context: RequestContext,
  /** The body, else the query, as its schemas gave it. */
  sent: z.output<Body> & QueryOf<Query>,
) => C extends Call ? z.input<C['request']> | Promise<z.input<C['request']>> : unknown;

interface Declared {
  readonly plane: Plane;
  readonly method: Method;
  readonly path: string;
  readonly id: string;
  readonly declaration: AnyDeclaration;
}

/** A declared route at one of its addresses. */
export interface Route extends DescribedRoute {
  readonly plane: Plane;
  readonly access: RouteAccess;
  readonly controller: Type;
  readonly declaration: AnyDeclaration;
}

const BASES: Readonly<Record<Plane, string>> = {
  management: PUBLIC,
  dashboard: DASHBOARD,
  listings: `${LISTINGS}/listings-ads`,
};

const declaredBy = new WeakMap<object, Declared[]>();
const tags = new WeakMap<object, Tag>();

/** A class whose methods are routes, and the heading below which they are described. */
export function Routes(name: string, description: string): ClassDecorator {
  return (target) => {
    tags.set(target, { name, description });
    Injectable()(target);
  };
}

/** Of a method, or of a member that holds a function. */
type RouteDecorator<C, Body extends z.ZodType, Query> = <Id extends string>(
  prototype: Readonly<Record<Id, Handler<C, Body, Query>>>,
  id: Id,
) => void;

/** For a call whose request is empty. */
export const noRequest = (): Record<string, never> => ({});
/** For a call whose request is the body, or the query, as its schemas gave it. */
export const asSent = <Sent>(_: RequestContext, sent: Sent): Sent => sent;
/** For a call about the app of the path. */
export const ofApp = ({ app }: RequestContext) => ({ appId: app.id });

function routeDecorator(plane: Plane) {
  return <
    C extends Call | undefined = undefined,
    Body extends z.ZodType = z.ZodUnknown,
    const Query extends Queries = [],
  >(
    method: Method,
    path: string,
    declaration: Declaration<C, Body, Query>,
  ): RouteDecorator<C, Body, Query> => {
    return (prototype, id) => {
      const declared = declaredBy.get(prototype.constructor) ?? [];
      declared.push({ plane, method, path, id, declaration: declaration as unknown as AnyDeclaration });
      declaredBy.set(prototype.constructor, declared);
    };
  };
}

/** A route below `/api/public/v1` for tokens and, unless `tokensOnly`, below `/api/dashboard/v1` for owners. */
export const ManagementRoute = routeDecorator('management');
/** A route below `/api/dashboard/v1`, for owners. */
export const DashboardRoute = routeDecorator('dashboard');
/** A route of the listings-ads plane, for the operator and its tokens with `manage_store`. */
export const ListingsRoute = routeDecorator('listings');

/** What these classes serve on a plane, in the order of their declarations. */
export function routesOn(plane: Plane, controllers: readonly Type[]): Route[] {
  return controllers.flatMap((controller) =>
    (declaredBy.get(controller) ?? [])
      .filter(
        ({ plane: own, declaration }) =>
          own === plane || (own === 'management' && plane === 'dashboard' && declaration.tokensOnly !== true),
      )
      .map((declared) => routeOf(plane, declared, controller)),
  );
}

function routeOf(plane: Plane, { plane: own, method, path, id, declaration }: Declared, controller: Type): Route {
  const tag = tags.get(controller);
  if (tag === undefined) throw new Error(`The class ${controller.name} has routes and no heading: add @Routes.`);
  const ofOwners = plane === 'dashboard';
  const access: AccessPolicy = {
    plane,
    ...(/:app\b/.test(path) && { scope: 'app' }),
    ...pick(declaration, 'scope', 'operator', 'mayNarrow', 'onlyTakesAway', 'repeatable', 'endless', 'limit'),
    ...(!ofOwners && pick(declaration, 'permission', 'changesSigningKeys')),
    ...(plane === 'listings' && { permission: 'manage_store' }),
    ...(own === 'management' && method === 'POST' && { repeatable: true }),
    ...(declaration.form && { multipart: true }),
  };
  const answers = Object.entries(declaration.answers ?? { 200: 'One page.' }).map(
    ([status, answer]) => [status, typeof answer === 'string' ? replyOf(declaration.call, answer) : answer] as const,
  );
  const { description, open } = declaration;
  const needs = access.plane === 'management' && access.permission && `Needs the permission \`${access.permission}\`.`;
  const details = [needs, description].filter(Boolean).join(' ');
  return {
    ...{ plane, method, url: `${BASES[plane]}/${path}`, tag, controller, declaration, id },
    ...pick(declaration, 'summary', 'query', 'body', 'bodyRequired', 'form', 'headers'),
    refusals: [...(declaration.call?.refusals ?? []), ...(declaration.refusals ?? [])],
    ...(details !== '' && { description: details }),
    ...(open === true
      ? { open, access: 'open' }
      : { access, takesIdempotencyKey: access.repeatable === true, accessRefusals: accessRefusals(access, method) }),
    answers: Object.fromEntries(answers),
  };
}

function replyOf(call: Call | undefined, description: string): Answer {
  if (call === undefined) throw new Error(`What no call replies needs a schema: ${description}`);
  const { items, total, ...others } = (call.reply as Partial<z.ZodObject>).shape ?? {};
  const isPage = items !== undefined && total !== undefined && Object.keys(others).length === 0;
  return isPage ? pageOfMany((items as z.ZodArray<z.ZodType>).element, description) : one(call.reply, description);
}

function pick<From extends object, Name extends keyof From>(from: From, ...names: Name[]): Pick<From, Name> {
  const present = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]] as const);
  return Object.fromEntries(present) as Pick<From, Name>;
}

/** Has Fastify answer the routes. @param find the instance of a class with routes */
export function serveRoutes(
  fastify: FastifyInstance,
  routes: readonly Route[],
  { messaging, find }: { readonly messaging: Messaging; readonly find: (controller: Type) => object },
): void {
  for (const route of routes) {
    const { method, url, access, controller } = route;
    fastify.route({ method, url, config: { access }, handler: handlerOf(route, find(controller), messaging) });
  }
}

function handlerOf(
  { id, plane, answers, declaration }: Route,
  controller: object,
  messaging: Messaging,
): (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply> {
  const { call, timeoutMs, raw, headersOf, form } = declaration;
  const handle = (controller as Record<string, Handler<undefined, z.ZodType, unknown>>)[id]?.bind(controller);
  const [[status, answer] = []] = Object.entries(answers);
  if (handle === undefined || answer === undefined) throw new Error(`The route ${id} answers nothing.`);
  const validator = validatorOf(declaration);
  const validated = async (request: FastifyRequest, reply: FastifyReply) => {
    try {
      return validator(request);
    } catch (error) {
      const { allErrors } = declaration;
      if (allErrors === undefined || !(error instanceof ValidationError)) throw error;
      const sent = { ...(request.query as object), ...(request.body as object | undefined) };
      throw new ValidationError(
        await allErrors(controller as never, new RequestContext(request, reply), sent, error.errors),
      );
    }
  };
  const enveloped = envelopeOf(plane, answer, declaration);
  const options = timeoutMs === undefined ? {} : { timeoutMs };

  return async (request, reply) => {
    void reply.status(Number(status));
    if (form !== undefined) requireForm(request);
    const sent = await validated(request, reply);
    const context = new RequestContext(request, reply);
    const result = await handle(context, sent);
    if (reply.sent) return reply;
    if (call !== undefined && raw === true) {
      const text = await messaging.requestRaw(call, result, context.caller, options);
      if (headersOf !== undefined) void reply.headers(headersOf(text as never));
      return reply.type('application/json; charset=utf-8').send(`{"data":${text}}`);
    }
    const data = call === undefined ? result : await messaging.request(call, result, context.caller, options);
    if (headersOf !== undefined) void reply.headers(headersOf(data as never));
    return reply.send(enveloped(data, sent));
  };
}

function validatorOf({
  body,
  bodyRequired,
  query = [],
  readsQuery,
}: AnyDeclaration): (sent: FastifyRequest) => unknown {
  if (body !== undefined) return (sent) => (bodyRequired === true ? validate : validateBody)(body, sent.body);
  if (readsQuery === true) return () => ({});
  return (sent) => Object.assign({}, ...query.map((schema) => validate(schema, sent.query))) as unknown;
}

function envelopeOf(
  plane: Plane,
  { kind }: Answer,
  { message }: AnyDeclaration,
): (data: unknown, sent: unknown) => unknown {
  if (message !== undefined) {
    return (data) => success(data, typeof message === 'string' ? message : message(data as never));
  }
  if (plane === 'listings') return (body) => body;
  switch (kind) {
    case 'one':
      return (data) => ({ data });
    case 'page':
      return (data, sent) => {
        const { items, total } = data as { readonly items: readonly unknown[]; readonly total: number };
        return { data: items, meta: pageMeta(sent as PageRequest, total) };
      };
    default:
      return (body) => body;
  }
}
