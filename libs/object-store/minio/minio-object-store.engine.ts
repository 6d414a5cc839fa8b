import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@sluice/testing';
import { Client } from 'minio';
import { openRelay, type Relay } from '@sluice/testing/relay';
import { objectStoreContract } from '../contract/object-store.contract';
import { ObjectStoreUnavailableError, type ObjectStore } from '../port';
import { openMinioObjectStore } from './minio-object-store';
import { originOf, storeAddress } from './store-address';

const given = process.env['TEST_OBJECT_STORE_URL'];
const suite = given === undefined ? describe.skip : describe;
const MEBIBYTE = 1_048_576;
/** Of the driver, which does not export its type. */
interface TemporaryKeys {
  readonly AssumeRoleProvider: new (options: object) => {
    getCredentials(): Promise<Record<'getAccessKey' | 'getSecretKey' | 'getSessionToken', () => string>>;
  };
}
const ALL_BUT_DATE = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

/** Starts a put that never ends, and notifies the parent process once the first part is on its way. */
const ENDLESS_PUT = `
  const { Readable } = require('node:stream');
  const { openMinioObjectStore } = require(process.argv[1]);
  let pulled = 0;
  const source = new Readable({
    read() {
      pulled += 1;
      if (pulled === 12) setTimeout(() => process.send('half way'), 500);
      if (pulled <= 12) this.push(Buffer.alloc(1048576, 7));
    },
  });
  openMinioObjectStore({ url: process.argv[2] }).then((store) => store.put('bundles/killed.zip', source));
`;

