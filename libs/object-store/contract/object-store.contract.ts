import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import * as fc from 'fast-check';
import { InvalidObjectKeyError } from '../object-key';
import { ObjectNotFoundError, ObjectTooLargeError, type ObjectStore } from '../port';

const MEBIBYTE = 1_048_576;

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

async function keys(store: ObjectStore, prefix = ''): Promise<string[]> {
  const found: string[] = [];
  for await (const object of store.list(prefix)) found.push(object.key);
  return found.sort();
}

/** Bytes in chunks, as a socket would deliver them. */
function pieces(bytes: Buffer, size = 65_536): Readable {
  const count = Math.ceil(bytes.length / size);
  return Readable.from(
    Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)),
    { objectMode: false },
  );
}

/** Emits some bytes and then fails. */
function failing(error: Error | undefined, before = randomBytes(200_000)): Readable {
  let given = false;
  return new Readable({
    read() {
      if (!given) this.push(before);
      else this.destroy(error);
      given = true;
    },
  });
}

/** The contract of every engine of the port. `openEmpty` resolves with a store without objects. */
export function objectStoreContract(openEmpty: () => Promise<ObjectStore>): void {
  let store: ObjectStore;

  beforeEach(async () => {
    store = await openEmpty();
  });

  afterEach(async () => {
    await store.close();
  });

  const put = (key: string, bytes: Buffer) => store.put(key, pieces(bytes));
  const read = async (key: string) => buffer(await store.get(key));

  describe('put and get', () => {
    it('stores the bytes and returns their size and SHA-256', async () => {
      const bytes = randomBytes(300_000);
      expect(await put('bundles/one.zip', bytes)).toEqual({ size: 300_000, sha256: sha256(bytes) });
      expect((await read('bundles/one.zip')).equals(bytes)).toBe(true);
    });

    it('stores an empty object', async () => {
      expect(await put('empty', Buffer.alloc(0))).toEqual({ size: 0, sha256: sha256(Buffer.alloc(0)) });
      expect(await read('empty')).toHaveLength(0);
      expect(await store.stat('empty')).toMatchObject({ key: 'empty', size: 0 });
    });

    it('stores an object of many parts', async () => {
      const bytes = randomBytes(12 * MEBIBYTE + 1);
      expect(await put('large.bin', bytes)).toEqual({ size: bytes.length, sha256: sha256(bytes) });
      expect(sha256(await read('large.bin'))).toBe(sha256(bytes));
    });

    it('stores the same bytes for every chunk size of the source', async () => {
      let number = 0;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.uint8Array({ minLength: 1, maxLength: 3_000 }), { maxLength: 12 }),
          async (cut) => {
            const whole = Buffer.concat(cut);
            number += 1;
            const answer = await store.put(`cut/${number}`, Readable.from(cut, { objectMode: false }));
            expect(answer).toEqual({ size: whole.length, sha256: sha256(whole) });
            expect((await read(`cut/${number}`)).equals(whole)).toBe(true);
          },
        ),
        { numRuns: 25 },
      );
    });

    it('accepts exactly maxBytes and rejects one more', async () => {
      await store.put('exact', pieces(Buffer.alloc(100_000)), { maxBytes: 100_000 });
      expect(await store.stat('exact')).toMatchObject({ size: 100_000 });

      const tooLarge = store.put('more', pieces(Buffer.alloc(100_001)), { maxBytes: 100_000 });
      await expect(tooLarge).rejects.toThrow(ObjectTooLargeError);
      expect(await keys(store)).toEqual(['exact']);
    });

    it('stops reading a source that is too large', async () => {
      const endless = new Readable({
        read() {
          this.push(Buffer.alloc(65_536));
        },
      });
      await expect(store.put('endless', endless, { maxBytes: 3 * MEBIBYTE })).rejects.toThrow(ObjectTooLargeError);
      expect(endless.destroyed).toBe(true);
    });

    it('makes the object visible only when it is complete', async () => {
      const source = new PassThrough();
      const answer = store.put('slow', source);
      source.write(randomBytes(200_000));
      expect(await store.stat('slow')).toBeUndefined();
      await expect(store.get('slow')).rejects.toThrow(ObjectNotFoundError);
      expect(await keys(store)).toEqual([]);

      source.end();
      await answer;
      expect(await keys(store)).toEqual(['slow']);
    });

    it('rejects a read of an object that does not exist', async () => {
      await put('bundles/one.zip', Buffer.from('1'));
      for (const key of ['absent', 'bundles', 'bundles/two.zip', 'bundles/one.zip/inside']) {
        await expect(store.get(key)).rejects.toThrow(ObjectNotFoundError);
      }
    });
  });

  describe('a source that fails', () => {
    it('rejects the put with the error of the source and leaves nothing behind', async () => {
      const error = new Error('the client went away');
      await expect(store.put('aborted', failing(error))).rejects.toBe(error);
      expect(await keys(store)).toEqual([]);
      expect(await store.stat('aborted')).toBeUndefined();
    });

    it('rejects the put when the source ends early without an error', async () => {
      await expect(store.put('cut', failing(undefined))).rejects.toThrow();
      expect(await keys(store)).toEqual([]);
    });

    it('rejects the put when the source failed before the put started', async () => {
      const error = new Error('gone already');
      const source = failing(error);
      source.on('error', () => undefined);
      source.destroy(error);
      await expect(store.put('late', source)).rejects.toThrow();
      expect(await keys(store)).toEqual([]);
    });

    it('leaves the existing object unchanged', async () => {
      await put('kept', Buffer.from('as it was'));
      await expect(store.put('kept', failing(new Error('half way')))).rejects.toThrow('half way');
      expect((await read('kept')).toString()).toBe('as it was');
    });
  });

  describe('puts at the same time', () => {
    it('stores each object separately', async () => {
      const bodies = Array.from({ length: 24 }, (_, index) => Buffer.alloc(150_000, index));
      const answers = await Promise.all(bodies.map((body, index) => put(`together/${index}`, body)));
      expect(answers.map((answer) => answer.sha256)).toEqual(bodies.map(sha256));
      for (const [index, body] of bodies.entries()) expect((await read(`together/${index}`)).equals(body)).toBe(true);
    });

    it('leaves one complete object when they share a key', async () => {
      const bodies = Array.from({ length: 8 }, (_, index) => Buffer.alloc(150_000 + index, index));
      await Promise.all(bodies.map((body) => put('same', body)));
      const left = await read('same');
      expect(bodies.filter((body) => body.equals(left))).toHaveLength(1);
      expect(await keys(store)).toEqual(['same']);
    });
  });

  describe('ranges', () => {
    const bytes = randomBytes(200_000);

    it('returns exactly the bytes from start to end', async () => {
      await put('ranged', bytes);
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(bytes.length + 10), async (start, length) => {
          const range = { start, end: start + length };
          expect((await buffer(await store.get('ranged', range))).equals(bytes.subarray(start, range.end + 1))).toBe(
            true,
          );
        }),
        {
          numRuns: 40,
          examples: [
            [0, 0],
            [bytes.length - 1, 0],
            [0, bytes.length - 1],
            [65_535, 1],
          ],
        },
      );
    });

    it('rejects a range that starts after the last byte or ends before it starts', async () => {
      await put('ranged', bytes);
      await put('empty', Buffer.alloc(0));
      await expect(store.get('ranged', { start: bytes.length, end: bytes.length })).rejects.toThrow(RangeError);
      await expect(store.get('ranged', { start: 5, end: 4 })).rejects.toThrow(RangeError);
      await expect(store.get('ranged', { start: -1, end: 4 })).rejects.toThrow(RangeError);
      await expect(store.get('empty', { start: 0, end: 0 })).rejects.toThrow(RangeError);
    });
  });

  describe('stat and delete', () => {
    it('returns the size and modification time of an object', async () => {
      const before = Date.now();
      await put('bundles/one.zip', Buffer.alloc(42));
      const object = await store.stat('bundles/one.zip');
      expect(object).toMatchObject({ key: 'bundles/one.zip', size: 42 });
      expect(Math.abs(object!.modifiedAt.getTime() - before)).toBeLessThan(60_000);
      expect(await store.stat('bundles')).toBeUndefined();
      expect(await store.stat('bundles/two.zip')).toBeUndefined();
    });

    it('returns whether it deleted an object', async () => {
      await put('bundles/one.zip', Buffer.alloc(1));
      expect(await store.delete('bundles')).toBe(false);
      expect(await store.delete('bundles/one.zip')).toBe(true);
      expect(await store.delete('bundles/one.zip')).toBe(false);
      await expect(store.get('bundles/one.zip')).rejects.toThrow(ObjectNotFoundError);
      expect(await keys(store)).toEqual([]);
    });
  });

  describe('list', () => {
    beforeEach(async () => {
      for (const key of [
        'bundles/01A.zip',
        'bundles/01B.zip',
        'bundles/02A.zip',
        'bundles2/x',
        'keystores/7/k',
        'top',
      ]) {
        await put(key, Buffer.from(key));
      }
    });

    it('lists the keys that start with the prefix', async () => {
      expect(await keys(store)).toHaveLength(6);
      expect(await keys(store, 'bundles/')).toEqual(['bundles/01A.zip', 'bundles/01B.zip', 'bundles/02A.zip']);
      expect(await keys(store, 'bundles/01')).toEqual(['bundles/01A.zip', 'bundles/01B.zip']);
      expect(await keys(store, 'bundles')).toHaveLength(4);
      expect(await keys(store, 'keystores/7/k')).toEqual(['keystores/7/k']);
      expect(await keys(store, 'to')).toEqual(['top']);
      expect(await keys(store, 'absent/')).toEqual([]);
    });

    it('lists the size of each object', async () => {
      for await (const object of store.list('')) expect(object.size).toBe(object.key.length);
    });

    it('can be abandoned early, and supports deletions during the listing', async () => {
      for await (const object of store.list('bundles/')) {
        await store.delete(object.key);
        break;
      }
      expect(await keys(store, 'bundles/')).toHaveLength(2);
    });
  });

  describe('keys', () => {
    const refused = [
      '',
      '/',
      '/absolute',
      'trailing/',
      'double//slash',
      '.',
      '..',
      '../outside',
      'bundles/../../outside',
      './here',
      'white space',
      'bundles\\one',
      'nul\0',
      'ümlaut',
      '%2e%2e/outside',
      'tilde~',
      'a'.repeat(201),
      'ab/'.repeat(301) + 'a',
    ];

    it.each(refused)('rejects %j with a message that describes a valid key', async (key) => {
      await expect(store.put(key, pieces(Buffer.from('x')))).rejects.toThrow(InvalidObjectKeyError);
      await expect(store.get(key)).rejects.toThrow(/segments of letters, digits/);
      await expect(store.stat(key)).rejects.toThrow(InvalidObjectKeyError);
      await expect(store.delete(key)).rejects.toThrow(InvalidObjectKeyError);
      expect(await keys(store)).toEqual([]);
    });

    it.each(['../', '/', 'a/../b', 'staging~', '..\\', ' '])('rejects the prefix %j', async (prefix) => {
      await expect(keys(store, prefix)).rejects.toThrow(InvalidObjectKeyError);
    });

    it('accepts every valid key', async () => {
      const segment = fc.stringMatching(/^[A-Za-z0-9._-]{1,24}$/).filter((text) => text !== '.' && text !== '..');
      await fc.assert(
        fc.asyncProperty(fc.array(segment, { minLength: 1, maxLength: 5 }), async (segments) => {
          const key = ['any', ...segments.map((text) => `_${text}`)].join('/') + '/leaf';
          await put(key, Buffer.from(key));
          expect((await read(key)).toString()).toBe(key);
          expect(await keys(store, key)).toEqual([key]);
          await store.delete(key);
        }),
        { numRuns: 25 },
      );
    });
  });

  it('answers a ping', async () => {
    await expect(store.ping()).resolves.toBeUndefined();
  });
}
