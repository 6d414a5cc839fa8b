import { inParts, scriptedPlane, sha256, signature, type Disturbance } from './plane.fixture';
import { UpdateError } from './errors';
import { memoryStorage, type UpdateStorage } from './storage';
import { createUpdater, createUpdaterIn, type UpdaterOptions } from './updater';

const APP = Buffer.from('an app that works');
const LARGE = Buffer.alloc(1_000_000, 'x');

/** An installation: each call of `restart` is a new life of its app on the same storage. */
function installation(more: Partial<UpdaterOptions> = {}) {
  const plane = scriptedPlane();
  const storage: UpdateStorage = more.storage ?? memoryStorage();
  const sleeps: number[] = [];
  let time = plane.now().getTime();
  const restart = (options: Partial<UpdaterOptions> = {}) =>
    createUpdaterIn(
      { ...plane.options, fetch: plane.fetch, ...more, storage, ...options },
      {
        now: () => new Date(time),
        sleep: (ms) => {
          sleeps.push(ms);
          time += ms;
          return Promise.resolve();
        },
        random: () => 0.5,
        stallMs: 50,
      },
    );
  return {
    ...{ plane, storage, sleeps, restart },
    wait: (ms: number) => (time += ms),
    /** Starts and confirms what runs; answers the updater and the version. */
    run: async (options: Partial<UpdaterOptions> = {}) => {
      const updater = restart(options);
      const started = await updater.start();
      await updater.confirm();
      return { updater, ...started };
    },
    paths: () => plane.requests.map(({ path }) => path.split('?')[0]),
    reported: () => plane.reports.map(({ kind, status, version }) => [kind, status ?? version].join(' ')),
  };
}

const failing =
  (status: number, headers: Record<string, string> = {}, body = ''): Disturbance =>
  () =>
    new Response(body, { status, headers });
const unreachable: Disturbance = () => {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
};
const rejectsWith = (promise: Promise<unknown>, facts: object) => expect(promise).rejects.toMatchObject(facts);