suite(given === undefined ? 'the object store on S3 (no TEST_OBJECT_STORE_URL)' : 'the object store on S3', () => {
  // A bucket of its own, next to the one in the URL.
  const url = (given ?? 'minio://k:s@host/b').replace(/(\?|$)/, `-${randomBytes(4).toString('hex')}$1`);
  const { host, port, tls, bucket, ...keys } = storeAddress(url);
  const driver = new Client({ endPoint: host, ...(port && { port }), useSSL: tls, ...keys });

  const openEmpty = async () => {
    const store = await openMinioObjectStore({ url });
    for await (const { key } of store.list('')) await store.delete(key);
    return store;
  };
  const incomplete = async (key: string) =>
    (await driver.listIncompleteUploadsQuery(bucket, key, '', '', '')).uploads.length;

  afterAll(async () => {
    await (await openEmpty()).close();
    await driver.removeBucket(bucket);
  });

  describe('as every engine', () => {
    objectStoreContract(openEmpty);
  });

  describe('as an S3', () => {
    let store: ObjectStore;

    beforeEach(async () => {
      store = await openEmpty();
    });

    afterEach(async () => {
      await store.close();
    });

    it('leaves no part behind, however a put ends', async () => {
      const parts = () => Readable.from(Array.from({ length: 12 }, () => Buffer.alloc(MEBIBYTE)));
      await expect(store.put('large', parts(), { maxBytes: 11 * MEBIBYTE })).rejects.toThrow('more than');
      const source = new PassThrough();
      const answer = store.put('broken', source);
      source.write(Buffer.alloc(6 * MEBIBYTE));
      await eventually(async () => (await incomplete('broken')) === 1);
      source.destroy(new Error('gone'));
      await expect(answer).rejects.toThrow('gone');
      expect(await incomplete('large')).toBe(0);
      expect(await incomplete('broken')).toBe(0);
    });

    it('never shows a put whose process was killed, and sweeps its parts once they are old', async () => {
      const child = spawn(
        process.execPath,
        ['-r', resolve('test/register-swc.cjs'), '-e', ENDLESS_PUT, join(__dirname, 'index.ts'), url],
        { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
      );
      await once(child, 'message');
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await store.stat('bundles/killed.zip')).toBeUndefined();
      expect(await incomplete('bundles/killed.zip')).toBe(1);

      await (await openMinioObjectStore({ url })).close();
      await pause(500);
      expect(await incomplete('bundles/killed.zip')).toBe(1);

      await (await openMinioObjectStore({ url, staleUploadMs: 0 })).close();
      await eventually(async () => (await incomplete('bundles/killed.zip')) === 0);
    });

    it('stores keys that look like numbers', async () => {
      for (const key of ['1e5', '007', '12']) await store.put(key, Readable.from([key]));
      const found: string[] = [];
      for await (const { key } of store.list('')) found.push(key);
      expect(found.sort()).toEqual(['007', '12', '1e5']);
    });

    it('signs URLs that serve the bytes, also as ranges, until they expire', async () => {
      const bytes = randomBytes(100_000);
      await store.put('bundles/signed.zip', Readable.from([bytes]));
      const headers = { contentType: 'application/zip', contentDisposition: 'attachment; filename="bundle-1.0.0.zip"' };
      const from = new Date(Date.now() - 5_000);
      const address = await store.presign!('bundles/signed.zip', { from, ttlSeconds: 60, ...headers });
      expect(address).not.toContain(keys.secretKey);

      const whole = await fetch(address);
      expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
      expect(whole.headers.get('content-type')).toBe('application/zip');
      expect(whole.headers.get('content-disposition')).toBe('attachment; filename="bundle-1.0.0.zip"');
      const part = await fetch(address, { headers: { Range: 'bytes=99990-' } });
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(99_990))).toBe(true);

      const expired = await store.presign!('bundles/signed.zip', { from, ttlSeconds: 1, ...headers });
      expect((await fetch(expired)).status).toBe(403);
      expect((await fetch(address.replace('signed.zip', 'other.zip'))).status).toBe(403);
    });

    it('is unavailable, not empty, when its bucket is missing', async () => {
      const gone = await openMinioObjectStore({ url: url.replace(bucket, `${bucket}-gone`) });
      await driver.removeBucket(`${bucket}-gone`);
      await expect(gone.stat('one')).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(gone.get('one')).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(gone.delete('one')).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(gone.put('one', Readable.from(['x']))).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(gone.ping()).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(gone.list('')[Symbol.asyncIterator]().next()).rejects.toThrow(ObjectStoreUnavailableError);
      await gone.close();
    });

    it('opens with temporary keys only together with their session token', async () => {
      const { AssumeRoleProvider } = jest.requireActual<TemporaryKeys>('minio/dist/main/AssumeRoleProvider.js');
      const provider = new AssumeRoleProvider({ ...keys, stsEndpoint: originOf(storeAddress(url)) });
      const given = await provider.getCredentials();
      const key = encodeURIComponent(given.getAccessKey());
      const secret = encodeURIComponent(given.getSecretKey());
      const sessionToken = encodeURIComponent(given.getSessionToken());
      const bare = url.replace(/\/\/[^@]+@/, `//${key}:${secret}@`);
      await expect(openMinioObjectStore({ url: bare })).rejects.toThrow(ObjectStoreUnavailableError);

      const temporary = await openMinioObjectStore({ url: `${bare}?session_token=${sessionToken}` });
      await temporary.put('bundles/temporary.zip', Readable.from(['x']));
      const headers = { contentType: 'application/zip', contentDisposition: 'attachment' };
      const address = await temporary.presign!('bundles/temporary.zip', {
        from: new Date(),
        ttlSeconds: 60,
        ...headers,
      });
      expect(await (await fetch(address)).text()).toBe('x');
      await temporary.close();
    });

    it('reports a wrong clock as such, not as wrong keys', async () => {
      jest.useFakeTimers({ now: Date.now() + 20 * 60_000, doNotFake: ALL_BUT_DATE });
      try {
        const early = openMinioObjectStore({ url });
        await expect(early).rejects.toThrow(ObjectStoreUnavailableError);
        await expect(early).rejects.toThrow(/RequestTimeTooSkewed: This machine's clock is 20 minutes ahead.*NTP/);
        await expect(store.put('large', Readable.from([Buffer.alloc(6 * MEBIBYTE)]))).rejects.toThrow('minutes ahead');
      } finally {
        jest.useRealTimers();
      }
      await store.put('one', Readable.from(['x']));
    });

    it('does not open with a wrong secret, and does not show it', async () => {
      const wrong = openMinioObjectStore({ url: url.replace(/:[^:@/]+@/, ':another-secret@') });
      await expect(wrong).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(wrong).rejects.toThrow(/^(?!.*another-secret).*$/s);
    });
  });

  describe('when the server is busy', () => {
    /** Forwards requests, except those of `refused` (method and status), which it rejects as a busy server does. */
    let refused: { readonly method: string; readonly status: number }[];
    let proxy: Server;
    let store: ObjectStore;

    beforeEach(async () => {
      refused = [];
      proxy = createServer((incoming, outgoing) => {
        const at = refused.findIndex(({ method }) => method === incoming.method);
        const { status } = refused.splice(at, at === -1 ? 0 : 1)[0] ?? {};
        if (status !== undefined) {
          incoming.resume();
          outgoing.writeHead(status).end('<Error><Code>SlowDown</Code></Error>');
          return;
        }
        const { method, url: path, headers } = incoming;
        const onward = request({ host, port, method, path, headers }, (answer) => {
          outgoing.writeHead(answer.statusCode!, answer.headers);
          answer.pipe(outgoing);
        });
        incoming.pipe(onward);
      });
      proxy.listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      const { port: near } = proxy.address() as AddressInfo;
      store = await openMinioObjectStore({ url: url.replace(/@[^/]+/, `@127.0.0.1:${near}`) });
    });

    afterEach(async () => {
      await store.close();
      proxy.close();
    });

    it('retries parts, the completion, reads, stats and deletions', async () => {
      const bytes = randomBytes(11 * MEBIBYTE);
      refused = [503, 500, 503].map((status) => ({ method: 'PUT', status }));
      refused.push(...[500, 503].map((status) => ({ method: 'POST', status })));
      await store.put('large', Readable.from([bytes]));
      refused.push(...[503, 503, 500].map((status) => ({ method: 'GET', status })));
      expect((await buffer(await store.get('large'))).equals(bytes)).toBe(true);
      refused.push({ method: 'PUT', status: 500 }, { method: 'HEAD', status: 503 }, { method: 'DELETE', status: 503 });
      await store.put('small', Readable.from(['x']));
      expect(await store.stat('small')).toMatchObject({ size: 1 });
      expect(await store.delete('small')).toBe(true);
      expect(refused).toEqual([]);
    });

    it('is unavailable when the server stays busy', async () => {
      await store.put('one', Readable.from(['x']));
      refused = Array.from({ length: 4 }, () => ({ method: 'GET', status: 503 }));
      const answer = store.get('one');
      await expect(answer).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(answer).rejects.toThrow('503');
      expect(refused).toEqual([]);
      expect((await buffer(await store.get('one'))).toString()).toBe('x');
    });
  });

  describe('on a bad network', () => {
    let relay: Relay;
    let store: ObjectStore;

    beforeEach(async () => {
      relay = await openRelay({ host, port: port ?? (tls ? 443 : 80) });
      store = await openMinioObjectStore({ url: url.replace(/@[^/]+/, `@127.0.0.1:${relay.port}`), silentMs: 400 });
    });

    afterEach(async () => {
      await store.close();
      await relay.close();
    });

    it('is unavailable while the server is unreachable, and works again afterwards', async () => {
      await store.put('one', Readable.from(['x']));
      await relay.cut();
      await expect(store.get('one')).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(store.stat('one')).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(store.put('two', Readable.from(['x']))).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(store.ping()).rejects.toThrow(ObjectStoreUnavailableError);
      await relay.restore();
      expect((await buffer(await store.get('one'))).toString()).toBe('x');
      expect(await store.stat('two')).toBeUndefined();
    });

    it('times out when the server is silent, and ends running reads', async () => {
      await store.put('large', Readable.from([randomBytes(20 * MEBIBYTE)]));
      const running = await store.get('large');
      running.once('data', () => relay.freeze());
      await expect(buffer(running)).rejects.toThrow('No response');
      await expect(store.stat('large')).rejects.toThrow(ObjectStoreUnavailableError);
      relay.thaw();
      expect(await store.stat('large')).toMatchObject({ size: 20 * MEBIBYTE });
    });

    it('does not time out for a slow reader', async () => {
      await store.put('large', Readable.from([randomBytes(20 * MEBIBYTE)]));
      const running = await store.get('large');
      await once(running, 'readable');
      await pause(1_500);
      expect(await buffer(running)).toHaveLength(20 * MEBIBYTE);
    });

    it('fails a put whose parts can not be sent, and leaves the sent parts to the sweep', async () => {
      const source = new PassThrough();
      const answer = store.put('cut', source);
      source.write(randomBytes(6 * MEBIBYTE));
      await eventually(async () => (await incomplete('cut')) === 1);
      await relay.cut();
      source.end(randomBytes(6 * MEBIBYTE));
      await expect(answer).rejects.toThrow(ObjectStoreUnavailableError);
      expect(source.destroyed).toBe(true);

      await relay.restore();
      expect(await store.stat('cut')).toBeUndefined();
      await (await openMinioObjectStore({ url, staleUploadMs: 0 })).close();
      await eventually(async () => (await incomplete('cut')) === 0);
    });

    it('leaves nothing behind when the source of a put fails at its start', async () => {
      relay.freeze();
      const source = new PassThrough();
      const answer = store.put('broken', source);
      source.write(Buffer.alloc(6 * MEBIBYTE));
      await eventually(() => source.readableLength === 0);
      source.destroy(new Error('gone'));
      relay.thaw();
      await expect(answer).rejects.toThrow('gone');
      await pause(500);
      expect(await incomplete('broken')).toBe(0);
    });

    it('releases the connection of an abandoned read', async () => {
      await store.put('large', Readable.from([randomBytes(20 * MEBIBYTE)]));
      const running = await Promise.all(Array.from({ length: 5 }, () => store.get('large')));
      expect(relay.connections).toBeGreaterThanOrEqual(5);
      for (const stream of running) stream.destroy();
      await eventually(() => relay.connections <= 1);
    });
  });
});
