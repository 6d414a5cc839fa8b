import { readdirSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { deflateRawSync } from 'node:zlib';
import { eventually } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { connectRaw, uploadBeginning } from '@sluice/testing/hostile-client';
import { call, management, type UploadAnswer } from '../support/http';
import { rawZip, SYMLINK, unicodePath, type RawEntry } from '@sluice/testing/raw-zip';
import { zipOf } from '../support/zip';
import { residentMemory } from '../load/memory';

interface Refusal {
  readonly error?: { readonly code: string };
  readonly errors?: Record<string, string[]>;
}

interface JobAnswer {
  readonly data: { readonly status: string; readonly error: string | null };
}

const PATH = '/api/public/v1/apps/com.example.shop/builds';
const SLOW_REQUEST_MS = 1_000;
const LIMIT = 200_000;
/** Enough that what one of them leaves behind would stand out. */
const TIMES = 200;

describe('hostile clients', () => {
  const inProc = process.platform === 'linux' ? it : it.skip;
  let deployment: Deployment;
  let address: string;
  let token: string;
  let pid: number;
  let versions = 0;

  const api = () => management(address, token);
  const descriptors = () => readdirSync(`/proc/${pid}/fd`).length;
  const files = async (folder: string): Promise<string[]> => {
    const entries = await readdir(join(deployment.dataDir, folder), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
  };
  const stored = () => files('objects');
  const upload = <Body = Refusal>(file: Uint8Array) =>
    api().upload<Body>('/apps/com.example.shop/builds', file, { version: `1.0.${++versions}`, channel: 'staging' });

  async function expectAlive(): Promise<void> {
    expect((await call(`${address}/health/ready`)).status).toBe(200);
    expect((await api().get('/token')).status).toBe(200);
  }

  beforeAll(async () => {
    deployment = await standalone.deploy({
      MAX_BUNDLE_BYTES: String(LIMIT),
      SLOW_REQUEST_MS: String(SLOW_REQUEST_MS),
      JOB_CONTENT_RETRY_DELAYS_MS: '10',
    });
    address = deployment.gateways[0]!;
    pid = deployment.processes[0]!.child.pid!;
    const made = await call<{ data: { token: string } }>(`${address}/api/dashboard/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await deployment.ownerKey()}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'ci', all_apps: true }),
    });
    token = made.body.data.token;
    expect((await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' })).status).toBe(201);
  }, 30_000);

  afterAll(() => deployment.destroy(), 30_000);

  describe('what they upload', () => {
    it.each([
      ['a text file', () => Buffer.from('This is no bundle.')],
      ['a file of 0 bytes', () => Buffer.alloc(0)],
      ['a folder, as tar packs one', () => Buffer.from('shop/\0'.padEnd(512, '\0'))],
      ['a gzip file', () => Buffer.from([0x1f, 0x8b, 8, 0])],
      ['the first three bytes of a zip', () => Buffer.from('PK\x03')],
    ])('is rejected immediately when it is %s', async (_, file) => {
      const answer = await upload(file());
      expect(answer).toMatchObject({ status: 422 });
      expect(Object.keys(answer.body.errors ?? {})).toEqual(['file']);
      expect(await stored()).toEqual([]);
    });

    it.each([
      ['a zip without entries', () => zipOf({}), /holds no file/],
      ['a zip that ends half way', async () => (await zipOf({ 'a.js': 'x'.repeat(5_000) })).subarray(0, 60), /zip/],
      ['a zip that was altered', async () => altered(await zipOf({ 'a.js': 'x'.repeat(5_000) })), /"a\.js" is damaged/],
      ['an entry that climbs out', async () => renamed(await zipOf({ 'aa/evil.js': 'x' }), 'aa/', '../'), /evil\.js/],
      ['an entry with an absolute path', async () => renamed(await zipOf({ 'aetc/evil': 'x' }), 'aetc', '/etc'), /etc/],
      [
        'an entry whose Unicode path hides its raw name',
        () => rawZip([{ name: '../evil.js', content: 'x', extra: unicodePath('../evil.js', 'safe.js') }]),
        /^The entry "\.\.\/evil\.js" has a second, different name in a Unicode path field\.$/,
      ],
      [
        'a link whose depth is made of "." segments',
        () => rawZip([page, { name: 'a/./././link', content: '../../../../etc', unixMode: SYMLINK }]),
        /^The entry "a\/\.\/\.\/\.\/link" has an empty or "\." segment in its path\.$/,
      ],
      [
        'a record that its directory does not name',
        () => rawZip([page, { name: '../evil.js', content: 'x', hidden: true }]),
        /^The entry "index\.html" is damaged: 41 bytes that belong to no entry follow it\.$/,
      ],
      ['a bomb', () => bomb(), /at most 2000000 are allowed/],
    ])('fails its job, and is deleted, when it is %s', async (_, make, reason) => {
      const { status, body } = await upload<UploadAnswer>(await make());
      expect(status).toBe(202);
      let job: JobAnswer['data'] | undefined;
      await eventually(async () => {
        job = (await api().get<JobAnswer>(`/jobs/${body.data.job_id}`)).body.data;
        return job.status === 'completed' || job.status === 'failed';
      });
      expect(job).toMatchObject({ status: 'failed', error: expect.stringMatching(reason) as string });
      expect(await stored()).toEqual([]);
    });
  });

  describe('how they send it', () => {
    it('answers a client that trickles with 408', async () => {
      const client = await connectRaw(address);
      client.socket.write(uploadBeginning(PATH, token, 'PK\x03\x04'));
      const trickle = setInterval(() => client.socket.write('x'), 100);
      const heard = await client.closed;
      clearInterval(trickle);
      expect(heard).toMatch(/^HTTP\/1\.1 408 /);
      expect(heard).toContain('"REQUEST_TIMEOUT"');
      await eventually(async () => (await stored()).length === 0);
    });

    it('shows its refusal to a client that sends everything before it reads', async () => {
      const client = await connectRaw(address);
      client.socket.pause();
      const file = `PK\x03\x04${'x'.repeat(20_000_000)}\r\n--b--\r\n`;
      const upload = uploadBeginning(PATH, token, file).replace('Connection: close', 'Connection: keep-alive');
      await new Promise<void>((sent) => client.socket.write(upload, () => sent()));
      client.socket.resume();
      await eventually(() => client.heard().includes('"PAYLOAD_TOO_LARGE"'));
      client.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      expect(await client.closed).toMatch(/^HTTP\/1\.1 413 [^]*HTTP\/1\.1 200 /);
    });

    it('answers headers that trickle with 408', async () => {
      const client = await connectRaw(address);
      client.socket.write('GET /api/public/v1/token HTTP/1.1\r\n');
      const trickle = setInterval(() => client.socket.write('X-More: x\r\n'), 100);
      expect(await client.closed).toMatch(/^HTTP\/1\.1 408 /);
      clearInterval(trickle);
    });

    it.each([
      ['one header too long', `X-Flood: ${'x'.repeat(100_000)}`],
      ['headers without end', Array.from({ length: 20_000 }, (_, at) => `X-${at}: x`).join('\r\n')],
    ])('answers %s with 431', async (_, flood) => {
      const client = await connectRaw(address);
      client.socket.write(`GET /api/public/v1/token HTTP/1.1\r\nHost: x\r\n${flood}\r\n\r\n`);
      // The server may end the connection while the flood is still on its way; then nothing is heard.
      expect(await client.closed).toMatch(/^(HTTP\/1\.1 431 |$)/);
      await expectAlive();
    });

    it('answers the requests before garbage on one connection, and ends it', async () => {
      const client = await connectRaw(address);
      const get = `GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`;
      client.socket.write(get);
      await eventually(() => client.heard().includes('"ok"'));
      client.socket.write(`${get}\x16\x03\x01 garbage\r\n\r\n`);
      expect(await client.closed).toMatch(/^HTTP\/1\.1 200 [^]*HTTP\/1\.1 400 [^]*"INVALID_REQUEST"/);
    });

    it('rejects a body with two lengths, so that nothing can be smuggled', async () => {
      const client = await connectRaw(address);
      const head = `POST /api/public/v1/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n`;
      client.socket.write(`${head}0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: x\r\n\r\n`);
      const heard = await client.closed;
      expect(heard).toMatch(/^HTTP\/1\.1 400 /);
      expect(heard).not.toContain('200 OK');
    });
  });

  describe('what they leave behind', () => {
    /** Does it once to warm up, then often; descriptors and memory must be back where they were. */
    async function expectNothingLeft(once: () => Promise<unknown>): Promise<void> {
      const settled = async () => {
        await expectAlive();
        await eventually(async () => (await stored()).length === 0);
      };
      for (let round = 0; round < 20; round += 1) await once();
      await settled();
      // Connections that fetch keeps come and go.
      const before = { descriptors: descriptors(), memory: residentMemory(pid).now };
      for (let round = 0; round < TIMES; round += 20) {
        await Promise.all(Array.from({ length: 20 }, once));
      }
      await settled();
      await eventually(() => descriptors() <= before.descriptors + 10);
      expect(residentMemory(pid).now - before.memory).toBeLessThan(96);
    }

    inProc(
      'is nothing after uploads that stop half way',
      () =>
        expectNothingLeft(async () => {
          const client = await connectRaw(address);
          client.socket.write(uploadBeginning(PATH, token, `PK\x03\x04${'x'.repeat(50_000)}`));
          await eventually(() => client.socket.bytesWritten > 50_000 && client.socket.writableLength === 0);
          await delay(20);
          client.socket.destroy();
          await client.closed;
        }),
      60_000,
    );

    inProc(
      'is nothing after files over the limit',
      () =>
        expectNothingLeft(async () => {
          const client = await connectRaw(address);
          const upload = uploadBeginning(PATH, token, `PK\x03\x04${'x'.repeat(LIMIT)}\r\n--b--\r\n`);
          client.socket.write(upload);
          const heard = await client.closed;
          expect(heard).toMatch(/^HTTP\/1\.1 413 /);
          expect(heard).toContain('"PAYLOAD_TOO_LARGE"');
        }),
      60_000,
    );

    inProc(
      'is nothing after thousands of connections that say nothing, and the server answers meanwhile',
      async () => {
        await expectAlive();
        const before = descriptors();
        const clients: Awaited<ReturnType<typeof connectRaw>>[] = [];
        // A few at a time: the kernel drops what its queue of new connections can't hold.
        while (clients.length < 2_000) {
          clients.push(...(await Promise.all(Array.from({ length: 100 }, () => connectRaw(address)))));
        }
        await expectAlive();
        for (const heard of await Promise.all(clients.map(({ closed }) => closed))) {
          expect(heard).toMatch(/^HTTP\/1\.1 408 /);
        }
        await eventually(() => descriptors() <= before + 10);
        await expectAlive();
      },
      60_000,
    );

    it('is nothing in the store, in its staging folder, and no secret and no stack in the log', async () => {
      expect(await stored()).toEqual([]);
      const log = deployment.processes.flatMap(({ log: lines }) => lines).join('\n');
      expect(log).not.toContain(token);
      expect(log).not.toMatch(/"level":"(error|fatal)"/);
    });
  });
});

const page: RawEntry = { name: 'index.html', content: '<h1>Hello</h1>' };

/** One byte of the content is another. */
function altered(zip: Buffer): Buffer {
  const copy = Buffer.from(zip);
  const at = 30 + 'a.js'.length + 5;
  copy.writeUInt8(copy.readUInt8(at) ^ 0xff, at);
  return copy;
}

/** As a tool that was made to deceive would write it: packers of good faith refuse such names. */
function renamed(zip: Buffer, from: string, to: string): Buffer {
  return Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
}

/** Two million zeroes deflate to two thousand bytes; the limit is ten times LIMIT. */
async function bomb(): Promise<Buffer> {
  const zeroes = Buffer.alloc(11 * LIMIT);
  expect(deflateRawSync(zeroes).length).toBeLessThan(LIMIT);
  return zipOf({ 'zeroes.bin': zeroes });
}