describe('an update', () => {
  it('is checked for, downloaded, started, confirmed and reported', async () => {
    const { plane, run, reported, restart } = installation({
      nativeVersion: '3.2',
      fingerprint: 'f00d',
      identity: { androidPackage: 'com.example.shop', iosBundleId: 'com.example.shop' },
      deviceId: 'phone-1',
    });
    const { updater } = await run();
    expect(await updater.sync()).toEqual({ status: 'up_to_date' });
    plane.release(APP, '1.2.0');
    const progress: number[][] = [];
    const result = await updater.sync({ onProgress: (...bytes) => progress.push(bytes) });
    expect(result).toMatchObject({ status: 'ready', update: { version: '1.2.0', sha256: sha256(APP) } });
    expect(progress).toEqual([[APP.length, APP.length]]);
    // Until the next start.
    expect(await updater.start()).toMatchObject({ bundle: undefined, version: '1.0.0' });

    const next = restart();
    const { bundle, onTrial, version } = await next.start();
    expect([version, onTrial, Buffer.from(await bundle!.read())]).toEqual(['1.2.0', true, APP]);
    await next.confirm();
    expect(await next.sync()).toEqual({ status: 'up_to_date' });
    expect(await run()).toMatchObject({ version: '1.2.0', onTrial: false });
    expect(reported()).toEqual(['mau 1.0.0', 'download complete', 'mau 1.2.0', 'install complete']);
    expect(plane.reports.at(-1)).toMatchObject({ previous_version: '1.0.0' });
    const { headers, path } = plane.requests[0]!;
    expect(path).toBe('/api/v1/updates/check?channel=production');
    expect(Object.fromEntries(headers)).toEqual({
      ...{ 'x-api-key': 'svc_app_test', 'x-device-id': 'phone-1', 'x-current-version': '1.0.0', 'x-platform': 'web' },
      ...{ 'x-app-version': '3.2', 'x-android-package': 'com.example.shop', 'x-ios-bundle-id': 'com.example.shop' },
      ...{ 'x-embedded-version': '1.0.0', 'x-native-fingerprint': 'f00d' },
    });
    const download = plane.requests.find(({ path: each }) => each.startsWith('/bundles/'))!;
    expect([...download.headers.keys()]).toEqual([]);
  });

  it('that needs a newer native app is named by the last check', async () => {
    const { plane, run } = installation();
    const { updater } = await run();
    expect(updater.nativeUpdateRequired).toBeUndefined();
    plane.disturbances.push(async (respond) => {
      const body = (await respond().json()) as object;
      return Response.json({ ...body, nativeUpdateRequired: { minimum: '4.0.0' } });
    });
    expect(await updater.check()).toBeUndefined();
    expect(updater.nativeUpdateRequired).toEqual({ minimum: '4.0.0' });
    await updater.check();
    expect(updater.nativeUpdateRequired).toBeUndefined();
  });

  it('that is not confirmed is rolled back, reported, and never installed again', async () => {
    const { plane, run, restart } = installation();
    const { updater } = await run();
    const bad = plane.release(APP);
    await updater.sync();
    const trial = restart();
    expect(await trial.start()).toMatchObject({ version: bad.version, onTrial: true });
    expect(await trial.sync()).toEqual({ status: 'unconfirmed' });
    const again = await run();
    expect(again).toMatchObject({ version: '1.0.0', bundle: undefined, rolledBack: { id: bad.bundleId } });
    expect(await again.updater.check()).toBeUndefined();
    expect(await again.updater.sync()).toEqual({ status: 'up_to_date' });
    expect(plane.reports.find(({ status }) => status === 'rollback')).toEqual({
      ...{ kind: 'install', bundle_id: bad.bundleId, status: 'rollback', previous_version: '1.0.0' },
      error: 'The bundle was started and not confirmed.',
    });
    const good = plane.release(APP);
    expect(await again.updater.sync()).toMatchObject({ status: 'ready' });
    expect(await run()).toMatchObject({ version: good.version, rolledBack: undefined });
  });

  it('that is not confirmed is rolled back to the bundle that was confirmed last', async () => {
    const { plane, run, restart } = installation();
    const first = plane.release(APP);
    await (await run()).updater.sync();
    const { updater } = await run();
    plane.release(LARGE);
    await updater.sync();
    await restart().start();
    const { bundle, version, onTrial } = await restart().start();
    expect([version, onTrial, Buffer.from(await bundle!.read())]).toEqual([first.version, false, APP]);
  });

  it('is not installed while the one that runs is on trial', async () => {
    const { plane, run, restart } = installation();
    plane.release(APP);
    await (await run()).updater.sync();
    const trial = restart();
    await trial.start();
    plane.release(LARGE);
    const update = await trial.check();
    await rejectsWith(trial.download(update!), { code: 'unconfirmed' });
    await trial.confirm();
    await trial.download(update!);
  });

  it('that the server withdraws before it starts does not start', async () => {
    const { plane, run } = installation();
    const { updater } = await run();
    const build = plane.release(APP);
    await updater.sync();
    plane.withdraw(build);
    expect(await updater.sync()).toEqual({ status: 'up_to_date' });
    expect((await run()).version).toBe('1.0.0');
  });

  it('that waits is replaced by a newer one, and its bytes are deleted', async () => {
    const { plane, run, storage } = installation();
    const { updater } = await run();
    plane.release(APP);
    await updater.sync();
    const newer = plane.release(LARGE);
    await updater.sync();
    expect(await storage.bundles()).toHaveLength(2);
    expect((await run()).version).toBe(newer.version);
    plane.release(APP);
    await (await run()).updater.sync();
    expect(await storage.bundles()).toHaveLength(2);
  });

  it('gives way to a newer embedded bundle', async () => {
    const { plane, run } = installation();
    plane.release(APP, '1.1.0');
    await (await run()).updater.sync();
    expect((await run()).version).toBe('1.1.0');
    expect(await run({ embeddedVersion: '1.1.0' })).toMatchObject({ version: '1.1.0', bundle: undefined });
    expect((await run()).version).toBe('1.0.0');
  });

  it('is replaced by the embedded bundle when the server says so and no longer serves it', async () => {
    const { plane, run } = installation();
    const build = plane.release(APP);
    await (await run()).updater.sync();
    const { updater, version } = await run();
    expect(version).toBe(build.version);
    const withMember: Disturbance = async (respond) =>
      Response.json({ ...((await respond().json()) as object), rollBackToEmbedded: true });
    plane.disturbances.push(withMember);
    await updater.sync();
    expect((await run()).version).toBe(build.version);
    plane.withdraw(build);
    plane.disturbances.push(withMember);
    await updater.sync();
    expect((await run()).version).toBe('1.0.0');
  });
});

