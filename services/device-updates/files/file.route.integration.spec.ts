import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { BuildFacts } from '@sluice/contracts';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { systemClock } from '@sluice/kernel';
import type { ObjectStore } from '@sluice/object-store';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { rawZip } from '@sluice/testing/raw-zip';
import { createVault } from '@sluice/vault';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  withFiles,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { fileAddressKey } from './file-indexes';

const contents = {
  'index.html': Buffer.from('<h1>Hello</h1>'),
  'assets/app.js': Buffer.from('let a = 1;\n'.repeat(20_000)),
  'assets/image.png': randomBytes(100_000),
  'empty.txt': Buffer.alloc(0),
  'empty-deflated.txt': Buffer.alloc(0),
};
const STORED = new Set(['assets/image.png', 'empty.txt']);
const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

let stores: DeviceStores;
let plane: DevicePlane;
let build: BuildFacts;
let opened = 0;

beforeAll(async () => {
  stores = await openDeviceStores();
  await stores.registerApp(1);
  await stores.registerApp(2);
  const zip = rawZip(
    Object.entries(contents).map(([name, content]) => ({ name, content, method: STORED.has(name) ? 0 : 8 })),
  );
  build = await withFiles(stores.objects, buildFacts(1, '1.4.0'), zip);
  await stores.publish(build);
  // The same bundle, in another app: a promotion shares it within one.
  await stores.publish({ ...build, ...buildFacts(2, '1.4.0'), appId: 2, objectKey: build.objectKey });
  await stores.publish(buildFacts(3, '1.3.0'));
  const objects = Object.create(stores.objects, {
    get: {
      value: async (...given: Parameters<ObjectStore['get']>) => {
        const bytes = await stores.objects.get(...given);
        opened += 1;
        bytes.once('close', () => (opened -= 1));
        return bytes;
      },
    },
  }) as ObjectStore;
  plane = await startDevicePlane(stores, { objects, limitDownloadsPerAddress: 3 });
  await plane.index.open();
});
afterAll(async () => {
  await plane.close();
  await stores.close();
});

const served = (buildId = 1) => plane.index.builds.find(buildId)!;
const urlOf = (content: Buffer, buildId = 1) => plane.files.fileUrl(served(buildId), { sha256: sha256(content) });

