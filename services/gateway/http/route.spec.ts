import Fastify, { type FastifyInstance } from 'fastify';
import { readSettings } from '@sluice/config';
import { credentialHash, defineCall, newCredential, pageOf, type Permission } from '@sluice/contracts';
import { errorReply, pageQuery } from '@sluice/http';
import { systemClock } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { gatewaySettings } from '../config/gateway.settings';
import { AccessState } from '../access/access-state';
import { Limits } from '../limits/limits';
import { recordingLogger, failOnLine } from '@sluice/testing';
import { describePlane } from '@sluice/openapi';
import { PLANES } from '../openapi/planes';
import { guardPlanes, type PlanesOptions } from './planes';
import type { RequestContext } from './request-context';
import { asSent, ManagementRoute, Routes, noRequest, ofApp, routesOn, serveRoutes } from './route';

const widgetSchema = z.object({ id: z.int(), name: z.string() });
const request = z.object({ appId: z.int(), id: z.int() });
const getWidget = defineCall('test.getWidget', request, widgetSchema);
const paintWidget = defineCall('test.paintWidget', request.extend({ color: z.string() }), widgetSchema);
const listWidgets = defineCall('test.listWidgets', z.object({ page: z.int(), perPage: z.int() }), pageOf(widgetSchema));
const paintBody = z.object({ color: z.string('A color is required.') });

@Routes('Widgets', 'What a test adds.')
class WidgetsController {
  constructor(private readonly color: string) {}

  @ManagementRoute('GET', 'apps/:app/widgets', {
    summary: 'Widgets',
    query: [pageQuery],
    call: listWidgets,
    tokensOnly: true,
  })
  listWidgets(_: RequestContext, page: z.output<typeof pageQuery>) {
    return page;
  }

  @ManagementRoute('GET', 'apps/:app/widgets/:key', {
    summary: 'A widget',
    call: getWidget,
    raw: true,
    headersOf: (text: string) => ({ 'X-Length': String(text.length) }),
    answers: { 200: 'The widget.' },
  })
  getWidget(context: RequestContext) {
    return { appId: context.app.id, id: context.id('key') };
  }

  @ManagementRoute('POST', 'apps/:app/widgets/:key/paint', {
    permission: 'keys.delete',
    limit: 'keyActionsOfKey',
    summary: 'Paint a widget',
    body: paintBody,
    call: paintWidget,
    answers: { 202: 'The painted widget.' },
    refusals: ['BUILD_CHANGED'],
  })
  paintWidget(context: RequestContext, { color }: z.output<typeof paintBody>) {
    return { appId: context.app.id, id: context.id('key'), color: `${this.color} ${color}` };
  }
}

const routes = routesOn('management', [WidgetsController]);
const [able, unable] = [newCredential('svc_pat_'), newCredential('svc_pat_')];
const asked: unknown[] = [];
const answer = (call: { readonly pattern: string }, body: unknown): Promise<unknown> => {
  asked.push([call.pattern, body]);
  const widget = { id: 3, name: 'Bolt' };
  return Promise.resolve(call === listWidgets ? { items: [widget], total: 41 } : widget);
};
const messaging = {
  request: answer,
  requestRaw: async (call: typeof getWidget, body: unknown) => JSON.stringify(await answer(call, body)),
} as unknown as Messaging;

let fastify: FastifyInstance;
let limits: Limits;

beforeAll(() => {
  const state = new AccessState();
  const metadata = { commandId: '', actor: '', correlationId: '', causationId: '', at: '2026-01-01T00:00:00.000Z' };
  for (const [id, token] of [able, unable].entries()) {
    const permissions: Permission[] = token === able ? ['keys.delete'] : [];
    const facts = { name: 'ci', ownerId: 1, allApps: true, apps: [], expiresAt: null, sealId: null };
    state.apply({ type: 'TokenIssued', data: { ...facts, id, hash: credentialHash(token), permissions }, metadata });
  }
  const app = { id: 7, ownerId: 1, appId: 'a.b', bundleId: 'a.b', name: 'Shop', platform: 'both' as const };
  state.apply({ type: 'AppRegistered', data: { ...app, description: null, tokenId: null }, metadata });
  limits = new Limits(
    readSettings({ LIMIT_KEY_ACTIONS_PER_HOUR: '1' }, gatewaySettings),
    {} as never,
    recordingLogger(failOnLine),
  );
  fastify = Fastify({ exposeHeadRoutes: false });
  guardPlanes(fastify, {
    ...{ state, limits, messaging, clock: systemClock, tokenUse: { used: () => undefined } },
    logger: { isLevelEnabled: () => false },
  } as unknown as PlanesOptions);
  fastify.setErrorHandler((error, _, reply) => {
    const { status, body } = errorReply(error);
    return reply.status(status).send(body);
  });
  serveRoutes(fastify, routes, { messaging, find: () => new WidgetsController('bright') });
});

beforeEach(() => asked.splice(0));

afterAll(async () => {
  await fastify.close();
  await limits.onApplicationShutdown();
});

