import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { readSettings } from '@sluice/config';
import { askGate, LISTING_SECRETS, prepareGate, replaceGateSecret } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { Engines } from '@sluice/engines';
import type { EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, systemClock } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { openInProcessMessaging } from '@sluice/messaging/in-process';
import type { RunningService } from '@sluice/service-host';
import { startService } from '@sluice/service-host/start-service';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { createVault } from '@sluice/vault';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import { merchantSyncSettings } from '../config/merchant-sync.settings';
import { merchantSync } from '../merchant-sync.service';

jest.setTimeout(30_000);

const BODY = {
  ...{ build: 12, version: '1.2.0', channel: 'production' as const, step: 1, percentage: 5 },
  ...{ since: '2026-01-01T00:00:00.000Z', counts: { finished: 100, failed: 1, left_out: 0 } },
};

let dataDir: string;
/** Each test has an app of its own. */
let app = 0;
let events: EventStore;
let documents: DocumentStore;
let messaging: Messaging;
let service: RunningService;
let gate: Server;
let url: string;
let received: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: string }[];
let respond: (response: ServerResponse) => void;
let logged: string[] = [];
const masterKey = randomBytes(32);

async function start(env: Readonly<Record<string, string>> = {}): Promise<void> {
  events = await openSqliteEventStore({ path: join(dataDir, 'events.db') });
  documents = await openSqliteDocumentStore({ path: join(dataDir, 'state.db') });
  messaging = openInProcessMessaging();
  const settings = { DATA_DIR: dataDir, WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'on', ...env };
  const engines = {
    settings: readSettings(settings, merchantSyncSettings),
    ...{ clock: systemClock, events, readStore: documents, stateStore: documents, messaging },
    vault: createVault({ state: documents, masterKeys: { current: masterKey }, changing: LISTING_SECRETS }),
  } as unknown as Engines;
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  service = await startService(merchantSync, engines, () => 'http://localhost', logger);
}

async function stop(): Promise<void> {
  await service.stop();
  await messaging.close();
  await documents.close();
  await events.close();
}

beforeEach(async () => {
  [received, logged] = [[], []];
  respond = (response) => response.end('{"verdict": "pass"}');
  gate = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      received.push({ path: request.url ?? '', headers: request.headers, body: bytes.toString() });
      respond(response);
    });
  });
  gate.listen(0, '127.0.0.1');
  await once(gate, 'listening');
  url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}/gate`;
  app += 1;
});

afterEach(() => {
  gate.closeAllConnections();
  gate.close();
});

beforeAll(async () => {
  dataDir = temporaryDirectory();
  await start();
});

afterAll(stop);

const caller = (commandId = newCommandId()) => ({ actor: 'token:1', commandId });
const prepare = (by = caller(), address = url, appId = app) =>
  messaging.request(prepareGate, { appId, url: address }, by);
const ask = (address = url) =>
  messaging.request(askGate, { appId: app, url: address, body: { ...BODY, app } }, caller());
const verify = (secret = '') => {
  const { body, headers } = received.at(-1)!;
  return new Webhook(secret).verify(body, headers as Record<string, string>);
};

it('sends a signed request that an implementation of Standard Webhooks verifies, and returns the answer', async () => {
  const { gate_secret: secret } = await prepare();
  respond = (response) => response.end('{"verdict": "pass", "reason": "No new crashes.", "more": [1]}');
  expect(await ask()).toEqual({ verdict: 'pass', reason: 'No new crashes.' });
  expect(verify(secret)).toEqual({ ...BODY, app });
  expect(received[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Sluice' });
  await ask();
  expect(received[1]?.headers['webhook-id']).not.toBe(received[0]?.headers['webhook-id']);
  expect(() => new Webhook(`whsec_${Buffer.alloc(32).toString('base64')}`)).not.toThrow();
  expect(() => verify(`whsec_${Buffer.alloc(32).toString('base64')}`)).toThrow('No matching signature found');
});

describe('an answer', () => {
  const json = (value: unknown) => (response: ServerResponse) => void response.end(JSON.stringify(value));
  const noAnswer = /^The answer of the webhook is not JSON such as/;

  it.each<readonly [string, (response: ServerResponse) => void, string, RegExp | null]>([
    ['pass', json({ verdict: 'pass' }), 'pass', null],
    ['fail', json({ verdict: 'fail', reason: '12 crashes' }), 'fail', /^12 crashes$/],
    ['wait', json({ verdict: 'wait', reason: null }), 'wait', null],
    ['with an empty reason', json({ verdict: 'pass', reason: ' \u0007 ' }), 'pass', null],
    ['with control characters', json({ verdict: 'fail', reason: 'a\u001b[31mb\u202ec\nd' }), 'fail', /^a \[31mb c d$/],
    ['with half a character', json({ verdict: 'fail', reason: 'a\ud800' }), 'fail', /^a$/],
    ['with a long reason', json({ verdict: 'fail', reason: '😀'.repeat(300) }), 'fail', /^😀{200}$/u],
    ['with an unknown verdict', json({ verdict: 'maybe' }), 'wait', noAnswer],
    ['with a reason that is no text', json({ verdict: 'fail', reason: 7 }), 'wait', noAnswer],
    ['that is no object', json('pass'), 'wait', noAnswer],
    ['that is no JSON', (response) => void response.end('<h1>pass</h1>'), 'wait', noAnswer],
    ['without a body', (response) => void response.writeHead(204).end(), 'wait', noAnswer],
    [
      'that is huge',
      (response) => {
        response.write('{"verdict": "pass", "reason": "');
        const flood = () => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, 'a')));
          if (!response.destroyed) response.once('drain', flood);
        };
        flood();
      },
      'wait',
      /has more than 16384 bytes\.$/,
    ],
    [
      'that is huge once it is unpacked',
      (response) => {
        response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000, ' ')));
      },
      'wait',
      /has more than 16384 bytes\.$/,
    ],
    ['of 500', (response) => void response.writeHead(500).end('secret text'), 'wait', /^The webhook answered 500\.$/],
    [
      'that is a redirect',
      (response) => void response.writeHead(307, { Location: '/elsewhere' }).end(),
      'wait',
      /^The webhook answered 307; redirects are not followed\.$/,
    ],
    ['that breaks off', (response) => void response.destroy(), 'wait', /^The connection to the webhook failed/],
  ])('%s', async (_, answer, verdict, reason) => {
    await prepare();
    respond = answer;
    const expected = reason === null ? null : (expect.stringMatching(reason) as string);
    expect(await ask()).toEqual({ verdict, reason: expected });
    expect(received.map(({ path }) => path)).toEqual(['/gate']);
    expect(logged.join()).not.toContain('secret text');
  });

  it('does not come from a server that is not there, and waits', async () => {
    await prepare();
    gate.close();
    await once(gate, 'close');
    const reason = 'The connection to the webhook failed (ECONNREFUSED).';
    expect(await ask()).toEqual({ verdict: 'wait', reason });
  });
});

/** For the tests of a group. */
function useSettings(env: Readonly<Record<string, string>>): void {
  beforeAll(async () => {
    await stop();
    await start(env);
  });
  afterAll(async () => {
    await stop();
    await start();
  });
}

describe('within a time, an answer', () => {
  useSettings({ WEBHOOK_TIMEOUT_MS: '100' });

  it.each<readonly [string, (response: ServerResponse) => void]>([
    ['that does not come', () => undefined],
    [
      'whose body comes byte by byte',
      (response) => {
        const bytes = setInterval(() => response.write(' '), 10);
        response.once('close', () => clearInterval(bytes));
      },
    ],
    ['whose body does not end', (response) => void response.writeHead(200).write('{"verdict": ')],
  ])('%s', async (_, answer) => {
    await prepare();
    respond = answer;
    expect(await ask()).toEqual({ verdict: 'wait', reason: 'The webhook did not answer in time.' });
  });
});

describe('a private address', () => {
  useSettings({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'off' });

  it.each(['127.0.0.1', 'localhost', '[::1]'])('is not asked, this machine included: %s', async (host) => {
    await prepare(caller(), 'https://gate.example.com/');
    const { port } = new URL(url);
    for (const protocol of ['http', 'https']) {
      const answer = await ask(`${protocol}://${host}:${port}/gate`);
      expect(answer).toEqual({ verdict: 'wait', reason: expect.stringMatching(/is not a public address/) as string });
    }
    expect(received).toEqual([]);
  });

  it.each(['http://gate.example.com/', 'https://10.0.0.1/', 'http://127.0.0.1/', 'https://169.254.169.254/'])(
    'and plain http are rejected when the plan is set: %s',
    async (address) => {
      const refusal = { code: 'VALIDATION_FAILED', errors: { 'gates.webhook.url': [expect.any(String)] } };
      await expect(prepare(caller(), address)).rejects.toMatchObject(refusal);
    },
  );
});