describe('GET /files/{capability}/{sha256}', () => {
  it.each(Object.entries(contents))('gives the exact bytes of %s, to be cached by everyone', async (name, content) => {
    const response = await fetch(urlOf(content), { headers: { Origin: 'https://app.example.com' } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-length': String(content.length),
      'content-type': 'application/octet-stream',
      'x-content-type-options': 'nosniff',
      'access-control-allow-origin': 'https://app.example.com',
      etag: `"${sha256(content)}"`,
    });
    // Two files may be empty, of which one is found.
    if (content.length > 0) {
      expect(response.headers.get('accept-ranges')).toBe(STORED.has(name) ? 'bytes' : 'none');
    }
    expect(response.headers.has('content-encoding') || response.headers.has('transfer-encoding')).toBe(false);
    expect(Buffer.from(await response.arrayBuffer()).equals(content)).toBe(true);
  });

  it('returns the same headers to HEAD, and nothing to a client that has the file', async () => {
    const [url, content] = [urlOf(contents['assets/app.js']), contents['assets/app.js']];
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(content.length)]);
    const known = await fetch(url, { headers: { 'If-None-Match': `"${sha256(content)}"` } });
    expect([known.status, await known.text()]).toEqual([304, '']);
  });

  it('gives a part of a file that the zip holds as it is, and all of a deflated one', async () => {
    const part = await fetch(urlOf(contents['assets/image.png']), { headers: { Range: 'bytes=1000-1999' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 1000-1999/100000']);
    const bytes = Buffer.from(await part.arrayBuffer());
    expect(bytes.equals(contents['assets/image.png'].subarray(1_000, 2_000))).toBe(true);
    const beyond = await fetch(urlOf(contents['assets/image.png']), { headers: { Range: 'bytes=100000-' } });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */100000']);
    const whole = await fetch(urlOf(contents['assets/app.js']), { headers: { Range: 'bytes=10-' } });
    expect(whole.status).toBe(200);
    expect((await whole.arrayBuffer()).byteLength).toBe(contents['assets/app.js'].length);
  });

  it('answers alike whatever is wrong with an address', async () => {
    const right = new URL(urlOf(contents['index.html']));
    const [, , capability, hash] = right.pathname.split('/');
    const absent = plane.files.fileUrl(served(), { sha256: sha256(Buffer.from('absent')) });
    // Of another app, and of its copy of the same file.
    const foreign = new URL(urlOf(contents['index.html'], 2)).pathname.split('/')[2];
    const wrong = [
      `/files/${'A'.repeat(capability!.length)}/${hash}${right.search}`,
      `/files/${foreign}/${hash}${right.search}`,
      `/files/${capability}/${hash}?bundle=${served(2).facts.bundleId}`,
      `/files/${capability}/${hash}?bundle=${'0'.repeat(36)}`,
      `/files/${capability}/${hash}`,
      `/files/${capability}/${hash}${right.search}&bundle=x`,
      `/files/${capability}/${hash!.toUpperCase()}${right.search}`,
      `/files/${capability}/${'0'.repeat(64)}${right.search}`,
      `/files/${capability}/${hash}/index.html${right.search}`,
      `/files/x`,
      absent.slice(plane.address.length),
    ];
    const answers = await Promise.all(
      wrong.map(async (path) => {
        const response = await fetch(plane.address + path);
        return { status: response.status, cached: response.headers.get('cache-control'), body: await response.text() };
      }),
    );
    expect(answers[0]).toMatchObject({ status: 404, cached: 'no-store' });
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await fetch(urlOf(contents['index.html'], 2))).status).toBe(200);
    expect(plane.logger.lines).toEqual([]);
  });

  it('asks to try again while the files of a build are not indexed', async () => {
    const response = await fetch(urlOf(contents['index.html'], 3));
    expect([response.status, Number(response.headers.get('retry-after'))]).toEqual([503, 10]);
    expect(await response.text()).toContain('being indexed');
  });

  it('counts downloads of an address, and leaves nothing open of those that break off', async () => {
    const large = randomBytes(8 * 1024 * 1024);
    const zip = rawZip([{ name: 'large.bin', content: large, method: 8 }]);
    await stores.publish(await withFiles(stores.objects, buildFacts(4, '1.2.0'), zip));
    const [first] = Object.values(contents);
    await eventually(() => Promise.resolve(plane.index.builds.find(4) !== undefined));
    const abort = new AbortController();
    const slow = await Promise.all(
      [1, 2, 3].map(() => fetch(urlOf(large, 4), { signal: abort.signal }).then(({ status }) => status)),
    );
    expect(slow).toEqual([200, 200, 200]);
    const refused = await fetch(urlOf(first!));
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    abort.abort();
    await eventually(async () => (await fetch(urlOf(first!))).status === 200);
    await eventually(() => Promise.resolve(opened === 0));
  });

  it('follows the rule of downloads for a recalled build, and is gone with its build', async () => {
    const url = urlOf(contents['index.html']);
    const { appId, channel, checksum } = build;
    await stores.change(build, {
      type: 'BuildRecalled',
      data: { buildId: 1, appId, channel, version: '1.4.0', checksum, reason: 'White screen.', target: 'none' },
    });
    const recalled = await fetch(url);
    expect([recalled.status, await recalled.text()]).toEqual([403, expect.stringContaining('was recalled')]);
    await stores.change(build, { type: 'BuildUnrecalled', data: { buildId: 1 } } as never);
    expect((await fetch(url)).status).toBe(200);
    await stores.change(build, { type: 'BuildDeleted', data: { buildId: 1, objectKey: build.objectKey, jobId: null } });
    expect((await fetch(url)).status).toBe(404);
  });
});

describe('FileIndexes', () => {
  it('answers from memory once an index was loaded, which copies of a build share', async () => {
    const { files } = await startedAgain();
    const copy = plane.index.builds.find(2)!;
    expect(files.peek(copy)).toBeUndefined();
    const [one, other] = await Promise.all([files.load(copy), files.load(copy)]);
    expect(one).toBe(other);
    expect(files.peek(copy)).toBe(one);
    expect(await files.content(copy, 'index.html', 100)).toEqual(contents['index.html']);
    expect(await files.content(copy, 'assets/image.png', 100_000)).toEqual(contents['assets/image.png']);
    expect(await files.content(copy, 'index.html', 13)).toBeUndefined();
    expect(await files.content(copy, 'none.html', 100)).toBeUndefined();
  });

  it('has one key for its addresses, on every process', async () => {
    const state = await openSqliteDocumentStore({ path: join(temporaryDirectory(), 'state.db') });
    const vault = createVault({ state, masterKeys: { current: Buffer.alloc(32, 1) } });
    const [one, other] = await Promise.all([fileAddressKey(vault), fileAddressKey(vault)]);
    expect(one.equals(other)).toBe(true);
    expect(one).toHaveLength(32);
    // It is under the purpose of the key that signs download URLs, and no version of it.
    await vault.rotateDataKeys(['download-url']);
    expect(await vault.dropDataKeys('download-url', systemClock.now().getTime() + 1)).toEqual([1]);
    expect((await fileAddressKey(vault)).equals(one)).toBe(true);
    vault.close();
    await state.close();
  });

  async function startedAgain() {
    const again = await startDevicePlane(stores);
    await again.close();
    return again;
  }
});