describe('a channel that the user chose', () => {
  const DAY = 86_400_000;
  const asked = (plane: ReturnType<typeof installation>['plane']) =>
    plane.requests
      .filter(({ path }) => path === '/api/v1/channel')
      .map(({ method, body }) => [method, body?.['channel']]);

  it('is served and verified from then on, also after a restart, until the user leaves it', async () => {
    const { plane, run } = installation();
    const { updater } = await run();
    expect(await updater.chosenChannel()).toBeUndefined();
    await updater.chooseChannel('beta');
    plane.release(APP, '1.2.0');
    expect(await updater.sync()).toMatchObject({ status: 'ready' });
    const next = await run();
    expect([next.version, await next.updater.chosenChannel()]).toEqual(['1.2.0', 'beta']);
    plane.release(LARGE, '1.3.0');
    expect(await next.updater.check()).toMatchObject({ version: '1.3.0' });
    await next.updater.leaveChannel();
    expect([await next.updater.chosenChannel(), plane.choice.channel]).toEqual([undefined, null]);
    expect(await next.updater.check()).toMatchObject({ version: '1.3.0' });
    expect(asked(plane)).toEqual([
      ['GET', undefined],
      ['POST', 'beta'],
      ['GET', undefined],
      ['DELETE', undefined],
      ['GET', undefined],
    ]);
  });

  it('is the only other channel whose statements are accepted', async () => {
    const { plane, run } = installation();
    const { updater } = await run();
    plane.release(APP, '1.2.0');
    // The user did not choose it here.
    plane.choice.channel = 'beta';
    await rejectsWith(updater.check(), { code: 'untrusted', reason: 'wrong_channel' });
    await updater.chooseChannel('beta');
    plane.choice.channel = 'staging';
    await rejectsWith(updater.check(), { code: 'untrusted', reason: 'wrong_channel' });
    // The server has ended the choice.
    plane.choice.channel = null;
    expect(await updater.check()).toMatchObject({ version: '1.2.0' });
  });

  it('is chosen again by the next check, if the response was lost', async () => {
    const { plane, run } = installation();
    const { updater } = await run();
    plane.release(APP, '1.2.0');
    const abort = new AbortController();
    plane.disturbances.push((respond) => {
      respond();
      abort.abort();
      throw new TypeError('The connection was closed.');
    });
    await rejectsWith(updater.chooseChannel('beta', { signal: abort.signal }), { code: 'aborted' });
    expect(await updater.check()).toMatchObject({ version: '1.2.0' });
    // A rejected one leaves the choice as it was.
    await rejectsWith(updater.chooseChannel('nope'), { code: 'rejected', status: 422 });
    expect(await updater.check()).toMatchObject({ version: '1.2.0' });
    expect(asked(plane)).toEqual([
      ['POST', 'beta'],
      ['POST', 'beta'],
      ['POST', 'nope'],
    ]);
  });

  it('is chosen again before it ends, and forgotten if there is no such channel any longer', async () => {
    const { plane, run, wait, storage } = installation();
    const { updater } = await run();
    const kept = async () => {
      let state = '';
      await storage.updateState((record) => (state = record ?? ''));
      return (JSON.parse(state) as { chosen?: { channel: string } }).chosen?.channel;
    };
    await rejectsWith(updater.chooseChannel('nope'), { code: 'rejected', status: 422 });
    expect(await kept()).toBeUndefined();
    await updater.chooseChannel('beta');
    const trusting = (await run({ trust: 'unsigned' })).updater;
    wait(44 * DAY);
    await trusting.check();
    expect(asked(plane)).toHaveLength(2);
    wait(DAY);
    await trusting.check();
    expect(asked(plane)).toHaveLength(3);
    plane.disturbances.push(failing(403));
    await trusting.check();
    expect([asked(plane).length, await kept()]).toEqual([4, 'beta']);
    plane.choice.allowed = [];
    await trusting.check();
    expect(await kept()).toBeUndefined();
    await trusting.check();
    expect(asked(plane)).toHaveLength(5);
  });
});

