import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { MerchantCatalogue } from './merchant-catalogue';
import { MerchantOAuth } from './merchant-oauth';
import { contentFailureReply, failureReply, refusal, type Failure, type Reply } from './merchant-reply';

/** What the remote is asked for. `offer`: one of a batch. */
export type Operation =
  'token' | 'revoke' | 'userinfo' | 'accounts' | 'registration' | 'dataSources' | 'batch' | 'offer' | 'statuses';

/** How a token is refused, by its status. */
const TOKEN_REFUSALS = {
  ...{ invalid_grant: 400, invalid_client: 401, unauthorized_client: 400 },
  ...{ temporarily_unavailable: 400, rate_limit_exceeded: 403, slow_down: 429 },
} as const;
export type TokenRefusal = keyof typeof TOKEN_REFUSALS;

const isTokenRefusal = (fault: string): fault is TokenRefusal => fault in TOKEN_REFUSALS;

export interface Fault {
  readonly on: Operation;
  /** `hang`: no answer, until the server is closed. */
  readonly with: Failure | TokenRefusal | 'hang';
  /** How often. Default: forever. */
  readonly times?: number;
  /** How many are let through before. */
  readonly after?: number;
  readonly retryAfterSeconds?: number;
  /** Of `offer`: which. */
  readonly offers?: (offerId: string) => boolean;
}

/** A loopback server of a merchant account: sign-in, the Merchant API v1 and the Content API v2.1. */
export interface MerchantServer {
  readonly address: string;
  /** The settings by which Sluice finds it. */
  readonly env: Readonly<Record<string, string>>;
  readonly oauth: MerchantOAuth;
  readonly catalogue: MerchantCatalogue;
  /** How often each was asked for; `offer` counts those in batches. */
  readonly received: Readonly<Record<Operation, number>>;
  /** `METHOD path?query` of every request, in order. */
  readonly lines: readonly string[];
  fail(fault: Fault): void;
  /** No fault any more. */
  repair(): void;
  /** What a browser does with an authorization_url: where the person is sent back to. */
  consent(authorizationUrl: string): Promise<URL>;
  close(): Promise<void>;
}

