import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { join } from 'node:path';
import { openMinioObjectStore, storeAddress } from '@sluice/object-store/minio';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { Client } from 'minio';
import { standalone, type Deployment } from '../support/deployment';
import { checkUpdate, management, type UpdateAnswer } from '../support/http';
import { sluice } from '../support/process';
import { openRelay, type Relay } from '@sluice/testing/relay';
import { zipOf } from '../support/zip';

const given = process.env['TEST_OBJECT_STORE_URL'];
const suite = given === undefined ? describe.skip : describe;
const MEBIBYTE = 1_048_576;

suite(given === undefined ? 'Sluice on an S3 (no TEST_OBJECT_STORE_URL)' : 'Sluice on an S3', () => {
  // A bucket of its own, in addition to the named one.
  const direct = (given ?? 'minio://k:s@host/b').replace(/(\?|$)/, `-${randomBytes(4).toString('hex')}$1`);
  const address = storeAddress(direct);
  const { host, port, tls, bucket, ...keys } = address;
  const driver = new Client({ endPoint: host, ...(port && { port }), useSSL: tls, ...keys });
  let relay: Relay;
  let deployment: Deployment;
  let token: string;
  let key: string;
  let version = 0;
  let dataDir: string;

  const masterKey = randomBytes(32).toString('hex');
  const deploy = async (env: Readonly<Record<string, string>> = {}) => {
    const url = direct.replace(/@[^/]+/, `@127.0.0.1:${relay.port}`);
    deployment = await standalone.deploy({
      DATA_DIR: dataDir,
      OBJECT_STORE_URL: url,
      MASTER_KEY: masterKey,
      OBJECT_GRACE_SECONDS: '1',
      ...env,
    });
  };
  const gateway = () => deployment.gateways[0]!;
  const api = () => management(gateway(), token);
  const made = async <T>(...args: string[]) => {
    const { stdout } = await sluice([...args, '--json'], {
      ...{ SLUICE_SERVER: gateway(), SLUICE_TOKEN: token, DATA_DIR: dataDir },
    });
    return JSON.parse(stdout) as T;
  };
  const objects = async () => {
    const store = await openMinioObjectStore({ url: direct });
    const found: string[] = [];
    for await (const { key } of store.list('bundles/')) if (key.endsWith('.zip')) found.push(key);
    await store.close();
    return found;
  };
  const incomplete = async () => (await driver.listIncompleteUploadsQuery(bucket, '', '', '', '')).uploads.length;
  const upload = (file: Uint8Array) =>
    api().upload(`/apps/com.example.shop/builds`, file, { version: `1.0.${++version}`, channel: 'production' });
  const release = async (file: Uint8Array): Promise<{ id: number; offer: UpdateAnswer }> => {
    const { status, body } = await upload(file);
    expect(status).toBe(202);
    await eventually(async () => {
      const job = await api().get<{ data: { status: string; error: string | null } }>(`/jobs/${body.data.job_id}`);
      if (job.body.data.status === 'failed') throw new Error(String(job.body.data.error));
      return job.body.data.status === 'completed';
    });
    const { body: offer } = await checkUpdate(deployment.devices[0]!, key, `device-${version}`, '0.9.0');
    expect(offer).toMatchObject({ version: `1.0.${version}` });
    return { id: body.data.build.id, offer };
  };
  /** An upload that is half way and goes no further. */
  const halfway = async () => {
    const sent = request(`${gateway()}/api/public/v1/apps/com.example.shop/builds`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'multipart/form-data; boundary=b' },
    });
    sent.on('error', () => undefined);
    sent.write('--b\r\nContent-Disposition: form-data; name="file"; filename="bundle.zip"\r\n\r\n');
    sent.write(Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), randomBytes(12 * MEBIBYTE)]));
    await eventually(async () => (await incomplete()) === 1);
    return sent;
  };
  const bundle = () => zipOf({ 'index.html': '<h1>Hello</h1>', 'random.bin': randomBytes(6 * MEBIBYTE) });

  beforeAll(async () => {
    if (given === undefined) return;
    relay = await openRelay({ host, port: port ?? (tls ? 443 : 80) });
    dataDir = temporaryDirectory();
    await deploy();
    token = '';
    token = (
      await made<{ token: string }>('token', 'create', '--name', 'ci', '--all-apps', '--permission', 'builds.delete')
    ).token;
    await made('app', 'create', '--name', 'Shop', '--bundle-id', 'com.example.shop');
    key = (await made<{ plaintext_key: string }>('key', 'create', '--app', 'com.example.shop', '--name', 'app'))
      .plaintext_key;
  }, 60_000);

  afterAll(async () => {
    if (given === undefined) return;
    await deployment.destroy();
    await relay.close();
    const store = await openMinioObjectStore({ url: direct });
    for await (const object of store.list('')) await store.delete(object.key);
    await store.close();
    await driver.removeBucket(bucket);
  }, 60_000);

  it('streams downloads: whole, in ranges, conditionally, to HEAD', async () => {
    const file = await bundle();
    const { offer } = await release(file);
    const whole = await fetch(offer.downloadUrl);
    expect(whole.status).toBe(200);
    expect(Buffer.from(await whole.arrayBuffer()).equals(file)).toBe(true);
    const etag = whole.headers.get('etag')!;
    expect(etag).toBe(`"${offer.checksum}"`);

    const range = await fetch(offer.downloadUrl, { headers: { Range: 'bytes=1000000-', 'If-Range': etag } });
    expect(range.status).toBe(206);
    expect(range.headers.get('content-range')).toBe(`bytes 1000000-${file.length - 1}/${file.length}`);
    expect(Buffer.from(await range.arrayBuffer()).equals(file.subarray(1_000_000))).toBe(true);
    expect((await fetch(offer.downloadUrl, { headers: { Range: `bytes=${file.length}-` } })).status).toBe(416);
    expect((await fetch(offer.downloadUrl, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    const head = await fetch(offer.downloadUrl, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(file.length)]);
  }, 60_000);

  it('sweeps the bundle of a deleted build', async () => {
    const { id } = await release(await bundle());
    const before = await objects();
    const answer = await fetch(`${gateway()}/api/public/v1/apps/com.example.shop/builds/${id}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}` },
    });
    expect(answer.status).toBe(200);
    await eventually(async () => (await objects()).length === before.length - 1);
  }, 60_000);

  it('rejects uploads and downloads while the store is unavailable, and recovers by itself', async () => {
    const file = await bundle();
    const { offer } = await release(file);
    const before = await objects();
    await relay.cut();
    const refused = await upload(file);
    expect(refused).toMatchObject({ status: 500, body: { error: { code: 'UPLOAD_FAILED' } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const download = await fetch(offer.downloadUrl);
    expect([download.status, await download.json()]).toMatchObject([503, { error: { code: 'SERVICE_UNAVAILABLE' } }]);
    expect(download.headers.get('retry-after')).not.toBeNull();
    expect((await checkUpdate(deployment.devices[0]!, key, 'd', '0.9.0')).body.available).toBe(true);

    await relay.restore();
    expect(await objects()).toEqual(before);
    expect(await incomplete()).toBe(0);
    expect((await fetch(offer.downloadUrl)).status).toBe(200);
    await release(file);
  }, 60_000);

  it('leaves nothing of an upload whose client goes away', async () => {
    const before = await objects();
    const sent = await halfway();
    sent.destroy();
    await eventually(async () => (await incomplete()) === 0);
    expect(await objects()).toEqual(before);
  }, 60_000);

  it('leaves parts alone of an upload whose server is killed, and the sweep takes them', async () => {
    const before = await objects();
    await halfway();
    await deployment.processes[0]!.stop('SIGKILL');
    expect(await objects()).toEqual(before);
    expect(await incomplete()).toBe(1);
    await (await openMinioObjectStore({ url: direct, staleUploadMs: 0 })).close();
    await eventually(async () => (await incomplete()) === 0);
    await deploy();
    await release(await bundle());
  }, 60_000);

  it('sends downloads on to the store, where they are given out whole and in ranges', async () => {
    const file = await bundle();
    await release(file);
    await deployment.stop();
    await deploy({
      DOWNLOAD_MODE: 'redirect',
      OBJECT_STORE_PUBLIC_URL: `http${tls ? 's' : ''}://${host}:${port ?? 443}`,
    });
    const { body: offer } = await checkUpdate(deployment.devices[0]!, key, 'd', '0.9.0');
    expect(offer.downloadUrl).toContain(gateway());

    const sentOn = await fetch(offer.downloadUrl, { redirect: 'manual' });
    expect(sentOn.status).toBe(302);
    expect(new URL(sentOn.headers.get('location')!).host).toBe(`${host}:${port ?? 443}`);
    const whole = await fetch(offer.downloadUrl);
    expect(whole.headers.get('content-type')).toBe('application/zip');
    expect(whole.headers.get('content-disposition')).toBe(`attachment; filename="bundle-1.0.${version}.zip"`);
    expect(Buffer.from(await whole.arrayBuffer()).equals(file)).toBe(true);
    const etag = whole.headers.get('etag')!;

    const range = await fetch(offer.downloadUrl, { headers: { Range: 'bytes=1000000-', 'If-Range': etag } });
    expect(range.status).toBe(206);
    expect(Buffer.from(await range.arrayBuffer()).equals(file.subarray(1_000_000))).toBe(true);
    // By the store's own tag as by Sluice's.
    expect((await fetch(offer.downloadUrl, { headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await fetch(offer.downloadUrl, { headers: { 'If-None-Match': `"${offer.checksum}"` } })).status).toBe(304);
    expect((await fetch(offer.downloadUrl, { method: 'HEAD' })).status).toBe(200);

    const checked = await made<{ version: string }>(
      ...['check', '--key', key, '--device', 'cli', '--current', '0.9.0', '--download', join(dataDir, 'shop.zip')],
    );
    expect(checked).toMatchObject({ version: `1.0.${version}` });
  }, 60_000);
});