it('keeps the installed bundle, and says so, when its channel is closed', async () => {
  const { plane, run } = installation();
  const build = plane.release(APP);
  await (await run()).updater.sync();
  const closed = { available: false, message: 'No updates available', channelClosed: true };
  plane.disturbances.push(() => Promise.resolve(Response.json(closed)));
  const { updater, version } = await run();
  await rejectsWith(updater.sync(), { code: 'channel_closed' });
  expect(version).toBe(build.version);
  expect((await run()).version).toBe(build.version);
});

describe('a download', () => {
  /** Some of a bundle is stored when the app ends. */
  async function interrupted(options: Partial<UpdaterOptions> = {}) {
    const given = installation(options);
    const { plane, run } = given;
    plane.release(LARGE);
    const { updater } = await run();
    const update = (await updater.check())!;
    const broken: Disturbance = () => inParts(LARGE, 100_000, {}, 600_000);
    plane.disturbances.push(broken, unreachable, unreachable, unreachable);
    await rejectsWith(updater.download(update), { code: 'unreachable' });
    plane.requests.length = 0;
    return { ...given, update };
  }
  const rangesOf = ({ plane }: Pick<ReturnType<typeof installation>, 'plane'>) =>
    plane.requests.filter(({ path }) => path.startsWith('/bundles/')).map(({ headers }) => headers.get('Range'));

  it('continues by itself where the connection broke, as long as bytes arrive', async () => {
    const { plane, run, sleeps, ...given } = installation();
    plane.release(LARGE);
    const { updater } = await run();
    const update = (await updater.check())!;
    const part =
      (from: number): Disturbance =>
      () =>
        inParts(LARGE.subarray(from), 50_000, { status: from > 0 ? 206 : 200 }, 100_000);
    plane.disturbances.push(...Array.from({ length: 9 }, (_, index) => part(index * 100_000)));
    await updater.download(update);
    expect(rangesOf({ plane })).toEqual([null, ...Array.from({ length: 9 }, (_, at) => `bytes=${at + 1}00000-`)]);
    expect(new Set(sleeps)).toEqual(new Set([1_000]));
    expect((await given.restart().start()).version).toBe(update.version);
  });

  it('continues after a restart of the app', async () => {
    const { update, run, ...given } = await interrupted();
    const { updater } = await run();
    await updater.download(update);
    expect(rangesOf(given)).toEqual(['bytes=600000-']);
    expect(Buffer.from(await (await run()).bundle!.read()).equals(LARGE)).toBe(true);
  });

  it('begins again when the server sends all bytes', async () => {
    const { update, run, plane } = await interrupted();
    plane.disturbances.push(() => inParts(LARGE, 100_000));
    await (await run()).updater.download(update);
    expect(Buffer.from(await (await run()).bundle!.read()).equals(LARGE)).toBe(true);
  });

  it('begins again when the server sends another range', async () => {
    const { update, run, plane, ...given } = await interrupted();
    plane.disturbances.push(() => inParts(LARGE, 1_000, { status: 206, headers: { 'Content-Range': 'bytes 0-1/2' } }));
    await (await run()).updater.download(update);
    expect(rangesOf({ plane, ...given })).toEqual(['bytes=600000-', null]);
  });

  it('begins again, once, when the bytes of an earlier call are damaged', async () => {
    const { update, run, storage, ...given } = await interrupted();
    const stored = await storage.read(update.bundleId);
    await storage.delete(update.bundleId);
    await storage.append(update.bundleId, stored.fill(0));
    await (await run()).updater.download(update);
    expect(rangesOf(given)).toEqual(['bytes=600000-', null]);
  });

  it('needs no request when all bytes are stored', async () => {
    const { update, run, storage, ...given } = await interrupted();
    await storage.append(update.bundleId, LARGE.subarray(600_000));
    await (await run()).updater.download(update);
    expect(rangesOf(given)).toEqual([]);
  });

  it('gets another URL when that of the offer has expired', async () => {
    const { update, run, plane, paths } = await interrupted();
    const { updater } = await run();
    const expired = { ...update, downloadUrl: update.downloadUrl.replace('secret', 'expired') };
    plane.disturbances.push(failing(403));
    await updater.download(expired);
    const download = `/bundles/${update.bundleId}`;
    expect(paths()).toEqual([download, '/api/v1/updates/check', download]);
  });

  it('stops at the size of the bundle', async () => {
    const { plane, run } = installation();
    plane.release(APP);
    const { updater } = await run();
    let sent = 0;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(Buffer.alloc(((sent += 1), 10_000))),
    });
    plane.disturbances.push(
      (respond) => respond(),
      () => new Response(endless),
    );
    await rejectsWith(updater.sync(), { code: 'untrusted', reason: 'bytes_mismatch' });
    expect(sent).toBeLessThan(10);
  });

  it('that stalls is continued', async () => {
    const { plane, run } = installation();
    plane.release(APP);
    const { updater } = await run();
    const stalled: Disturbance = () =>
      new Response(new ReadableStream({ start: (body) => body.enqueue(APP.subarray(0, 5)) }));
    plane.disturbances.push((respond) => respond(), stalled);
    expect(await updater.sync()).toMatchObject({ status: 'ready' });
    expect(rangesOf({ plane })).toEqual([null, 'bytes=5-']);
  });

  it('can be aborted, and keeps what it received', async () => {
    const { plane, run, reported } = installation();
    plane.release(LARGE);
    const { updater } = await run();
    const abort = new AbortController();
    const aborted = updater.sync({ signal: abort.signal, onProgress: () => abort.abort() });
    await rejectsWith(aborted, { code: 'aborted' });
    expect(await updater.sync()).toMatchObject({ status: 'ready' });
    expect(reported()).not.toContain('download failed');
  });

  it('runs once at a time', async () => {
    const { plane, run } = installation();
    plane.release(APP);
    const { updater } = await run();
    const update = (await updater.check())!;
    const [first, second] = await Promise.allSettled([updater.download(update), updater.download(update)]);
    expect([first.status, second]).toMatchObject(['fulfilled', { reason: { code: 'busy' } }]);
    expect(await Promise.all([updater.sync(), updater.sync()])).toMatchObject([
      { status: 'ready' },
      { status: 'ready' },
    ]);
  });
});

