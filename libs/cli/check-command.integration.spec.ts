import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const { run } = server;

describe('check', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const bytes = randomBytes(500_000);
  const command = 'check --key svc_app_k --device d --current 1.0.0 --native 2.0 --channel staging'.split(' ');
  let file: string;
  let served: Buffer;
  let offer: Record<string, unknown>;

  beforeEach(async () => {
    file = join(server.folder, 'bundle.zip');
    served = bytes;
    await writeFile(join(server.folder, 'public.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
    offer = {
      available: true,
      version: '1.1.0',
      downloadUrl: `${server.address}/api/v1/bundles/x/download?signature=s`,
      checksum: createHash('sha256').update(bytes).digest('hex'),
      signature: createSign('RSA-SHA256').update(bytes).sign(privateKey, 'base64'),
      size: bytes.length,
    };
    server.answer((response, { line, headers }) => {
      if (line.includes('download')) serveBundle(response, headers.range);
      else json(200, offer)(response);
    });
  });

  function serveBundle(response: ServerResponse, range: string | undefined): void {
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const contentRange = `bytes ${start}-${served.length - 1}/${served.length}`;
    response.writeHead(start > 0 ? 206 : 200, start > 0 ? { 'content-range': contentRange } : {});
    response.end(served.subarray(start));
  }

  const download = (...options: string[]) => run([...command, '--download', file, '--json', ...options]);

  it('asks as a device does', async () => {
    server.answer(json(200, { available: false, message: 'No updates available' }));
    expect(await run(command)).toMatchObject({ code: 0, stdout: expect.stringContaining('No updates available') });
    expect(server.received[0]!.line).toBe('GET /api/v1/updates/check?channel=staging');
    expect(server.received[0]!.headers).toMatchObject({
      'x-api-key': 'svc_app_k',
      'x-device-id': 'd',
      'x-current-version': '1.0.0',
      'x-platform': 'all',
      'x-app-version': '2.0',
    });
    expect(server.received[0]!.headers.authorization).toBeUndefined();
  });

  it('sends what a native app is, and shows which one would get a newer build', async () => {
    const required = { nativeUpdateRequired: { minimum: '3.0.0' } };
    server.answer(
      json(200, { available: false, message: 'No updates available', ...required }),
      json(200, { ...offer, nativeRange: '>=2.0.0 <3.0.0-0', fingerprint: 'f00d', platform: 'ios', ...required }),
    );
    const native = [...command, '--fingerprint', 'f00d', '--embedded', '0.9.0'];
    expect((await run(native)).stdout).toMatch(/native update +to 3\.0\.0 at least/);
    const headers = { 'x-native-fingerprint': 'f00d', 'x-embedded-version': '0.9.0' };
    expect(server.received[0]!.headers).toMatchObject(headers);
    const { stdout } = await run(native);
    expect(stdout).toMatch(/native range +>=2\.0\.0 <3\.0\.0-0\nfingerprint +f00d\nplatform +ios\nnative update +to 3/);
  });

  describe('of a gateway without a device plane', () => {
    const notFound = json(404, { error: { code: 'NOT_FOUND', message: 'There is nothing at this address.' } });
    const lines = () => server.received.map(({ line, headers }) => `${line} of ${headers.host?.split(':')[0]}`);

    it('asks the server that its description names', async () => {
      const devices = server.address.replace('127.0.0.1', 'localhost');
      server.answer((response, { line, headers }) => {
        if (headers.host?.startsWith('localhost') === true) json(200, { available: false, message: 'No' })(response);
        else if (line.includes('openapi')) json(200, { servers: [{ url: `${devices}/api/v1` }] })(response);
        else notFound(response);
      });
      expect(await run(command)).toMatchObject({ code: 0 });
      const check = 'GET /api/v1/updates/check?channel=staging';
      expect(lines()).toEqual([
        `${check} of 127.0.0.1`,
        'GET /openapi/device.json of 127.0.0.1',
        `${check} of localhost`,
      ]);
    });

    it.each([
      ['that describes nothing', notFound],
      ['whose description names itself', json(200, { servers: [{ url: '/api/v1' }] })],
    ])('says which address to give for one %s', async (_, description) => {
      server.answer((response, { line }) => (line.includes('openapi') ? description : notFound)(response));
      const { code, stderr } = await run(command);
      expect(code).toBe(1);
      expect(stderr).toMatch(/NOT_FOUND.*does not name the server that has[\s\S]*the PUBLIC_URL of device-updates/);
    });
  });

  it('fetches the bundle and verifies size, checksum and signature', async () => {
    const { code, stdout } = await download('--public-key', join(server.folder, 'public.pem'));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ version: '1.1.0', file });
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(server.received[1]!.headers['x-api-key']).toBeUndefined();
  });

  it.each([
    ['a part', 123_456, ['bytes=123456-']],
    ['the whole', 500_000, []],
    ['too much', 500_001, [undefined]],
  ])('continues after %s of the bundle', async (_name, present, ranges) => {
    await writeFile(`${file}.part`, Buffer.concat([bytes, Buffer.alloc(1)]).subarray(0, present));
    expect((await download()).code).toBe(0);
    expect(server.received.slice(1).map(({ headers }) => headers.range)).toEqual(ranges);
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(await readdir(server.folder)).not.toContain('bundle.zip.part');
  });

  it.each([
    ['CHECKSUM_MISMATCH', () => (served = randomBytes(bytes.length))],
    ['SIZE_MISMATCH', () => (served = bytes.subarray(1))],
    ['SIZE_MISMATCH', () => (served = Buffer.concat([bytes, bytes]))],
    ['SIGNATURE_MISSING', () => (offer.signature = null)],
    ['SIGNATURE_MISMATCH', () => (offer.signature = createSign('RSA-SHA256').update('x').sign(privateKey, 'base64'))],
  ])('keeps nothing of a bundle with %s', async (code, spoil) => {
    spoil();
    const failed = await download('--public-key', join(server.folder, 'public.pem'));
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(failed.stderr)).toMatchObject({ error: { code } });
    expect(await readdir(server.folder)).toEqual(['public.pem']);
  });

  it('keeps the part of a download that breaks off', async () => {
    server.answer(
      json(200, offer),
      (response) => {
        response.writeHead(200, { 'content-length': String(bytes.length) });
        response.write(bytes.subarray(0, 200_000), () => setImmediate(() => response.destroy()));
      },
      json(200, offer),
      (response, { headers }) => serveBundle(response, headers.range),
    );
    const broken = await download();
    expect(JSON.parse(broken.stderr)).toMatchObject({ error: { code: 'DOWNLOAD_BROKEN_OFF' } });
    const part = await readFile(`${file}.part`);
    expect(part.length).toBeGreaterThan(0);

    expect((await download()).code).toBe(0);
    expect(server.received[3]!.headers.range).toBe(`bytes=${part.length}-`);
    expect((await readFile(file)).equals(bytes)).toBe(true);
  });
});
