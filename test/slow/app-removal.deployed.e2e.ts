import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { readSettings } from '@sluice/config';
import type { Row } from '@sluice/document-store';
import { openEngines } from '@sluice/engines';
import { newCommandId } from '@sluice/kernel';
import { eventually } from '@sluice/testing';
import { onEachDeployment, sixServices, type Deployment, DEPLOYMENT } from '../support/deployment';
import { call, checkUpdate, management, type UploadAnswer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

interface Refusal {
  readonly error?: { readonly code: string };
}
interface AppAnswer extends Refusal {
  readonly data: { readonly id: number };
}

const codeOf = ({ status, body }: { readonly status: number; readonly body: Refusal }) => [status, body.error?.code];

onEachDeployment('removing apps, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  let deployment: Deployment;
  let token: string;

  const api = (replica = 0) => management(deployment.gateways[replica % deployment.gateways.length]!, token);
  const command = (...args: string[]) =>
    sluice([...args, '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      SLUICE_TOKEN: token,
      DATA_DIR: deployment.dataDir,
    });
  const remove = (app: string | number, replica = 0) =>
    call<Refusal>(`${deployment.gateways[replica % deployment.gateways.length]!}/api/public/v1/apps/${app}`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}` },
    });
  const create = async (bundleId: string): Promise<number> => {
    const { status, body } = await api().post<AppAnswer>('/apps', { name: bundleId, bundle_id: bundleId });
    expect(status).toBe(201);
    return body.data.id;
  };
  const createKey = (app: number, replica = 0) =>
    api(replica).post<Refusal & { data: { plaintext_key: string } }>(`/apps/${app}/api-keys`, { name: 'installs' });
  const upload = async (app: number, version: string, replica = 0) =>
    api(replica).upload<Refusal & UploadAnswer>(`/apps/${app}/builds`, await zipOf({ 'index.html': version }), {
      ...{ version, channel: 'staging' },
    });
  const backUp = async (app: number, replica = 0) =>
    api(replica).upload<Refusal>(`/apps/${app}/keystore`, await zipOf({ 'release.jks': 'secret' }), {});
  const finished = async (job: string): Promise<void> => {
    for (;;) {
      const { body } = await api().get<{ data: { status: string } }>(`/jobs/${job}`);
      if (body.data.status === 'completed') return;
      expect(body.data.status).not.toBe('failed');
      await delay(50);
    }
  };

  async function untilNothingIsStored(): Promise<void> {
    await eventually(async () => (await deployment.objects()).length === 0);
  }

  /** What the engines hold of an app, apart from its events: ids of rows by collection, and seals of any app. */
  async function leftOf(app: number) {
    const engines = await openEngines(readSettings({ ...deployment.env, BUS_URL: 'inproc:' }), 'test');
    const ids = async (projection: string, name: string, where: object) => {
      const rows = await engines.readStore.view(projection, { name, indexes: [] }).find({ where });
      return rows.map(({ id }) => id);
    };
    /** What is kept of its devices. */
    const kept = async (name: string) => {
      const rows = await engines.stateStore.rows<Row & { readonly appId: number }>({ name, indexes: [] }).find({
        where: { appId: app },
      });
      return rows.map(({ id }) => id);
    };
    const seals = (prefix: string) => engines.vault.ids({ prefix, after: '', limit: 10 });
    try {
      return {
        apps: await ids('apps', 'apps', { number: app }),
        builds: await ids('builds', 'builds', { app_id: app }),
        claims: await ids('builds', 'bundleClaims', {}),
        jobs: await ids('jobs', 'jobs', { app_id: app }),
        apiKeys: await ids('apiKeys', 'apiKeys', { appId: app }),
        signingKeys: await ids('signingKeys', 'signingKeys', { appId: app }),
        listedSigningKeys: await ids('signingKeys', 'listedSigningKeys', { appId: app }),
        servingApps: await ids('serving', 'servingApps', { appId: app }),
        servingBuilds: await ids('serving', 'servingBuilds', { appId: app }),
        servingKeys: await ids('serving', 'servingKeys', { appId: app }),
        keystores: await ids('keystores', 'keystores', { appId: app }),
        deviceReports: await kept('deviceReports'),
        deviceStates: await kept('deviceStates'),
        rolledBackDevices: await kept('rolledBackDevices'),
        signedVersions: await ids('signedVersions', 'signedVersions', { appId: app }),
        checkCounts: await kept('checkCounts'),
        offeredDevices: await kept('offeredDevices'),
        seals: (await Promise.all(['apiKey-', 'signingKey-', 'keystore-'].map(seals))).flat(),
      };
    } finally {
      await engines.close();
    }
  }
  async function untilNothingIsLeftOf(app: number): Promise<void> {
    await eventually(async () => Object.values(await leftOf(app)).flat().length === 0, { everyMs: 100 });
  }

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy({ OBJECT_GRACE_SECONDS: '0', APP_LIMIT: '2' });
    token = '';
    const made = await command('token', 'create', '--name', 'ci', '--all-apps', '--permission', 'apps.delete');
    token = (JSON.parse(made.stdout) as { token: string }).token;
  }, 180_000);

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run(
    'removes all of an app, for clients immediately and from the stores soon, and frees its bundle_id and its place',
    async () => {
      const app = await create('com.example.shop');
      const key = (await createKey(app)).body.data.plaintext_key;
      expect((await api().post(`/apps/${app}/signing-key`, {})).status).toBe(201);
      expect((await api().post(`/apps/${app}/signing-key/rotate`, { size: 2048 })).status).toBe(200);
      expect((await leftOf(app)).listedSigningKeys).toHaveLength(2);
      expect((await backUp(app)).status).toBe(201);
      const { data } = (await upload(app, '1.0.0')).body;
      await finished(data.job_id);
      const promote = `/apps/${app}/builds/${data.build.id}/promote`;
      expect((await api().post(promote, { target_channel: 'production' })).status).toBe(201);
      const second = await create('com.example.second');
      expect(codeOf(await api().post<Refusal>('/apps', { name: 'Third' }))).toEqual([422, 'APP_LIMIT_REACHED']);
      const check = (address: string) => checkUpdate(address, key, 'device', '0.1.0');
      const offered = (await check(deployment.devices[0]!)).body;
      const { pathname, search } = new URL(offered.downloadUrl);

      const reported = await call(`${deployment.devices[0]!}/api/v1/analytics/mau`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'X-Device-ID': 'device', 'X-Platform': 'ios', 'X-Bundle-Version': '0.1.0' },
      });
      expect(reported.status).toBe(200);
      const rolledBack = await call(`${deployment.devices[0]!}/api/v1/analytics/install`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'X-Device-ID': 'device', 'Content-Type': 'application/json' },
        body: JSON.stringify({ bundle_id: offered.bundleId, status: 'rollback' }),
      });
      expect(rolledBack.status).toBe(200);
      await eventually(async () => (await leftOf(app)).checkCounts.length !== 0, { everyMs: 100 });
      const { deviceReports, deviceStates, rolledBackDevices, signedVersions } = await leftOf(app);
      const kept = [deviceReports, deviceStates, rolledBackDevices, signedVersions];
      expect(kept.map(({ length }) => length)).toEqual([2, 1, 1, 1]);

      expect(await remove('com.example.shop')).toMatchObject({
        status: 200,
        body: { data: { deleted: true, id: app } },
      });

      for (const replica of [0, 1]) {
        for (const path of [`/apps/${app}`, '/apps/com.example.shop', `/apps/${app}/builds`, `/apps/${app}/history`]) {
          expect(codeOf(await api(replica).get<Refusal>(path))).toEqual([404, 'APP_NOT_FOUND']);
        }
        expect(codeOf(await api(replica).get<Refusal>(`/jobs/${data.job_id}`))).toEqual([404, 'JOB_NOT_FOUND']);
        expect(codeOf(await remove(app, replica))).toEqual([404, 'APP_NOT_FOUND']);
        const info = await api(replica).get<{ data: { apps: { id: number }[] } }>('/token');
        expect(info.body.data.apps.map(({ id }) => id)).toEqual([second]);
        const list = await api(replica).get<{ data: { id: number }[] }>('/apps');
        expect(list.body.data.map(({ id }) => id)).toEqual([second]);
      }
      for (const address of deployment.devices) {
        expect(await check(address)).toMatchObject({ status: 401, body: { error: { code: 'INVALID_API_KEY' } } });
        expect(codeOf(await call<Refusal>(address + pathname + search))).toEqual([404, 'BUILD_NOT_FOUND']);
      }

      const again = await create('com.example.shop');
      expect(again).toBeGreaterThan(second);
      expect((await api(1).get<{ meta: { total: number } }>(`/apps/${again}/builds`)).body.meta.total).toBe(0);
      expect((await api(1).get(`/apps/${again}/signing-key`)).body.data).toEqual({ configured: false });
      expect(codeOf(await api().get<Refusal>(`/apps/${app}`))).toEqual([404, 'APP_NOT_FOUND']);
      await untilNothingIsStored();
      await untilNothingIsLeftOf(app);

      expect(await command('app', 'delete', String(again))).toMatchObject({ code: 0 });
      expect((await remove(second)).status).toBe(200);
      expect((await api().get<{ data: object[] }>('/apps')).body.data).toEqual([]);
    },
    120_000,
  );

  run(
    'ends an upload in flight in 404 and keeps nothing of it',
    async () => {
      const app = await create('com.example.inflight');
      const socket = connect(Number(new URL(deployment.gateways[0]!).port), '127.0.0.1');
      // More than an S3 takes in one piece.
      const zip = await zipOf({ 'index.html': 'x', 'random.bin': randomBytes(12 * 1_048_576) });
      const field = (name: string, value: string) =>
        `\r\n--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}`;
      const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="b.zip"\r\n\r\n${zip.toString('latin1')}`;
      const rest = `${field('version', '1.0.0')}${field('channel', 'staging')}\r\n--b--\r\n`;
      socket.write(
        `POST /api/public/v1/apps/${app}/builds HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n` +
          `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${file.length + rest.length}\r\n\r\n`,
      );
      socket.write(file, 'latin1');
      // The upload has passed the gate and its bytes arrive.
      await eventually(async () => (await deployment.objects()).length !== 0, { everyMs: 10 });
      expect((await remove(app, 1)).status).toBe(200);
      let answer = '';
      socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
      socket.write(rest);
      await new Promise((resolve) => socket.once('close', resolve));
      expect(answer).toMatch(/^HTTP\/1\.1 404 /);
      expect(answer).toContain('APP_NOT_FOUND');
      await untilNothingIsStored();
      await untilNothingIsLeftOf(app);
    },
    60_000,
  );

  run(
    'leaves nothing of uploads and keys that race with it, whichever comes first',
    async () => {
      for (let round = 0; round < 3; round += 1) {
        const app = await create('com.example.race');
        const races = [0, 1, 2].flatMap((replica) => [
          upload(app, `1.0.${replica}`, replica),
          createKey(app, replica),
          backUp(app, replica),
          api(replica).post<Refusal>(`/apps/${app}/signing-key`, { size: 2048 }),
        ]);
        await delay(round * 15);
        expect((await remove(app, round)).status).toBe(200);
        for (const answer of await Promise.all(races)) {
          if (answer.status >= 300 && answer.status !== 409) expect(codeOf(answer)).toEqual([404, 'APP_NOT_FOUND']);
        }
        await untilNothingIsStored();
        await untilNothingIsLeftOf(app);
      }
    },
    120_000,
  );

  run(
    'continues after a crash in the middle of it',
    async () => {
      const app = await create('com.example.crash');
      const key = (await createKey(app)).body.data.plaintext_key;
      await finished((await upload(app, '1.0.0')).body.data.job_id);
      await Promise.all(deployment.processes.map((process) => process.stop('SIGKILL')));
      // As a kill right behind the first event of the removal leaves it.
      const engines = await openEngines(readSettings({ ...deployment.env, BUS_URL: 'inproc:' }), 'test');
      const [id, actor] = [newCommandId(), 'token:1'];
      const metadata = { commandId: id, actor, correlationId: id, causationId: id, at: new Date().toISOString() };
      await engines.events.append(`app-${app}`, 'none', [
        { id, type: 'AppRemovalStarted', data: { id: app }, metadata },
      ]);
      await engines.close();
      await deployment.start();

      expect(codeOf(await api().get<Refusal>(`/apps/${app}`))).toEqual([404, 'APP_NOT_FOUND']);
      for (const address of deployment.devices) {
        expect(await checkUpdate(address, key, 'device', '0.1.0')).toMatchObject({ status: 401 });
      }
      await untilNothingIsStored();
      await untilNothingIsLeftOf(app);
      for (;;) {
        const { status, body } = await api().post<AppAnswer>('/apps', { name: 'x', bundle_id: 'com.example.crash' });
        if (status === 409) continue;
        expect(body.data.id).toBeGreaterThan(app);
        expect((await remove(body.data.id)).status).toBe(200);
        break;
      }
    },
    180_000,
  );

  run(
    'leaves read models that equal what the events make',
    async () => {
      expect(await command('projections', 'verify')).toMatchObject({ code: 0 });
    },
    120_000,
  );
});