describe('verification', () => {
  const changed =
    (change: (body: Record<string, unknown>) => object): Disturbance =>
    async (respond) =>
      Response.json(change((await respond().json()) as Record<string, unknown>));

  it('rejects a tampered bundle, deletes and reports it', async () => {
    const { plane, run, storage, reported } = installation();
    plane.release(APP);
    const { updater } = await run();
    plane.disturbances.push(
      (respond) => respond(),
      () => new Response(Buffer.from('an app that spies')),
    );
    await rejectsWith(updater.sync(), { code: 'untrusted', reason: 'bytes_mismatch' });
    expect(await storage.bundles()).toEqual([]);
    expect(reported()).toEqual(['mau 1.0.0', 'download failed']);
    expect(await updater.sync()).toMatchObject({ status: 'ready' });
  });

  it('rejects a replayed response, also after a restart', async () => {
    const { plane, run } = installation();
    const { updater } = await run();
    plane.release(APP);
    let replayed = '';
    plane.disturbances.push(async (respond) => new Response((replayed = await respond().text())));
    await updater.check();
    plane.withdraw(plane.builds[0]!);
    expect(await updater.check()).toBeUndefined();
    plane.disturbances.push(() => new Response(replayed));
    await rejectsWith((await run()).updater.sync(), { code: 'untrusted', reason: 'channel_state_outdated' });
    plane.disturbances.push(() => new Response(replayed));
    // Of another channel the device has seen nothing yet.
    await rejectsWith((await run({ channel: 'staging' })).updater.sync(), { reason: 'wrong_channel' });
  });

  it.each([
    ['an offer without a manifest', changed((body) => ({ ...body, manifest: undefined })), 'statement_missing'],
    ['a changed version', changed((body) => ({ ...body, version: '9.0.0' })), 'offer_mismatch'],
    ['no object', () => Response.json([]), 'statement_malformed'],
    ['an offer without a URL', changed((body) => ({ ...body, downloadUrl: undefined })), 'statement_malformed'],
  ] as const)('rejects %s', async (_, disturbance, reason) => {
    const { plane, run } = installation();
    plane.release(APP);
    const { updater } = await run();
    plane.disturbances.push(disturbance);
    await rejectsWith(updater.sync(), { code: 'untrusted', reason });
  });

  it('requires a signature of the bundle by the keys of the app, if it has any', async () => {
    const { plane, run } = installation();
    const trust = { ...plane.options.trust, bundleKeys: plane.options.trust.keys };
    plane.release(APP);
    const { updater } = await run({ trust });
    await rejectsWith(updater.sync(), { code: 'untrusted', reason: 'signature_invalid' });
    plane.disturbances.push(changed((body) => ({ ...body, signature: signature(APP) })));
    expect(await updater.sync()).toMatchObject({ status: 'ready' });
  });

  it('of an unsigned app checks the checksum and the version', async () => {
    const { plane, run } = installation({ trust: 'unsigned' });
    plane.release(APP);
    const unsigned = changed((body) => ({ ...body, manifest: undefined, channelState: undefined }));
    const { updater } = await run();
    plane.disturbances.push(unsigned, () => new Response('an app that spi3s'));
    await rejectsWith(updater.sync(), { reason: 'bytes_mismatch' });
    plane.disturbances.push(changed((body) => ({ ...body, version: '1.0.0' })));
    await rejectsWith(updater.sync(), { reason: 'version_not_newer' });
    for (const fault of [{ version: 7 }, { size: '7' }, { bundleId: '../../etc' }, { downloadUrl: null }]) {
      plane.disturbances.push(changed((body) => ({ ...body, ...fault })));
      await rejectsWith(updater.sync(), { code: 'untrusted', reason: 'statement_malformed' });
    }
    plane.disturbances.push(unsigned);
    expect(await updater.sync()).toMatchObject({ status: 'ready' });
  });

  it('at each start falls back from a damaged bundle, which is then downloaded again', async () => {
    const { plane, run, storage, reported } = installation();
    const { bundleId, version } = plane.release(APP);
    await (await run()).updater.sync();
    expect((await run()).version).toBe(version);
    await storage.delete(bundleId);
    await storage.append(bundleId, Buffer.from('an app that broke'));
    const { updater, ...started } = await run();
    expect(started).toMatchObject({ version: '1.0.0', bundle: undefined, rolledBack: undefined });
    expect(await updater.sync()).toMatchObject({ status: 'ready' });
    expect(reported()).toContain('install failed');
    expect((await run()).version).toBe(version);
  });

  it('reports a key that is none', async () => {
    const { run } = installation();
    const trust = { keys: [{ publicKey: 'no key', scheme: 'pkcs1v15' as const }], appId: 1 };
    await rejectsWith((await run({ trust })).updater.sync(), { code: 'invalid_options' });
  });
});

