import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { BuildStats } from '@sluice/contracts';
import {
  createUpdater,
  memoryStorage,
  type UpdateError,
  type Updater,
  type UpdaterOptions,
  type UpdateStorage,
} from '@sluice/device';
import { readPreview } from '@sluice/device/preview';
import { nodeStorage } from '@sluice/device/node';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { asModule, installDevicePackage } from '../support/device-package';
import { standalone, type Deployment } from '../support/deployment';
import { call, management, type UpdateAnswer } from '../support/http';
import { sluice } from '../support/process';
import { runProgram } from '../support/shell';
import { zipOf } from '../support/zip';

jest.setTimeout(120_000);

const ROOT = join(__dirname, '..', '..');
const APP = 'com.example.shop';
const DEVICE = 'phone-1';

/** Relays connections to a server, and breaks them off after so many bytes of the response. */
async function startRelay(target: string) {
  const { hostname, port } = new URL(target);
  const relay = { cutAfter: Infinity, cuts: 0, address: '', close: () => void server.close() };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let relayed = 0;
    client.pipe(upstream);
    upstream.on('data', (bytes: Buffer) => {
      relayed += bytes.length;
      client.write(bytes);
      if (relayed < relay.cutAfter) return;
      relay.cuts += 1;
      // All but what is on its way.
      client.end(() => client.destroy());
      upstream.destroy();
    });
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    upstream.on('close', () => client.end());
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  relay.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return relay;
}