(DEPLOYMENT === sixServices ? describe : describe.skip)('removing apps from six services', () => {
  (sixServices.available ? it : it.skip)(
    'a removal whose services are unavailable returns 503, takes effect, and is completed once they are available, also by another registry',
    async () => {
      const deployment = await sixServices.deploy();
      try {
        const env = { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir };
        const made = await sluice(
          ['token', 'create', '--name', 'ci', '--all-apps', '--permission', 'apps.delete', '--json'],
          env,
        );
        const { token } = JSON.parse(made.stdout) as { token: string };
        const api = () => management(deployment.gateways[0]!, token);
        const shop = { name: 'Shop', bundle_id: 'com.example.shop' };
        const app = (await api().post<AppAnswer>('/apps', shop)).body.data.id;
        const those = (name: string) => deployment.processes.filter((process) => process.name === name);
        const keys = those('keys');
        await Promise.all(keys.map((process) => process.stop('SIGKILL')));

        const removed = await call<Refusal>(`${deployment.gateways[0]!}/api/public/v1/apps/${app}`, {
          method: 'DELETE',
          headers: { Authorization: `Bearer ${token}` },
        });
        expect(codeOf(removed)).toEqual([503, 'SERVICE_UNAVAILABLE']);
        expect(Number(removed.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
        expect(codeOf(await api().get<Refusal>(`/apps/${app}`))).toEqual([404, 'APP_NOT_FOUND']);
        expect(codeOf(await api().post<Refusal>('/apps', shop))).toEqual([409, 'BUNDLE_ID_TAKEN']);

        const registries = those('registry');
        await Promise.all(registries.map((process) => process.stop('SIGKILL')));
        await Promise.all([...registries, ...keys].map((process) => deployment.revive(process).ready));
        for (;;) {
          const { status, body } = await api().post<AppAnswer>('/apps', shop);
          if (status === 409) {
            await delay(50);
            continue;
          }
          expect([status, body.data.id]).toEqual([201, app + 1]);
          break;
        }
      } finally {
        await deployment.destroy();
      }
    },
    180_000,
  );
});