describe('a server that fails', () => {
  it('is asked again with growing pauses, and then given up', async () => {
    const { plane, run, sleeps } = installation();
    const { updater } = await run();
    plane.disturbances.push(
      unreachable,
      failing(500),
      () => new Response('<p>Sign in to this network</p>'),
      failing(502),
    );
    await rejectsWith(updater.sync(), { code: 'unavailable', status: 502 });
    expect(sleeps).toEqual([1_000, 2_000, 4_000]);
    plane.disturbances.push(unreachable, unreachable, unreachable, unreachable);
    await rejectsWith(updater.check(), { code: 'unreachable', message: expect.stringContaining('ECONNREFUSED') });
    expect(await updater.sync()).toEqual({ status: 'up_to_date' });
  });

  it('decides how long to wait', async () => {
    const { plane, run, sleeps, wait } = installation();
    const { updater } = await run();
    plane.disturbances.push(failing(429, { 'Retry-After': '20' }));
    await updater.check();
    expect(sleeps).toEqual([1_000, 19_000]);
    const date = new Date(plane.now().getTime() + 20_000 + 300_000).toUTCString();
    plane.disturbances.push(failing(503, { 'Retry-After': date }));
    await rejectsWith(updater.check(), { code: 'unavailable', status: 503, retryAfterMs: 300_000 });
    const asked = plane.requests.length;
    await rejectsWith(updater.check(), { code: 'unavailable', retryAfterMs: 300_000 });
    expect(plane.requests).toHaveLength(asked);
    wait(300_000);
    await updater.check();
  });

  it('that rejects the request is not asked again', async () => {
    const { plane, run, sleeps } = installation();
    const { updater } = await run();
    const body = JSON.stringify({ error: { code: 'INVALID_API_KEY', message: 'The app API key is unknown.' } });
    plane.disturbances.push(failing(401, {}, body));
    await rejectsWith(updater.check(), {
      ...{ code: 'rejected', status: 401, serverCode: 'INVALID_API_KEY' },
      message: 'The server responded with 401: INVALID_API_KEY: The app API key is unknown.',
    });
    expect(sleeps).toEqual([]);
  });

  it('never shows a download URL in a message', async () => {
    const { plane, run } = installation();
    plane.release(APP);
    const { updater } = await run();
    const update = (await updater.check())!;
    for (const disturbance of [failing(404), failing(403)]) {
      plane.disturbances.push(disturbance);
      const error: unknown = await updater.download(update).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(UpdateError);
      expect(String(error)).not.toContain('secret');
    }
  });
});

