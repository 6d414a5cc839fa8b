import { Logger, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { defineCall } from '@sluice/contracts';
import { UnavailableError, type JsonObject } from '@sluice/kernel';
import { connect } from 'nats';
import { randomBytes } from 'node:crypto';
import { temporaryDirectory } from '@sluice/testing';
import { z } from 'zod';
import { makeCertificates, opensslInstalled, type Certificates } from '@sluice/testing/certificates';
import { natsServerBinary, startNatsServer, type NatsServer } from '@sluice/testing/nats-server';
import { messagingContract } from '../contract/messaging.contract';
import { MAX_PACKET_BYTES, type Messaging } from '../port';
import { answer, answerCalls } from '../serve-calls';
import { connectPatiently, natsOptions } from './connection';
import { openNatsMessaging } from './nats-messaging';

Logger.overrideLogger(false);
jest.setTimeout(30_000);

const given = process.env['TEST_NATS_URL'];
const installed = natsServerBinary() !== undefined;
const withServer = given !== undefined || installed ? describe : describe.skip;
const withOwnServer = installed ? describe : describe.skip;

withServer('Messaging over NATS (needs nats-server on PATH, or TEST_NATS_URL)', () => {
  let server: NatsServer | undefined;
  let url: string;
  let run = 0;

  beforeAll(async () => {
    if (given === undefined) server = await startNatsServer();
    url = given ?? server!.url;
  });
  afterAll(() => server?.stop());

  messagingContract((logger) => {
    const namespace = `test-${process.pid}-${(run += 1)}`;
    return Promise.resolve({
      connect: () => openNatsMessaging({ url, namespace, logger }),
      close: () => Promise.resolve(),
    });
  });
});

(installed && opensslInstalled ? describe : describe.skip)('Messaging over NATS with TLS (needs openssl too)', () => {
  let folder: string;
  let made: Certificates;
  let server: NatsServer;
  let run = 0;

  beforeAll(async () => {
    folder = temporaryDirectory();
    made = makeCertificates(folder);
    server = await startNatsServer({ tls: made, user: 'sluice', pass: 'hunter2:@/' });
  });
  afterAll(() => server.stop());

  messagingContract((logger) => {
    const namespace = `tls-${process.pid}-${(run += 1)}`;
    return Promise.resolve({
      connect: () => openNatsMessaging({ url: server.url, namespace, ca: made.authority, logger }),
      close: () => Promise.resolve(),
    });
  });

  it('takes a token too, and a CA makes TLS of nats:// as well', async () => {
    const guarded = await startNatsServer({ tls: made, token: 't0ken' });
    const messaging = await openNatsMessaging({ url: guarded.url.replace('tls:', 'nats:'), ca: made.authority });
    await messaging.ping();
    await messaging.close();
    await guarded.stop();
  });

  it.each([
    ['of an unknown authority', undefined, /certificate is refused \(unable to .*BUS_CA_FILE names/],
    ['of another authority than the one that is named', 'other', /certificate is refused \(.*BUS_CA_FILE names/],
  ])('rejects a certificate %s, and says so', async (_, named, reason) => {
    const elsewhere = temporaryDirectory();
    const ca = named === undefined ? undefined : makeCertificates(elsewhere).authority;
    const refusal = await connectPatiently(natsOptions(server.url, 'test', ca), undefined, 0).catch(String);
    expect(refusal).toMatch(reason);
    expect(refusal).not.toContain('hunter2');
  });

  it('rejects a certificate that was given to another host, and says so', async () => {
    const elsewhere = temporaryDirectory();
    const others = makeCertificates(elsewhere, 'DNS:nats.example.com');
    const impostor = await startNatsServer({ tls: others });
    const refusal = await connectPatiently(natsOptions(impostor.url, 'test', others.authority), undefined, 0).catch(
      String,
    );
    expect(refusal).toMatch(/certificate is refused \(.*127\.0\.0\.1/);
    await impostor.stop();
  });

  it('says nothing to a server without TLS', async () => {
    const plain = await startNatsServer();
    const url = plain.url.replace('nats:', 'tls:');
    expect(await connectPatiently(natsOptions(url, 'test'), undefined, 0).catch(String)).toMatch(/TLS/i);
    await plain.stop();
  });
});

const noise = defineCall('noise.make', z.object({ bytes: z.int() }), z.object({ noise: z.string() }));

const noiseMaker = answer(noise, ({ bytes }) => ({ noise: randomBytes(bytes).toString('base64') }));

@Module({ controllers: [answerCalls([noiseMaker])] })
class NoiseModule {}

withOwnServer('NATS itself (needs nats-server on PATH)', () => {
  const caller = { actor: 'token:7', commandId: 'c0ffee' };
  let server: NatsServer;
  let release: (() => Promise<unknown>)[];

  const open = async (options: { url?: string; namespace?: string } = {}) => {
    const messaging = await openNatsMessaging({ url: server.url, ...options });
    release.push(() => messaging.close());
    return messaging;
  };
  const startNoise = async (messaging: Messaging) => {
    const transport: MicroserviceOptions = { strategy: messaging.server('noise') };
    const app = await NestFactory.createMicroservice(NoiseModule, transport);
    await app.listen();
    release.unshift(() => app.close());
    return app;
  };
  const nextAnnouncement = (messaging: Messaging, topic: string) =>
    new Promise<JsonObject>((resolve) => messaging.listen(topic, resolve));

  beforeEach(async () => {
    release = [];
    server = await startNatsServer();
  });
  afterEach(async () => {
    for (const close of release) await close();
    await server.stop();
  });

  it('may crash and come back: requests and announcements work again without help', async () => {
    const messaging = await open();
    await startNoise(messaging);
    const heard = nextAnnouncement(messaging, 'news');
    await server.kill();
    await expect(messaging.request(noise, { bytes: 1 }, caller, { timeoutMs: 100 })).rejects.toThrow(UnavailableError);
    await expect(messaging.ping()).rejects.toThrow(UnavailableError);

    const patient = messaging.request(noise, { bytes: 1 }, caller);
    server = await startNatsServer({ port: server.port });
    await expect(patient).resolves.toEqual({ noise: expect.any(String) });
    await messaging.ping();
    messaging.announce('news', { number: 1 });
    await expect(heard).resolves.toEqual({ number: 1 });
  });

  it('may freeze: requests end as unavailable, and work again when it continues', async () => {
    const messaging = await open();
    await startNoise(messaging);
    const whileAnswered = async () => {
      for (;;) await messaging.request(noise, { bytes: 1 }, caller, { timeoutMs: 100 });
    };
    server.freeze();
    try {
      await expect(whileAnswered()).rejects.toThrow(UnavailableError);
    } finally {
      server.thaw();
    }
    await expect(messaging.request(noise, { bytes: 1 }, caller)).resolves.toBeDefined();
  });

  it('may be gone permanently: a stop still completes', async () => {
    const messaging = await open();
    const app = await startNoise(messaging);
    await server.kill();
    await app.close();
    await messaging.close();
    await expect(messaging.request(noise, { bytes: 1 }, caller)).rejects.toThrow(UnavailableError);
  });

  it('may start after its clients', async () => {
    const { port, url } = server;
    await server.stop();
    const opening = open({ url });
    server = await startNatsServer({ port });
    await expect(opening.then((messaging) => messaging.ping())).resolves.toBeUndefined();
  });

  it('carries no packet above the limit', async () => {
    const messaging = await open();
    await startNoise(messaging);
    const observer = await connect({ servers: server.url });
    release.push(() => observer.close());
    const sizes: number[] = [];
    observer.subscribe('>', { callback: (_, { data }) => sizes.push(data.length) });
    await observer.flush();
    await messaging.request(noise, { bytes: 2_000_000 }, caller);
    await observer.flush();
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MAX_PACKET_BYTES);
  });

  it('delivers messages of other clients, and the service continues', async () => {
    const messaging = await open();
    await startNoise(messaging);
    const foreigner = await connect({ servers: server.url });
    release.push(() => foreigner.close());
    for (const payload of ['not JSON', '{}', '{"id":"1","pattern":"x"}', 'null', '']) {
      foreigner.publish(noise.pattern, payload, { reply: 'nowhere' });
      foreigner.publish('announcements.news', payload);
    }
    const heard: JsonObject[] = [];
    const complete = new Promise<void>((resolve) =>
      messaging.listen('news', (body) => {
        heard.push(body);
        if (body['number'] === 1) resolve();
      }),
    );
    await foreigner.flush();
    await expect(messaging.request(noise, { bytes: 1 }, caller)).resolves.toBeDefined();
    messaging.announce('news', { number: 1 });
    await complete;
  });

  it('keeps namespaces apart', async () => {
    const [east, west] = [await open({ namespace: 'east' }), await open({ namespace: 'west' })];
    await startNoise(west);
    const heard = nextAnnouncement(west, 'news');
    await west.ping();
    east.announce('news', { from: 'east' });
    await east.ping();
    west.announce('news', { from: 'west' });
    await expect(heard).resolves.toEqual({ from: 'west' });
    await expect(east.request(noise, { bytes: 1 }, caller, { timeoutMs: 100 })).rejects.toThrow(UnavailableError);
    await expect(openNatsMessaging({ url: server.url, namespace: 'a.>' })).rejects.toThrow(/namespace/);
  });

  it('takes credentials from the URL, and no error or log repeats them', async () => {
    await server.stop();
    server = await startNatsServer({ user: 'sluice', pass: 'hunter2:@/' });
    await expect(open().then((messaging) => messaging.ping())).resolves.toBeUndefined();
    const wrong = natsOptions(server.url.replace('hunter2', 'hunter3'), 'test');
    const refusal = await connectPatiently(wrong, undefined, 0).catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      message: expect.stringMatching(/^No NATS server accepts connections at 127\.0\.0\.1:\d+: /),
    });
    expect(String(refusal)).not.toContain('hunter3');
  });
});

describe('A NATS URL', () => {
  it.each([
    ['nats://localhost', { servers: ['localhost'] }],
    ['nats://host:4333', { servers: ['host:4333'] }],
    ['nats://me:p%40ss@host', { servers: ['host'], user: 'me', pass: 'p@ss' }],
    ['nats://t0ken@host:4222', { servers: ['host:4222'], token: 't0ken' }],
    ['tls://one:1,tls://two:2', { servers: ['one:1', 'two:2'], tls: {} }],
    ['nats://[::1]:4222', { servers: ['[::1]:4222'] }],
  ])('%s names servers and credentials', (url, expected) => {
    const { name, servers, user, pass, token, tls } = natsOptions(url, 'sluice-keys');
    expect({ name, servers, user, pass, token, tls }).toEqual({ name: 'sluice-keys', ...expected });
  });

  it.each(['nats://', 'nats://me:hunter2@', 'nats://me:hunter2@one,', ''])(
    '%s is refused without repeating it',
    (url) => {
      const refusal = (): unknown => natsOptions(url, 'sluice');
      expect(refusal).toThrow(/must be nats:\/\/HOST:PORT/);
      expect(refusal).not.toThrow(/hunter2/);
    },
  );
});
