import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'minio';
import { openRelay, type Relay } from '../../../test/support/relay';
import { objectStoreContract } from '../object-store.contract';
import { ObjectStoreUnavailableError, type ObjectStore } from '../port';
import { openMinioObjectStore } from './minio-object-store';
import { storeAddress } from './store-address';

const given = process.env['TEST_OBJECT_STORE_URL'];
const suite = given === undefined ? describe.skip : describe;
const MEBIBYTE = 1_048_576;

/** Puts without end and reports once the first part is on its way. */
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
  // A bucket of its own, beside the one that is named.
  const url = (given ?? 'minio://k:s@host/b').replace(/(\?|$)/, `-${randomBytes(4).toString('hex')}$1`);
  const { host, port, tls, bucket, ...keys } = storeAddress(url);
  const driver = new Client({ endPoint: host, ...(port && { port }), useSSL: tls, ...keys });

  const openEmpty = async () => {
    const store = await openMinioObjectStore({ url });
    for await (const { key } of store.list('')) await store.delete(key);
    return store;
  };
  const incomplete = async () => (await driver.listIncompleteUploadsQuery(bucket, '', '', '', '')).uploads.length;
  const eventually = async (holds: () => boolean | Promise<boolean>) => {
    while (!(await holds())) await pause(20);
  };

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

    it('leaves no part behind, whatever a put ends with', async () => {
      const parts = () => Readable.from(Array.from({ length: 12 }, () => Buffer.alloc(MEBIBYTE)));
      await expect(store.put('large', parts(), { maxBytes: 11 * MEBIBYTE })).rejects.toThrow('more than');
      const source = new PassThrough();
      const answer = store.put('broken', source);
      source.write(Buffer.alloc(6 * MEBIBYTE));
      await eventually(async () => (await incomplete()) === 1);
      source.destroy(new Error('gone'));
      await expect(answer).rejects.toThrow('gone');
      expect(await incomplete()).toBe(0);
    });

    it('shows nothing of a put whose process was killed, and sweeps its parts once they are old', async () => {
      const child = spawn(
        process.execPath,
        ['-r', resolve('test/register-swc.cjs'), '-e', ENDLESS_PUT, join(__dirname, 'index.ts'), url],
        { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
      );
      await once(child, 'message');
      child.kill('SIGKILL');
      await once(child, 'exit');
      expect(await store.stat('bundles/killed.zip')).toBeUndefined();
      expect(await incomplete()).toBe(1);

      await (await openMinioObjectStore({ url })).close();
      await pause(500);
      expect(await incomplete()).toBe(1);

      await (await openMinioObjectStore({ url, staleUploadMs: 0 })).close();
      await eventually(async () => (await incomplete()) === 0);
    });

    it('keeps keys that look like numbers', async () => {
      for (const key of ['1e5', '007', '12']) await store.put(key, Readable.from([key]));
      const found: string[] = [];
      for await (const { key } of store.list('')) found.push(key);
      expect(found.sort()).toEqual(['007', '12', '1e5']);
    });

    it('signs addresses that give the bytes, in ranges too, until they expire', async () => {
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

    it('is unavailable, not empty-handed, when its bucket is gone', async () => {
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

    it('refuses to open with a wrong secret, without telling it', async () => {
      const wrong = openMinioObjectStore({ url: url.replace(/:[^:@/]+@/, ':another-secret@') });
      await expect(wrong).rejects.toThrow(ObjectStoreUnavailableError);
      await expect(wrong).rejects.toThrow(/^(?!.*another-secret).*$/s);
    });
  });

  describe('behind a bad network', () => {
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

    it('is unavailable while it is away, and itself again afterwards', async () => {
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

    it('waits for a silent server only so long, and ends what it had begun to read', async () => {
      await store.put('large', Readable.from([randomBytes(20 * MEBIBYTE)]));
      const running = await store.get('large');
      running.once('data', () => relay.freeze());
      await expect(buffer(running)).rejects.toThrow('No answer');
      await expect(store.stat('large')).rejects.toThrow(ObjectStoreUnavailableError);
      relay.thaw();
      expect(await store.stat('large')).toMatchObject({ size: 20 * MEBIBYTE });
    });

    it('is patient with a slow reader', async () => {
      await store.put('large', Readable.from([randomBytes(20 * MEBIBYTE)]));
      const running = await store.get('large');
      await once(running, 'readable');
      await pause(1_500);
      expect(await buffer(running)).toHaveLength(20 * MEBIBYTE);
    });

    it('fails a put whose parts can not be sent, and leaves them to the sweep', async () => {
      const source = new PassThrough();
      const answer = store.put('cut', source);
      source.write(randomBytes(6 * MEBIBYTE));
      await eventually(async () => (await incomplete()) === 1);
      await relay.cut();
      source.end(randomBytes(6 * MEBIBYTE));
      await expect(answer).rejects.toThrow(ObjectStoreUnavailableError);
      expect(source.destroyed).toBe(true);

      await relay.restore();
      expect(await store.stat('cut')).toBeUndefined();
      await (await openMinioObjectStore({ url, staleUploadMs: 0 })).close();
      await eventually(async () => (await incomplete()) === 0);
    });

    it('frees the connection of a read that is abandoned', async () => {
      await store.put('large', Readable.from([randomBytes(20 * MEBIBYTE)]));
      const running = await Promise.all(Array.from({ length: 5 }, () => store.get('large')));
      expect(relay.connections).toBeGreaterThanOrEqual(5);
      for (const stream of running) stream.destroy();
      await eventually(() => relay.connections <= 1);
    });
  });
});