describe('reports', () => {
  it('that could not be sent wait for the next time, in the same order', async () => {
    const { plane, run, restart, reported } = installation();
    const { updater } = await run();
    plane.release(APP);
    const update = await updater.check();
    await updater.download(update!);
    plane.disturbances.push(unreachable, unreachable, unreachable, unreachable);
    await rejectsWith(updater.flush(), { code: 'unreachable' });
    await restart().start();
    const next = await run();
    await next.updater.flush();
    expect(reported()).toEqual(['download complete', `mau ${update!.version}`, 'install rollback', 'mau 1.0.0']);
    await next.updater.flush();
    expect(plane.reports).toHaveLength(4);
  });

  it('that the server rejects are dropped, unless the key is at fault', async () => {
    const { plane, run, reported } = installation();
    const { updater } = await run();
    plane.disturbances.push(failing(403));
    await rejectsWith(updater.flush(), { code: 'rejected', status: 403 });
    plane.disturbances.push(failing(404));
    await updater.flush();
    await updater.flush();
    expect([plane.requests.length, reported()]).toEqual([2, []]);
  });

  it('of activity are sent once a day and version', async () => {
    const { run, wait, reported } = installation();
    for (const hours of [0, 1, 10, 3, 24]) {
      wait(hours * 3_600_000);
      await (await run()).updater.flush();
    }
    expect(reported()).toEqual(['mau 1.0.0', 'mau 1.0.0', 'mau 1.0.0']);
  });

  it('are at most 50, without the oldest', async () => {
    const { run, reported } = installation();
    for (let patch = 1; patch <= 60; patch += 1) await run({ embeddedVersion: `1.0.${patch}` });
    await (await run({ embeddedVersion: '1.0.60' })).updater.flush();
    expect(reported()).toEqual(Array.from({ length: 50 }, (_, index) => `mau 1.0.${index + 11}`));
  });
});