async function ask(method: 'GET' | 'POST', path: string, token?: string, payload?: object) {
  const url = `/api/public/v1/apps/${path}`;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const response = await fastify.inject({ method, url, headers, ...(payload && { payload }) });
  const body = response.json<{ error?: { code: string }; errors?: object }>();
  return { status: response.statusCode, body, headers: response.headers, code: body.error?.code };
}

describe('a declared route', () => {
  it('rejects who may not, before it asks anything of a service', async () => {
    const paint = 'a.b/widgets/3/paint';
    expect(await ask('POST', paint)).toMatchObject({ status: 401, code: 'MISSING_ACCESS_TOKEN' });
    expect(await ask('POST', paint, unable)).toMatchObject({ status: 403, code: 'TOKEN_PERMISSION_DENIED' });
    expect(await ask('POST', 'c.d/widgets/3/paint', able)).toMatchObject({ status: 404, code: 'APP_NOT_FOUND' });
    expect(asked).toEqual([]);
  });

  it('validates the body, asks its call and answers in the envelope, within its limit', async () => {
    expect(await ask('POST', 'a.b/widgets/4/paint', able, {})).toMatchObject({
      status: 422,
      body: { errors: { color: ['A color is required.'] } },
    });
    expect(await ask('POST', 'a.b/widgets/3/paint', able, { color: 'red' })).toMatchObject({
      status: 202,
      body: { data: { id: 3, name: 'Bolt' } },
    });
    expect(asked).toEqual([['test.paintWidget', { appId: 7, id: 3, color: 'bright red' }]]);
    const again = await ask('POST', 'a.b/widgets/3/paint', able, { color: 'red' });
    expect(again).toMatchObject({ status: 429, code: 'KEY_ACTION_RATE_LIMITED' });
  });

  it('answers a page with its meta', async () => {
    const { body } = await ask('GET', 'a.b/widgets?page=2', able);
    expect(body).toEqual({
      data: [{ id: 3, name: 'Bolt' }],
      meta: { current_page: 2, last_page: 3, per_page: 20, total: 41 },
    });
  });

  it('hands on the reply of its call as the service wrote it, with the headers of that', async () => {
    const { status, body, headers } = await ask('GET', 'a.b/widgets/3', able);
    expect([status, body]).toEqual([200, { data: { id: 3, name: 'Bolt' } }]);
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'x-length': '22' });
    expect(await ask('GET', 'a.b/widgets/x', able)).toMatchObject({ status: 404, code: 'KEY_NOT_FOUND' });
  });

  it('is described', () => {
    const { tags, paths } = describePlane({ ...PLANES.management, routes });
    expect(tags).toEqual([{ name: 'Widgets', description: 'What a test adds.' }]);
    expect(Object.keys(paths)).toEqual([
      '/apps/{app}/widgets',
      '/apps/{app}/widgets/{key}',
      '/apps/{app}/widgets/{key}/paint',
    ]);
    const paint = paths['/apps/{app}/widgets/{key}/paint']?.['post'];
    expect(paint).toMatchObject({ operationId: 'paintWidget', description: 'Needs the permission `keys.delete`.' });
    expect(paint?.requestBody?.content['application/json']?.schema).toMatchObject({ required: ['color'] });
    expect(paint?.parameters.map(({ name }) => name)).toEqual(['app', 'key', 'Idempotency-Key']);
    const described = JSON.stringify(paint?.responses);
    for (const code of ['MISSING_ACCESS_TOKEN', 'TOKEN_PERMISSION_DENIED', 'KEY_NOT_FOUND', 'BUILD_CHANGED']) {
      expect(described).toContain(code);
    }
    expect(Object.keys(paint?.responses ?? {})).toEqual(expect.arrayContaining(['202', '401', '403', '404', '429']));
  });

  it('is for owners too, without a permission, unless it is for tokens only', () => {
    const ofOwners = routesOn('dashboard', [WidgetsController]);
    expect(ofOwners.map(({ method, url, access }) => [method, url, access])).toEqual([
      ['GET', '/api/dashboard/v1/apps/:app/widgets/:key', { plane: 'dashboard', scope: 'app' }],
      [
        'POST',
        '/api/dashboard/v1/apps/:app/widgets/:key/paint',
        { plane: 'dashboard', scope: 'app', limit: 'keyActionsOfKey', repeatable: true },
      ],
    ]);
  });
});

describe('requests that several routes share', () => {
  const context = { app: { id: 7 } } as RequestContext;

  it('are empty, what was sent, or the app of the path', () => {
    expect(noRequest()).toEqual({});
    const sent = { name: 'Bolt' };
    expect(asSent(context, sent)).toBe(sent);
    expect(ofApp(context)).toEqual({ appId: 7 });
  });
});

it('serves no route that declares no policy', () => {
  const server = Fastify();
  guardPlanes(server, {} as PlanesOptions);
  expect(() => server.get('/api/public/v1/forgotten', () => ({}))).toThrow('has no access policy');
});