describe('@sluice/device with a server', () => {
  let deployment: Deployment;
  let relay: Awaited<ReturnType<typeof startRelay>>;
  let token = '';
  let apiKey: string;
  let trust: { keys: { publicKey: string; scheme: 'pkcs1v15' }[]; appId: number };
  /** Of downloads, in order. */
  const ranges: (string | null)[] = [];
  /** Changes what a request is answered. */
  let interfere: (url: string, response: Response) => Promise<Response> = (_, response) => Promise.resolve(response);

  const server = () => deployment.gateways[0]!;
  const api = () => management(server(), token);
  const command = async (...args: string[]) => {
    const settings = { SLUICE_SERVER: server(), SLUICE_TOKEN: token, DATA_DIR: deployment.dataDir };
    return JSON.parse((await sluice([...args, '--json'], settings)).stdout) as Record<string, string>;
  };

  /** A life of the app. Downloads come through the relay. */
  const updaterOf = (storage: UpdateStorage, deviceId = DEVICE) => {
    const options: UpdaterOptions = {
      ...{ server: server(), apiKey, platform: 'ios', embeddedVersion: '1.0.0', trust, storage, deviceId },
      fetch: async (input, init) => {
        const url = input as string;
        const isDownload = url.includes('/bundles/');
        if (isDownload) ranges.push(new Headers(init?.headers).get('Range'));
        return interfere(url, await fetch(isDownload ? url.replace(server(), relay.address) : url, init));
      },
    };
    return createUpdater(options);
  };

  /** What a check answers, once the present state of the channel is signed. */
  async function signedOffer(
    platform: string,
    isExpected: (offer: UpdateAnswer) => boolean,
    current = '0.0.1',
  ): Promise<void> {
    const headers = {
      'X-API-Key': apiKey,
      'X-Device-ID': 'probe',
      'X-Current-Version': current,
      'X-Platform': platform,
    };
    await eventually(
      async () => {
        const { body } = await call<UpdateAnswer>(`${server()}/api/v1/updates/check`, { headers });
        return body.channelState !== undefined && (!body.available || body.manifest !== undefined) && isExpected(body);
      },
      { everyMs: 50 },
    );
  }

  async function release(version: string, files: Record<string, string | Buffer>): Promise<number> {
    const { body } = await api().upload(`/apps/${APP}/builds`, await zipOf(files), { version, channel: 'production' });
    for (const platform of ['ios', 'all']) {
      await signedOffer(platform, ({ channelState }) => channelState!.includes(`"${version}"`));
    }
    return body.data.build.id;
  }

  const totals = async (build: number) =>
    (await api().get<{ data: BuildStats }>(`/apps/${APP}/builds/${build}/stats`)).body.data.totals;
  const stateOfDevice = async () =>
    (await api().get<{ data: { state: object } }>(`/apps/${APP}/devices/${DEVICE}`)).body.data.state;

  beforeAll(async () => {
    deployment = await standalone.deploy();
    relay = await startRelay(server());
    token = (await command('token', 'create', '--name', 'ci', '--all-apps', '--permission', 'builds.delete'))['token']!;
    const { body } = await api().post<{ data: { id: number } }>('/apps', { name: 'Shop', bundle_id: APP });
    const { public_key: publicKey } = await command('signing-key', 'create', '--app', APP);
    apiKey = (await command('key', 'create', '--app', APP, '--name', 'installs'))['plaintext_key']!;
    trust = { keys: [{ publicKey: publicKey!, scheme: 'pkcs1v15' }], appId: body.data.id };
  });

  afterAll(async () => {
    relay.close();
    await deployment.destroy();
  });

  describe('on one device', () => {
    let storage: ReturnType<typeof nodeStorage>;
    beforeAll(() => {
      storage = nodeStorage(join(temporaryDirectory(), 'updates'));
    });

    it('resumes a download after an end of the app and a broken connection, installs it, and is counted', async () => {
      const build = await release('1.1.0', { 'index.html': '1.1.0', 'photo.jpg': randomBytes(4_000_000) });
      const first = updaterOf(storage);
      expect(await first.start()).toMatchObject({ version: '1.0.0', bundle: undefined });
      await first.confirm();
      const end = new AbortController();
      const stopped = first.sync({ signal: end.signal, onProgress: (length) => length > 500_000 && end.abort() });
      await expect(stopped).rejects.toMatchObject({ code: 'aborted' });
      const [bundleId = ''] = await storage.bundles();
      const stored = await storage.sizeOf(bundleId);
      expect(stored).toBeGreaterThan(500_000);

      relay.cutAfter = 2_000_000;
      const second = updaterOf(storage);
      await second.start();
      expect(await second.sync()).toMatchObject({ status: 'ready', update: { version: '1.1.0', bundleId } });
      expect(relay.cuts).toBeGreaterThan(0);
      expect(ranges.slice(0, 2)).toEqual([null, `bytes=${stored}-`]);
      expect(Number(/\d+/.exec(ranges[2] ?? '')?.[0])).toBeGreaterThan(stored);
      relay.cutAfter = Infinity;

      const third = updaterOf(storage);
      const { bundle, onTrial } = await third.start();
      const folder = await storage.unpack(bundle!);
      expect([onTrial, await readdir(folder)]).toEqual([true, ['index.html', 'photo.jpg']]);
      expect(readFileSync(join(folder, 'index.html'), 'utf8')).toBe('1.1.0');
      await third.confirm();
      expect(await third.sync()).toEqual({ status: 'up_to_date' });
      expect(await totals(build)).toMatchObject({ downloads: 1, download_failures: 0, installs: 1, rollbacks: 0 });
      expect(await stateOfDevice()).toMatchObject({ version: '1.1.0', platform: 'ios' });
      const { versions } = (await api().get<{ data: { versions: object[] } }>(`/apps/${APP}/adoption`)).body.data;
      expect(versions).toMatchObject([{ version: '1.1.0' }]);
    });

    it('rolls an update back that is not confirmed, which the server counts, and does not install it again', async () => {
      const build = await release('1.2.0', { 'index.html': 'broken' });
      const updater = updaterOf(storage);
      await updater.start();
      expect(await updater.sync()).toMatchObject({ status: 'ready', update: { version: '1.2.0' } });
      expect(await updaterOf(storage).start()).toMatchObject({ version: '1.2.0', onTrial: true });
      const next = updaterOf(storage);
      expect(await next.start()).toMatchObject({ version: '1.1.0', onTrial: false, rolledBack: { version: '1.2.0' } });
      expect(await next.sync()).toEqual({ status: 'up_to_date' });
      expect(await totals(build)).toMatchObject({ downloads: 1, installs: 0, rollbacks: 1 });
      expect(await stateOfDevice()).toMatchObject({ version: '1.1.0' });
    });
  });

  it('rejects a tampered bundle and a replayed response', async () => {
    const build = await release('1.3.0', { 'index.html': '1.3.0' });
    const updater = updaterOf(memoryStorage(), 'phone-2');
    await updater.start();
    let offer = '';
    interfere = async (url, response) => {
      if (url.includes('/updates/check')) offer = await response.clone().text();
      if (!url.includes('/bundles/')) return response;
      const bytes = Buffer.from(await response.arrayBuffer());
      bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
      return new Response(bytes);
    };
    await expect(updater.sync()).rejects.toMatchObject({ code: 'untrusted', reason: 'bytes_mismatch' });
    expect(await totals(build)).toMatchObject({ downloads: 0, download_failures: 1 });

    interfere = (_, response) => Promise.resolve(response);
    await api().patch(`/apps/${APP}/builds/${build}`, { status: 'paused' });
    await signedOffer('ios', ({ channelState }) => !channelState!.includes('"1.3.0"'));
    expect(await updater.check()).toMatchObject({ version: '1.2.0' });
    interfere = (url, response) => Promise.resolve(url.includes('/updates/check') ? new Response(offer) : response);
    await expect(updater.sync()).rejects.toMatchObject({ code: 'untrusted', reason: 'channel_state_outdated' });
    interfere = (_, response) => Promise.resolve(response);
  });

  it.each([
    ['libs/device/README.md', '1.0.0'],
    ['docs/guides/clients.md', '0.0.1'],
  ])('is used by the example of %s', async (document, embedded) => {
    const folder = temporaryDirectory();
    await installDevicePackage(folder);
    await writeFile(join(folder, 'public.pem'), trust.keys[0]!.publicKey);
    const [, example = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(readFileSync(join(ROOT, document), 'utf8'))!;
    await writeFile(join(folder, 'app.mjs'), asModule(example));
    const env = { SLUICE_SERVER: server(), APP_KEY: apiKey, APP_ID: String(trust.appId) };
    const run = () => runProgram([process.execPath, 'app.mjs'], { cwd: folder, env });
    expect(await run()).toMatch(new RegExp(`^Running ${embedded}( from app)?\nUpdate: ready\n$`));
    expect(await run()).toMatch(/^Running 1\.2\.0( from updates\/[\w-]+\.files)?\nUpdate: up_to_date\n$/);
  });

  it('runs a preview from the address that the command prints, until the preview is deleted', async () => {
    const folder = temporaryDirectory();
    await writeFile(join(folder, 'index.html'), 'preview');
    const line = ['preview', 'create', folder, '--app', APP, '--pr', '9', '--version', '1000.0.0'];
    const { address } = await command(...line);
    const preview = readPreview(address!, [server()])!;
    const storage = nodeStorage(join(temporaryDirectory(), 'preview'));
    const opened = () =>
      createUpdater({ ...preview, platform: 'ios', embeddedVersion: '1.0.0', trust, storage, deviceId: 'phone-4' });
    const first = opened();
    await first.start();
    const outcome = (updater: Updater) =>
      updater.sync().then(
        ({ status }) => status,
        (error: unknown) => (error as UpdateError).code,
      );
    // The state of the channel is signed soon.
    await eventually(async () => (await outcome(first)) === 'ready');
    const { version, bundle } = await opened().start();
    expect([version, readFileSync(join(await storage.unpack(bundle!), 'index.html'), 'utf8')]).toEqual([
      ...['1000.0.0', 'preview'],
    ]);
    await api().delete(`/apps/${APP}/channels/pr-9`);
    const later = opened();
    await later.start();
    await later.confirm();
    await eventually(async () => (await outcome(later)) === 'rejected');
  });

  it('is brought back by a recall to verified bytes, and no response of before leads it to the recalled build', async () => {
    const good = await release('2.0.0', { 'index.html': 'good' });
    const bad = await release('2.1.0', { 'index.html': 'white screen' });
    const storage = nodeStorage(join(temporaryDirectory(), 'updates'));
    /** Starts the app. Returns the version and the start page that it runs, and its updater. */
    const started = async () => {
      const updater = updaterOf(storage, 'phone-3');
      const { version, bundle } = await updater.start();
      await updater.confirm();
      const page = bundle && readFileSync(join(await storage.unpack(bundle), 'index.html'), 'utf8');
      return { runs: [version, page], updater };
    };
    const sync = async () => (await started()).updater.sync();
    const recall = async (build: number, body: object) => {
      const path = `/apps/${APP}/builds/${build}/recall`;
      const { status } = await api().post(path, { reason: 'White screen.', ...body });
      expect(status).toBe(200);
    };
    let offerOfBad = '';
    interfere = async (url, response) => {
      if (url.includes('/updates/check')) offerOfBad = await response.clone().text();
      return response;
    };
    expect(await sync()).toMatchObject({ status: 'ready', update: { version: '2.1.0' } });
    interfere = (_, response) => Promise.resolve(response);
    expect((await started()).runs).toEqual(['2.1.0', 'white screen']);

    await recall(bad, {});
    await signedOffer('ios', ({ version }) => version === '2.1.1', '2.1.0');
    const back = await sync();
    expect(back).toMatchObject({ status: 'ready', update: { version: '2.1.1', mandatory: true } });
    expect((await started()).runs).toEqual(['2.1.1', 'good']);
    expect(await sync()).toEqual({ status: 'up_to_date' });

    interfere = (url, response) =>
      Promise.resolve(url.includes('/updates/check') ? new Response(offerOfBad) : response);
    await expect(sync()).rejects.toMatchObject({ code: 'untrusted', reason: 'channel_state_outdated' });
    interfere = (_, response) => Promise.resolve(response);
    expect((await started()).runs).toEqual(['2.1.1', 'good']);

    await recall(good, { to: 'embedded' });
    await signedOffer('ios', ({ rollBackToEmbedded }) => rollBackToEmbedded === true, '2.1.1');
    expect(await sync()).toEqual({ status: 'up_to_date' });
    expect((await started()).runs).toEqual(['1.0.0', undefined]);
  });
});