export async function startMerchantServer(): Promise<MerchantServer> {
  const received: Record<Operation, number> = {
    ...{ token: 0, revoke: 0, userinfo: 0, accounts: 0, registration: 0, dataSources: 0 },
    ...{ batch: 0, offer: 0, statuses: 0 },
  };
  const lines: string[] = [];
  let faults: { readonly fault: Fault; seen: number }[] = [];

  /** Counts the request, and answers the fault that is due. */
  const dueFault = (on: Operation, offerId = ''): Fault | undefined => {
    received[on] += 1;
    for (const entry of faults) {
      const { fault } = entry;
      if (fault.on !== on || fault.offers?.(offerId) === false) continue;
      entry.seen += 1;
      const { after = 0, times = Infinity } = fault;
      if (entry.seen > after && entry.seen <= after + times) return fault;
    }
    return undefined;
  };
  const oauth = new MerchantOAuth();
  const catalogue = new MerchantCatalogue((offerId) => {
    const failure = dueFault('offer', offerId)?.with;
    return failure === undefined || failure === 'hang' || isTokenRefusal(failure) ? undefined : failure;
  });

  /** Undefined: it hangs. */
  const answer = async (request: IncomingMessage): Promise<Reply | undefined> => {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const { method = 'GET', headers } = request;
    const body = await text(request);
    const route = `${method} ${pathname}`;
    if (route === 'GET /o/oauth2/v2/auth') return oauth.authorize(query);
    const operation = operationOf(route);
    if (operation === undefined) return { status: 404, text: 'Not found' };
    const fault = dueFault(operation);
    if (fault?.with === 'hang') return undefined;
    if (fault !== undefined) {
      if (isTokenRefusal(fault.with)) return { status: TOKEN_REFUSALS[fault.with], json: { error: fault.with } };
      const reply = pathname.startsWith('/content/') ? contentFailureReply(fault.with) : failureReply(fault.with);
      const { retryAfterSeconds } = fault;
      return retryAfterSeconds === undefined
        ? reply
        : { ...reply, headers: { 'retry-after': String(retryAfterSeconds) } };
    }
    const form = new URLSearchParams(body);
    if (operation === 'token') return oauth.token(form);
    if (operation === 'revoke') return oauth.revoke(form);
    if (operation === 'userinfo') return oauth.userinfo(headers.authorization);
    const scopes = oauth.scopesOf(headers.authorization);
    if (scopes === undefined) return refusal(401, 'UNAUTHENTICATED', 'ACCESS_TOKEN_EXPIRED');
    if (!scopes.some((scope) => scope.endsWith('/auth/content'))) {
      return refusal(403, 'PERMISSION_DENIED', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT');
    }
    if (route === 'POST /batch/products/v1') return batchReply(catalogue, headers['content-type'] ?? '', body);
    return interfaceReply(catalogue, route, query, body === '' ? {} : (JSON.parse(body) as unknown));
  };

  const server = createServer((request, response) => {
    lines.push(`${request.method ?? ''} ${request.url ?? ''}`);
    void answer(request).then((reply) => reply && send(response, reply));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    ...{ address, oauth, catalogue, received, lines },
    env: {
      MERCHANT_API_BASE_URL: address,
      CONTENT_API_BASE_URL: `${address}/content/v2.1`,
      OAUTH_AUTHORIZE_URL: `${address}/o/oauth2/v2/auth`,
      OAUTH_TOKEN_URL: `${address}/token`,
      OAUTH_REVOKE_URL: `${address}/revoke`,
      OAUTH_USERINFO_URL: `${address}/v1/userinfo`,
      OAUTH_CLIENT_ID: oauth.clientId,
      OAUTH_CLIENT_SECRET: oauth.clientSecret,
      REMOTE_RETRY_BASE_MS: '1',
    },
    fail: (fault) => void faults.push({ fault, seen: 0 }),
    repair: () => void (faults = []),
    async consent(authorizationUrl) {
      const { status, headers } = await fetch(authorizationUrl, { redirect: 'manual' });
      const location = headers.get('location');
      if (location === null) throw new Error(`Consent failed: the sign-in page answered ${status}.`);
      return new URL(location);
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

const OPERATIONS: readonly (readonly [RegExp, Operation])[] = [
  [/^POST \/token$/, 'token'],
  [/^POST \/revoke$/, 'revoke'],
  [/^GET \/v1\/userinfo$/, 'userinfo'],
  [/^POST \/accounts\/v1\/accounts\/\d+\/developerRegistration:registerGcp$/, 'registration'],
  [/^GET \/accounts\/v1\/accounts/, 'accounts'],
  [/^(GET|POST) \/datasources\/v1\/accounts\/\d+\/dataSources$/, 'dataSources'],
  [/^POST \/batch\/products\/v1$/, 'batch'],
  [/^GET \/products\/v1\/accounts\/\d+\/products$/, 'statuses'],
  [/^POST \/content\/v2\.1\/products\/batch$/, 'batch'],
  [/^GET \/content\/v2\.1\/accounts\/authinfo$/, 'accounts'],
  [/^GET \/content\/v2\.1\/\d+\/accounts\/\d+$/, 'accounts'],
  [/^GET \/content\/v2\.1\/\d+\/productstatuses$/, 'statuses'],
];

const operationOf = (route: string): Operation | undefined => OPERATIONS.find(([pattern]) => pattern.test(route))?.[1];

const NO_SUCH_METHOD: Reply = { status: 404, text: 'Not found' };

function interfaceReply(catalogue: MerchantCatalogue, route: string, query: URLSearchParams, body: unknown): Reply {
  if (route === 'GET /accounts/v1/accounts') return catalogue.listAccounts(query);
  if (route === 'GET /content/v2.1/accounts/authinfo') return catalogue.authinfo();
  if (route === 'POST /content/v2.1/products/batch') {
    const { entries = [] } = body as { entries?: Record<string, unknown>[] };
    const answered = entries.map((entry) => catalogue.entry(entry));
    return { status: 200, json: { kind: 'content#productsCustomBatchResponse', entries: answered } };
  }
  const [, accountId = ''] = /\/(\d+)(?:\/|$)/.exec(route) ?? [];
  const registers = route.includes('/developerRegistration');
  const refused = catalogue.refusalFor(accountId, !registers && !route.includes('/content/'));
  if (refused !== undefined) return refused;
  if (registers)
    return route.startsWith('GET') ? catalogue.registration(accountId) : catalogue.register(accountId, body);
  if (route.endsWith('/dataSources')) {
    return route.startsWith('GET')
      ? catalogue.listDataSources(accountId, query)
      : catalogue.createDataSource(accountId, body);
  }
  if (route.endsWith('/productstatuses')) return catalogue.listStatuses(accountId, query);
  if (route.endsWith('/products')) return catalogue.listProducts(accountId, query);
  return route.includes('/content/') ? catalogue.account(accountId) : NO_SUCH_METHOD;
}

const LARGEST_BATCH = 100;

/** Answers in another order than it was asked. */
function batchReply(catalogue: MerchantCatalogue, type: string, body: string): Reply {
  const [, boundary] = /^multipart\/mixed; boundary=(\S+)$/.exec(type) ?? [];
  if (boundary === undefined) return refusal(400, 'INVALID_ARGUMENT', 'BATCH_MALFORMED');
  const parts = body.split(`--${boundary}`).slice(1, -1);
  if (parts.length > LARGEST_BATCH) return refusal(400, 'INVALID_ARGUMENT', 'BATCH_TOO_LARGE');
  const answers = parts.map((part) => {
    const [outer = '', inner = '', ...json] = part.split('\r\n\r\n');
    const [, id] = /content-id: <([^>]+)>/i.exec(outer) ?? [];
    const reply = partReply(catalogue, inner, json.join('\r\n\r\n').trim());
    return [
      '--batch_answer',
      'Content-Type: application/http',
      `Content-ID: <response-${id}>`,
      '',
      `HTTP/1.1 ${reply.status} Whatever`,
      'Content-Type: application/json; charset=UTF-8',
      '',
      JSON.stringify(reply.json ?? {}, undefined, 2),
      '',
    ].join('\r\n');
  });
  return {
    status: 200,
    headers: { 'content-type': 'multipart/mixed; boundary=batch_answer' },
    text: `${answers.reverse().join('')}--batch_answer--\r\n`,
  };
}

function partReply(catalogue: MerchantCatalogue, head: string, json: string): Reply {
  const [, method, path = '/'] = /^(POST|DELETE) (\S+)/.exec(head) ?? [];
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const [, accountId = '', name = ''] = /^\/products\/v1\/accounts\/(\d+)\/productInputs[:/](.+)$/.exec(pathname) ?? [];
  const refused = catalogue.refusalFor(accountId, true);
  if (refused !== undefined) return refused;
  if (method === 'DELETE') return catalogue.delete(accountId, name);
  if (name !== 'insert') return NO_SUCH_METHOD;
  return catalogue.insert(accountId, searchParams.get('dataSource') ?? '', JSON.parse(json));
}

function send(response: ServerResponse, { status, headers = {}, json, text: body }: Reply): void {
  response.writeHead(status, { ...(json && { 'content-type': 'application/json; charset=UTF-8' }), ...headers });
  response.end(json === undefined ? body : JSON.stringify(json));
}
