import { setTimeout as pause } from 'node:timers/promises';
import { newCredential } from '@sluice/contracts';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { type EventStoreServer, startEventStoreServer } from '@sluice/testing/event-store-server';
import { freePort } from '../support/free-port';
import { type Answer, call, checkUpdate, management } from '../support/http';
import { launchProcess, sluice } from '../support/process';
import { zipOf } from '../support/zip';

describe('a standalone server whose events are in another server, over a loopback server of EventStoreDB’s protocol', () => {
  const ownerKey = newCredential('svc_own_');
  let events: EventStoreServer;
  let deployment: Deployment;
  let token: string;
  let app: number;
  let key: string;

  const api = () => management(deployment.gateways[0]!, token);
  const command = async (...args: string[]) => {
    const environment = { SLUICE_SERVER: deployment.gateways[0]!, SLUICE_TOKEN: token, OWNER_KEY: ownerKey };
    return sluice([...args, '--json'], environment);
  };
  const json = async <T>(...args: string[]): Promise<T> => JSON.parse((await command(...args)).stdout) as T;

  beforeAll(async () => {
    events = await startEventStoreServer();
    deployment = await standalone.deploy({
      EVENT_STORE_URL: events.url,
      EVENT_STORE_PREFIX: 'blue.',
      MASTER_KEY: 'ab'.repeat(32),
      OWNER_KEY: ownerKey,
    });
    token = '';
    token = (await json<{ token: string }>('token', 'create', '--name', 'ci', '--all-apps')).token;
    app = (await json<{ id: number }>('app', 'create', '--name', 'Shop', '--bundle-id', 'com.example.shop')).id;
    key = (await json<{ plaintext_key: string }>('key', 'create', '--app', 'com.example.shop', '--name', 'app'))
      .plaintext_key;
  }, 120_000);

  afterAll(async () => {
    await deployment.destroy();
    events.stop();
  }, 60_000);

  const upload = async (version: string) => {
    const bundle = await zipOf({ 'index.html': `<h1>${version}</h1>` });
    return api().upload(`/apps/${app}/builds`, bundle, { version, channel: 'production' });
  };
  /** As a client that retries after a 503. */
  const insist = async (version: string) => {
    await eventually(async () => (await upload(version)).status === 202, { everyMs: 200 });
  };
  /** Until a device that was never seen gets this version. */
  const offered = async (version: string) => {
    for (let device = 0; ; device += 1) {
      const { body } = await checkUpdate(deployment.devices[0]!, key, `${version}-${device}`, '0.9.0');
      if (body.version === version) return;
      await pause(100);
    }
  };
  const versions = async () => {
    const { body } = await api().get<{ data: { version: string; status: string }[] }>(`/apps/${app}/builds`);
    return body.data.map(({ version, status }) => `${version} ${status}`);
  };

  it('ships a release, and says so of its engine', async () => {
    expect((await upload('1.0.0')).status).toBe(202);
    await offered('1.0.0');
    expect(events.log.events.every(({ stream }) => stream.startsWith('blue.') || stream === 'sluiceStore')).toBe(true);
    expect((await command('doctor')).stdout).toContain('event store (esdb, EventStoreDB loopback)');
  }, 120_000);

  it('answers 503 with Retry-After while it is unavailable, serves devices, and recovers by itself with nothing lost or doubled', async () => {
    events.stop();
    const failed = { code: 'UPLOAD_FAILED', message: expect.stringContaining('could not be recorded') as string };
    expect(await upload('1.1.0')).toMatchObject({ status: 500, body: { error: failed } });
    const refused: Answer[] = [
      await api().post('/apps', { name: 'Meanwhile' }),
      await call(`${deployment.gateways[0]!}/api/public/v1/apps/${app}/builds/999`, {
        headers: { Authorization: `Bearer ${token}` },
      }),
    ];
    for (const { status, headers } of refused) {
      expect(status).toBe(503);
      expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
    }
    expect((await checkUpdate(deployment.devices[0]!, key, 'meanwhile', '0.9.0')).body.version).toBe('1.0.0');
    expect((await command('doctor')).stdout).toMatch(/can't use its event store \(esdb\): no_connection: /);

    const insisted = insist('1.2.0');
    await pause(3_000);
    await events.start();
    await insisted;
    await offered('1.2.0');
    // Cut while the answer is on its way: it was written, and the same append finds that out.
    events.faults.push({ written: true });
    expect((await upload('1.3.0')).status).toBe(202);
    await offered('1.3.0');
    expect(await versions()).toEqual(['1.3.0 active', '1.2.0 active', '1.0.0 active']);
    const ids = events.log.events.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  }, 180_000);
});

describe('a standalone server whose event store rejects it', () => {
  it.each([
    ['none', 'wrong_credentials'],
    ['streams', 'access_denied'],
  ] as const)(
    'says why in /health/ready, doctor and its log, once and without a stack: rights to %s',
    async (rights, reason) => {
      const events = await startEventStoreServer();
      events.rights = rights;
      const dataDir = temporaryDirectory();
      const port = await freePort();
      const ownerKey = newCredential('svc_own_');
      const starting = launchProcess('standalone', {
        ...{ DATA_DIR: dataDir, PORT: String(port), EVENT_STORE_URL: events.url },
        ...{ MASTER_KEY: 'ab'.repeat(32), OWNER_KEY: ownerKey },
      });
      try {
        const address = `http://127.0.0.1:${port}`;
        const readiness = () =>
          call<{ engines_away?: { reason?: string }[] }>(`${address}/health/ready`).catch(() => undefined);
        let ready = await readiness();
        for (; ready?.body.engines_away?.[0]?.reason === undefined; ready = await readiness()) await pause(50);
        expect(ready).toMatchObject({ status: 503, body: { engines_away: [{ engine: 'event-store', reason }] } });
        const { stdout } = await sluice(['doctor', '--json'], { SLUICE_SERVER: address, OWNER_KEY: ownerKey });
        expect(stdout).toContain(`(${reason})`);

        events.rights = 'all';
        const { log } = await starting.ready;
        expect(log.filter((line) => line.includes('"stack"'))).toEqual([]);
        expect(log.filter((line) => line.includes(`can't be used (${reason})`))).toHaveLength(1);
        const stopped = log.flatMap((line) => /Projection \\"([^"\\]+)\\" stopped/.exec(line)?.[1] ?? []);
        expect(new Set(stopped).size).toBe(stopped.length);
      } finally {
        await starting.stop();
        events.stop();
      }
    },
    120_000,
  );
});