describe('the secret of an app', () => {
  it('is made once, shown to the command that made it alone, and differs from app to app', async () => {
    const by = caller();
    const made = await prepare(by);
    expect(made.gate_secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(await prepare()).toEqual({});
    expect(await prepare(by)).toEqual(made);
    expect((await prepare(caller(), url, 1_000)).gate_secret).not.toBe(made.gate_secret);
  });

  it('is replaced, and outlives a restart', async () => {
    const { gate_secret: first } = await prepare();
    const by = caller();
    const replaced = await messaging.request(replaceGateSecret, { appId: app }, by);
    expect(await messaging.request(replaceGateSecret, { appId: app }, by)).toEqual(replaced);
    await stop();
    await start();
    await ask();
    expect(verify(replaced.gate_secret)).toEqual({ ...BODY, app });
    expect(() => verify(first)).toThrow('No matching signature found');
  });

  it('is missing until a plan or a person makes it, and is deleted with the app', async () => {
    const missing = {
      verdict: 'wait',
      reason: expect.stringMatching(/has no secret .* "sluice app gate-secret"/) as string,
    };
    expect(await ask()).toEqual(missing);
    await prepare();
    expect(await ask()).toMatchObject({ verdict: 'pass' });
    await events.append(`app-${app}`, 'none', [
      {
        ...{ id: newCommandId(), type: 'AppRemovalStarted', data: { id: app } },
        metadata: { ...caller(), at: systemClock.now().toISOString() },
      } as never,
    ]);
    await eventually(async () => (await ask()).verdict === 'wait');
    expect(await ask()).toEqual(missing);
  });

  it('is in no file and in no log', async () => {
    const { gate_secret: secret = '' } = await prepare();
    await ask();
    await stop();
    const parts = [secret, secret.slice(6), Buffer.from(secret.slice(6), 'base64')];
    for (const file of await readdir(dataDir)) {
      const bytes = await readFile(join(dataDir, file));
      expect([file, parts.some((part) => bytes.includes(part))]).toEqual([file, false]);
    }
    expect(logged.join()).not.toContain(secret.slice(6));
    await start();
  });
});
