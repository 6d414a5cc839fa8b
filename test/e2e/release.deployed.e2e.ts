import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { decryptAsCapgo, encryptForCapgo, newCapgoKeys } from '../support/capgo-encryption';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management, sha256, type UploadAnswer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

const WEB_BUILD = join(dirname(require.resolve('@ionic/core/package.json')), 'dist');

interface JobAnswer {
  readonly data: { readonly status: string; readonly attempts: number; readonly error: string | null };
}

onEachDeployment('a release, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  let deployment: Deployment;
  let scratch: string;
  let token: string;
  let appId: number;
  let key: string;

  const gateway = (replica = 0) => deployment.gateways[replica % deployment.gateways.length]!;
  const api = (replica = 0) => management(gateway(replica), token);
  const command = (...args: string[]) =>
    sluice(args, { SLUICE_SERVER: gateway(), SLUICE_TOKEN: token, DATA_DIR: deployment.dataDir });

  async function jsonOf<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await command(...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as T;
  }

  async function finished(jobId: string): Promise<JobAnswer['data']> {
    return eventually(async () => {
      const { body } = await api().get<JobAnswer>(`/jobs/${jobId}`);
      return (body.data.status === 'completed' || body.data.status === 'failed') && body.data;
    });
  }

  async function release(version: string, channel = 'production'): Promise<number> {
    const bundle = await zipOf({ 'index.html': `<h1>${version}</h1>` });
    const { status, body } = await api().upload(`/apps/${appId}/builds`, bundle, { version, channel });
    expect(status).toBe(202);
    expect(await finished(body.data.job_id)).toMatchObject({ status: 'completed' });
    return body.data.build.id;
  }

  /** Every device replica's answer to a device that was never seen before. */
  let devices = 0;
  const checks = (current: string, channel = 'production') =>
    Promise.all(
      deployment.devices.map((address) => checkUpdate(address, key, `device-${++devices}`, current, channel)),
    );

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy({ JOB_CONTENT_RETRY_DELAYS_MS: '10,20,40' });
    scratch = temporaryDirectory();
    token = '';
    token = (await jsonOf<{ token: string }>('token', 'create', '--name', 'ci', '--all-apps')).token;
    appId = (await jsonOf<{ id: number }>('app', 'create', '--name', 'Shop', '--bundle-id', 'com.example.shop')).id;
    key = (await jsonOf<{ plaintext_key: string }>('key', 'create', '--app', 'com.example.shop', '--name', 'app'))
      .plaintext_key;
  }, 180_000);

  afterAll(async () => {
    if (!kind.available) return;
    await deployment.destroy();
  }, 60_000);

  run(
    'ships a real web build from the command line to a device, byte for byte',
    async () => {
      const uploaded = await command(
        ...['upload', WEB_BUILD, '--app', 'com.example.shop', '--version', '1.0.0', '--channel', 'staging', '--wait'],
      );
      expect(uploaded).toMatchObject({ code: 0 });

      const { body } = await api().get<{ data: { id: number; status: string; checksum: string; file_size: number }[] }>(
        `/apps/${appId}/builds?channel=staging`,
      );
      const [staged] = body.data;
      expect(staged).toMatchObject({ status: 'active', version: '1.0.0', channel: 'staging' });
      for (const { body: none } of await checks('0.9.0')) expect(none.available).toBe(false);

      const promoted = await api().post<{ data: { id: number } }>(`/apps/${appId}/builds/${staged!.id}/promote`, {
        target_channel: 'production',
      });
      expect(promoted).toMatchObject({
        status: 201,
        body: { data: { status: 'active', channel: 'production', promoted_from_id: staged!.id } },
      });

      for (const { status, body: update } of await checks('0.9.0')) {
        expect({ status, ...update }).toMatchObject({
          status: 200,
          available: true,
          version: '1.0.0',
          checksum: staged!.checksum,
          size: staged!.file_size,
          mandatory: false,
          signature: null,
        });
        const half = Math.floor(update.size / 2);
        const first = await fetch(update.downloadUrl, { headers: { Range: `bytes=0-${half - 1}` } });
        const rest = await fetch(update.downloadUrl, { headers: { Range: `bytes=${half}-` } });
        expect([first.status, rest.status]).toEqual([206, 206]);
        const resumed = Buffer.concat([Buffer.from(await first.arrayBuffer()), Buffer.from(await rest.arrayBuffer())]);
        const whole = await fetch(update.downloadUrl);
        expect(whole.status).toBe(200);
        expect(resumed.equals(Buffer.from(await whole.arrayBuffer()))).toBe(true);
        expect(sha256(resumed)).toBe(staged!.checksum);
      }

      const file = join(scratch, 'bundle.zip');
      const asked = await command(
        ...['check', '--key', key, '--device', 'by-hand', '--current', '0.9.0', '--download', file],
        ...['--server', deployment.devices[0]!],
      );
      expect(asked).toMatchObject({ code: 0 });
      expect(sha256(await readFile(file))).toBe(staged!.checksum);

      const paused = await api().patch(`/apps/${appId}/builds/${promoted.body.data.id}`, { status: 'paused' });
      expect(paused.body.data).toMatchObject({ status: 'paused' });
      for (const { body: none } of await checks('0.9.0')) {
        expect(none).toEqual({ available: false, message: 'No updates available' });
      }
    },
    120_000,
  );

  run(
    'ships an encrypted bundle to clients of Capgo alone, byte for byte',
    async () => {
      const keys = newCapgoKeys();
      const zip = await zipOf({ 'index.html': '<h1>encrypted</h1>' });
      const { file, delivery } = encryptForCapgo(zip, keys);
      const [path, deliveryPath] = [join(scratch, 'encrypted.zip'), join(scratch, 'delivery.json')];
      await writeFile(path, file);
      await writeFile(deliveryPath, JSON.stringify(delivery));
      const { build } = await jsonOf<{ build: { id: number; checksum: string } }>(
        ...['upload', path, '--app', 'com.example.shop', '--version', '3.0.0', '--channel', 'staging', '--wait'],
        ...['--delivery-file', deliveryPath, '--no-metadata'],
      );
      expect(build).toMatchObject({ status: 'active', delivery, checksum: sha256(file) });
      for (const { body } of await checks('0.9.0', 'staging')) expect(body.version).not.toBe('3.0.0');
      for (const address of deployment.devices) {
        const response = await fetch(`${address}/compat/capgo/${key}-staging/updates`, {
          ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
          body: JSON.stringify({
            ...{ platform: 'ios', device_id: `capgo-${++devices}`, app_id: 'com.example.shop', version_build: '1.0.0' },
            ...{ version_name: 'builtin', plugin_version: '8.51.14', key_id: keys.keyId },
          }),
        });
        const offer = (await response.json()) as Record<'version' | 'url' | 'session_key' | 'checksum', string>;
        expect(offer).toMatchObject({ version: '3.0.0', session_key: delivery.capgo.session_key });
        const received = Buffer.from(await (await fetch(offer.url)).arrayBuffer());
        expect(received.equals(file)).toBe(true);
        expect(decryptAsCapgo(received, offer, keys).equals(zip)).toBe(true);
      }
    },
    120_000,
  );

  run(
    'accepts one of twenty parallel uploads of a version, on whichever replica',
    async () => {
      const bundle = await zipOf({ 'index.html': '<h1>race</h1>' });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          api(index).upload<UploadAnswer & { error?: { code: string } }>(`/apps/${appId}/builds`, bundle, {
            version: '5.0.0',
            channel: 'development',
          }),
        ),
      );
      const accepted = answers.filter(({ status }) => status === 202);
      const refused = answers.filter(({ body }) => body.error?.code === 'VERSION_ALREADY_EXISTS');
      expect([accepted.length, refused.length]).toEqual([1, 19]);
      expect(await finished(accepted[0]!.body.data.job_id)).toMatchObject({ status: 'completed' });
    },
    60_000,
  );

  run(
    'registers a bundle_id once, however many ask at the same time',
    async () => {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          api(index).post<{ error?: { code: string } }>('/apps', {
            name: `Race ${index}`,
            bundle_id: 'com.example.race',
          }),
        ),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.error?.code === 'BUNDLE_ID_TAKEN')).toHaveLength(9);
    },
    30_000,
  );

  run(
    'gives an app three active keys, however many ask at the same time, on whichever replica',
    async () => {
      const app = await api().post<{ data: { id: number } }>('/apps', { name: 'Keys' });
      expect(app.status).toBe(201);
      const path = `/apps/${app.body.data.id}/api-keys`;
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          api(index).post<{ error?: { code: string } }>(path, { name: `Race ${index}` }),
        ),
      );
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
      expect(answers.filter(({ body }) => body.error?.code === 'MAX_KEYS_REACHED')).toHaveLength(7);
      expect(await api().get(path)).toMatchObject({ body: { meta: { total: 3 } } });
    },
    30_000,
  );

  run(
    'shows a write to the very next read, on every replica',
    async () => {
      for (let index = 0; index < 10; index += 1) {
        const created = await api(index).post<{ data: { id: number } }>('/apps', { name: `App ${index}` });
        expect(created.status).toBe(201);
        const read = await api(index + 1).get(`/apps/${created.body.data.id}`);
        expect(read).toMatchObject({ status: 200, body: { data: created.body.data } });
        const { body } = await api(index + 1).get<{ meta: { total: number } }>('/apps?per_page=1');
        expect(body.meta.total).toBe(4 + index);
      }
    },
    30_000,
  );

  run(
    'lets a pause count from the very next check, on every device process',
    async () => {
      const build = await release('2.0.0');
      for (let round = 0; round < 10; round += 1) {
        await api(round).patch(`/apps/${appId}/builds/${build}`, { status: 'paused' });
        for (const { body } of await checks('1.5.0')) expect(body.available).toBe(false);
        await api(round).patch(`/apps/${appId}/builds/${build}`, { status: 'active' });
        for (const { body } of await checks('1.5.0')) expect(body).toMatchObject({ available: true, version: '2.0.0' });
      }
    },
    60_000,
  );

  run(
    'accepts a token on every gateway immediately, and rejects it everywhere once it is revoked',
    async () => {
      const made = await jsonOf<{ id: number; token: string }>(
        'token',
        'create',
        '--name',
        'short-lived',
        '--all-apps',
      );
      const seen = () =>
        Promise.all(deployment.gateways.map((address) => management(address, made.token).get('/token')));
      expect((await seen()).map(({ status }) => status)).toEqual(deployment.gateways.map(() => 200));
      expect(await command('token', 'revoke', String(made.id))).toMatchObject({ code: 0 });
      for (const { status, body } of await seen()) {
        expect({ status, body }).toMatchObject({ status: 401, body: { error: { code: 'ACCESS_TOKEN_NOT_FOUND' } } });
      }
    },
    30_000,
  );

  run(
    'fails the job of a damaged bundle, says why, and frees its version',
    async () => {
      const whole = await zipOf({ 'index.html': 'x'.repeat(10_000) });
      const { body } = await api().upload(`/apps/${appId}/builds`, whole.subarray(0, whole.length - 30), {
        version: '7.0.0',
        channel: 'staging',
      });
      const job = await finished(body.data.job_id);
      expect(job).toMatchObject({ status: 'failed', attempts: 4 });
      expect(job.error).toMatch(/zip/i);
      const failed = await api().get(`/apps/${appId}/builds/${body.data.build.id}`);
      expect(failed.body.data).toMatchObject({ status: 'failed' });
      await release('7.0.0', 'staging');
    },
    30_000,
  );

  run(
    'keeps other tokens out with 404, never 403',
    async () => {
      const { token: narrow } = await jsonOf<{ token: string }>('token', 'create', '--name', 'narrow');
      const outsider = management(gateway(), narrow);
      for (const path of [
        `/apps/${appId}`,
        '/apps/com.example.shop',
        `/apps/${appId}/builds`,
        `/apps/${appId}/api-keys`,
      ]) {
        expect(await outsider.get(path)).toMatchObject({ status: 404, body: { error: { code: 'APP_NOT_FOUND' } } });
      }
      const own = await outsider.post<{ data: { id: number } }>('/apps', { name: 'Mine' });
      expect(own.status).toBe(201);
      expect(await outsider.get(`/apps/${own.body.data.id}`)).toMatchObject({ status: 200 });
      expect(await outsider.get<{ meta: object }>('/apps')).toMatchObject({ body: { meta: { total: 1 } } });
    },
    30_000,
  );

  run(
    'rebuilds a deleted read store, and loses nothing else',
    async () => {
      const before = await api().get(`/apps/${appId}/builds?per_page=50`);
      const [update] = await checks('1.5.0');
      const codes = await deployment.stop();
      expect(codes).toEqual(codes.map(() => 0));
      await deployment.dropReadStore();
      await deployment.start();
      expect(await api().get(`/apps/${appId}/builds?per_page=50`)).toMatchObject({ status: 200, body: before.body });
      for (const { body } of await checks('1.5.0')) {
        expect(body).toMatchObject({ available: true, version: '2.0.0', checksum: update!.body.checksum });
        // The key of download addresses is sealed in the state store: an old address still opens.
        const old = new URL(update!.body.downloadUrl);
        const again = await fetch(new URL(old.pathname + old.search, body.downloadUrl));
        expect(again.status).toBe(200);
      }
    },
    120_000,
  );

  run(
    'answers requests in flight when it is stopped, and starts again on the same data',
    async () => {
      // More than an S3 takes in one piece.
      const bundle = await zipOf({ 'index.html': 'y', 'random.bin': randomBytes(12 * 1_048_576) });
      let push!: (chunk: Uint8Array | null) => void;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          push = (chunk) => (chunk === null ? controller.close() : controller.enqueue(chunk));
        },
      });
      const boundary = 'sluice-test-boundary';
      const part = (name: string, value: string) =>
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
      const answer = call<UploadAnswer>(`${gateway()}/api/public/v1/apps/${appId}/builds`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
        body,
        duplex: 'half',
      });
      push(Buffer.from(part('version', '8.0.0') + part('channel', 'staging')));
      push(
        Buffer.from(
          `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="b.zip"\r\nContent-Type: application/zip\r\n\r\n`,
        ),
      );
      push(bundle.subarray(0, -100));
      await eventually(async () => (await deployment.objects()).some((key) => key.endsWith('~')), { everyMs: 10 });
      const front = deployment.processes.find(({ address }) => address === gateway())!;
      const stopped = front.stop();
      await new Promise((resolve) => setTimeout(resolve, 300));
      push(bundle.subarray(-100));
      push(Buffer.from(`\r\n--${boundary}--\r\n`));
      push(null);
      const { status, body: accepted } = await answer;
      expect(status).toBe(202);
      expect(await stopped).toBe(0);
      await deployment.stop();
      await deployment.start();
      expect(await finished(accepted.data.job_id)).toMatchObject({ status: 'completed' });
    },
    120_000,
  );
});

describe('what the command line says', () => {
  it('reports that no server answers', async () => {
    const folder = temporaryDirectory();
    await mkdir(join(folder, 'web'));
    await writeFile(join(folder, 'web', 'index.html'), 'hello');
    const { code, stderr } = await sluice(
      ['upload', join(folder, 'web'), '--app', 'a.b', '--version', '1.0.0', '--channel', 'production'],
      { SLUICE_SERVER: 'http://127.0.0.1:9', SLUICE_TOKEN: 'svc_pat_none' },
    );
    expect(code).toBe(1);
    expect(stderr).toContain('http://127.0.0.1:9');
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});
