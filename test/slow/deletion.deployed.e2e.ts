import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management, sha256 } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

interface Refusal {
  readonly error?: { readonly code: string; readonly details?: object };
}

onEachDeployment('deleting builds, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  let deployment: Deployment;
  let token: string;
  let key: string;
  const builds = '/apps/com.example.shop/builds';

  const gateway = () => deployment.gateways[0]!;
  const api = () => management(gateway(), token);
  const command = (...args: string[]) =>
    sluice([...args, '--json'], { SLUICE_SERVER: gateway(), SLUICE_TOKEN: token, DATA_DIR: deployment.dataDir });
  const remove = (id: number, credential = token, replica = 0) =>
    call<Refusal>(`${deployment.gateways[replica % deployment.gateways.length]!}/api/public/v1${builds}/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${credential}` },
    });
  const newToken = async (...args: string[]) => {
    const { stdout } = await command('token', 'create', '--name', 'ci', '--all-apps', ...args);
    return (JSON.parse(stdout) as { token: string }).token;
  };

  async function untilObjectsAre(expected: readonly string[]): Promise<void> {
    await eventually(
      async () => JSON.stringify((await deployment.objects()).sort()) === JSON.stringify([...expected].sort()),
    );
  }

  async function finished(jobId: string): Promise<{ readonly status: string }> {
    return eventually(async () => {
      const { body } = await api().get<{ data: { status: string } }>(`/jobs/${jobId}`);
      return (body.data.status === 'completed' || body.data.status === 'failed') && body.data;
    });
  }
  async function release(version: string, channel: string): Promise<number> {
    const bundle = await zipOf({ 'index.html': `<h1>${version} in ${channel}</h1>` });
    const { status, body } = await api().upload(builds, bundle, { version, channel });
    expect(status).toBe(202);
    expect(await finished(body.data.job_id)).toMatchObject({ status: 'completed' });
    return body.data.build.id;
  }
  const checks = (channel: string) =>
    Promise.all(deployment.devices.map((address) => checkUpdate(address, key, 'device', '0.1.0', channel)));

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy({ OBJECT_GRACE_SECONDS: '0', JOB_CONTENT_RETRY_DELAYS_MS: '10,20,40' });
    token = '';
    token = await newToken('--permission', 'builds.delete');
    await command('app', 'create', '--name', 'Shop', '--bundle-id', 'com.example.shop');
    const { stdout } = await command('key', 'create', '--app', 'com.example.shop', '--name', 'app');
    key = (JSON.parse(stdout) as { plaintext_key: string }).plaintext_key;
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run(
    'removes a build from devices immediately, and its bundle with the last build that shares it',
    async () => {
      const source = await release('1.0.0', 'staging');
      const shared = await deployment.objects();
      const promoted = await api().post<{ data: { id: number } }>(`${builds}/${source}/promote`, {
        target_channel: 'production',
      });
      const copy = promoted.body.data.id;
      const offered = await checks('staging');
      expect(await command('build', 'delete', String(source), '--app', 'com.example.shop')).toMatchObject({ code: 0 });

      for (const { body } of await checks('staging')) expect(body.available).toBe(false);
      for (const { body } of offered) {
        const { pathname, search } = new URL(body.downloadUrl);
        for (const device of deployment.devices) {
          expect(await call<Refusal>(device + pathname + search)).toMatchObject({
            status: 404,
            body: { error: { code: 'BUILD_NOT_FOUND' } },
          });
        }
      }
      for (const again of [await remove(source), await api().get<Refusal>(`${builds}/${source}`)]) {
        expect(again).toMatchObject({ status: 404, body: { error: { code: 'BUILD_NOT_FOUND' } } });
      }

      // An unshared bundle is deleted, so sweeps have also seen the shared one.
      const alone = await release('1.0.0', 'development');
      expect(await remove(alone, token, 1)).toMatchObject({
        status: 200,
        body: { data: { deleted: true, id: alone } },
      });
      await untilObjectsAre(shared);
      for (const { body } of await checks('production')) {
        const download = await fetch(body.downloadUrl);
        expect(download.status).toBe(200);
        expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(body.checksum);
      }

      expect(await remove(copy)).toMatchObject({ status: 200 });
      await untilObjectsAre([]);
      await release('1.0.0', 'staging');
    },
    60_000,
  );

  run(
    'wants the permission, and says so',
    async () => {
      const before = await deployment.objects();
      const id = await release('2.0.0', 'staging');
      const refused = await remove(id, await newToken());
      expect(refused).toMatchObject({
        status: 403,
        body: { error: { code: 'TOKEN_PERMISSION_DENIED', details: { required_permission: 'builds.delete' } } },
      });
      expect((await remove(id)).status).toBe(200);
      await untilObjectsAre(before);
    },
    30_000,
  );

  run(
    'keeps nothing of uploads that were refused, failed or broke off',
    async () => {
      const held = await release('3.0.0', 'staging');
      const before = await deployment.objects();
      const whole = await zipOf({ 'index.html': 'x'.repeat(10_000) });
      expect(await api().upload(builds, whole, { version: '3.0.0', channel: 'staging' })).toMatchObject({
        status: 409,
      });
      expect(await api().upload(builds, whole, { version: '3.1', channel: 'staging' })).toMatchObject({ status: 422 });
      const damaged = await api().upload(builds, whole.subarray(0, -30), {
        version: '3.1.0',
        channel: 'staging',
      });
      expect(await finished(damaged.body.data.job_id)).toMatchObject({ status: 'failed' });
      expect(await remove(damaged.body.data.build.id)).toMatchObject({ status: 200 });

      // Cut while the file arrives, and while the fields behind it do.
      // More than an S3 takes in one piece.
      const large = await zipOf({ 'random.bin': randomBytes(12 * 1_048_576) });
      const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="b.zip"\r\n\r\n${large.toString('latin1')}`;
      const behind = '\r\n--b\r\nContent-Disposition: form-data; name="version"\r\n\r\n3.2';
      for (const body of [file, file + behind]) {
        const socket = connect(Number(new URL(gateway()).port), '127.0.0.1');
        socket.write(
          `POST /api/public/v1${builds} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
            `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 20000000\r\n\r\n`,
        );
        socket.write(body, 'latin1');
        // Its bytes are there, under no key yet.
        await eventually(async () => (await deployment.objects()).length !== before.length, { everyMs: 10 });
        const named = (await deployment.objects()).filter((name) => /\.zip(\.files)?$/.test(name));
        expect(named.sort()).toEqual([...before].sort());
        socket.destroy();
        await untilObjectsAre(before);
      }
      await untilObjectsAre(before);
      expect((await remove(held)).status).toBe(200);
    },
    60_000,
  );
});