describe('the storage', () => {
  const broken = (part: Partial<UpdateStorage>) => ({ ...memoryStorage(), ...part });
  const full = () => Promise.reject(new Error('disk full'));

  it('that fails lets the embedded bundle start', async () => {
    const { restart } = installation({ storage: broken({ updateState: full }) });
    const updater = restart();
    expect(await updater.start()).toMatchObject({
      ...{ bundle: undefined, version: '1.0.0', onTrial: false },
      error: { code: 'storage', message: 'The storage failed: disk full.' },
    });
    await updater.confirm();
    await rejectsWith(updater.sync(), { code: 'storage' });
  });

  it('that is full fails the download, which is reported', async () => {
    const { plane, run, reported } = installation({ storage: broken({ append: full }) });
    plane.release(APP);
    await rejectsWith((await run()).updater.sync(), { code: 'storage', cause: { message: 'disk full' } });
    expect(reported()).toContain('download failed');
  });

  it('with a record of another kind counts as empty', async () => {
    const storage = memoryStorage();
    const { plane, run } = installation({ storage });
    for (const record of ['', 'null', '{', '{"format":2}']) {
      await storage.updateState(() => record);
      expect(await run()).toMatchObject({ version: '1.0.0', error: undefined });
    }
    plane.release(APP);
    expect(await (await run()).updater.sync()).toMatchObject({ status: 'ready' });
  });

  it('keeps the id of the installation', async () => {
    const { plane, run } = installation();
    const { updater } = await run();
    await updater.check();
    const id = await updater.deviceId();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(plane.requests[0]!.headers.get('X-Device-ID')).toBe(id);
    expect(await (await run()).updater.deviceId()).toBe(id);
  });

  it('that pages share lets one of them try a bundle, while others run the confirmed one', async () => {
    const held = new Set<string>();
    const hold = (name: string) => {
      if (held.has(name)) return Promise.resolve(undefined);
      held.add(name);
      return Promise.resolve(() => void held.delete(name));
    };
    const { plane, run, restart } = installation({ storage: broken({ hold }) });
    const { version } = plane.release(APP);
    await (await run()).updater.sync();
    const [first, second] = [restart(), restart()];
    expect(await first.start()).toMatchObject({ version, onTrial: true });
    expect(await second.start()).toMatchObject({ version: '1.0.0', onTrial: false, rolledBack: undefined });
    expect(await second.sync()).toEqual({ status: 'unconfirmed' });
    await second.confirm();
    await first.confirm();
    expect(await second.sync()).toEqual({ status: 'up_to_date' });
    expect(await restart().start()).toMatchObject({ version, onTrial: false });
    held.add('download');
    plane.release(LARGE);
    await rejectsWith(second.sync(), { code: 'busy' });
  });
});

describe('options', () => {
  const { options } = scriptedPlane();
  const valid: UpdaterOptions = { ...options, storage: memoryStorage() };

  it.each([
    { server: 'updates.example.com' },
    { apiKey: 'svc_pat_x' },
    { platform: 'tv' },
    { embeddedVersion: 'latest' },
    { storage: {} },
    { trust: undefined },
    { trust: { keys: [], appId: 1 } },
    { trust: { keys: options.trust.keys, appId: '1' } },
    { deviceId: 'gerät' },
  ])('are rejected: %j', (wrong) => {
    expect(() => createUpdater({ ...valid, ...wrong } as UpdaterOptions)).toThrow(UpdateError);
  });

  it('may have a path and a slash in the address of the server', async () => {
    const { run, paths } = installation({ server: 'https://example.com/updates/' });
    await (await run()).updater.check();
    expect(paths()).toEqual(['/updates/api/v1/updates/check']);
  });

  it('are all that is needed: calls before start() are rejected', async () => {
    const updater = createUpdater(valid);
    for (const call of [updater.confirm(), updater.check(), updater.sync()]) {
      await rejectsWith(call, { code: 'not_started' });
    }
  });
});
