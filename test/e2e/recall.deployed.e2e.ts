import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management, sha256, type UpdateAnswer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

interface Build {
  readonly id: number;
  readonly version: string;
  readonly status: string;
  readonly recalled_at: string | null;
  readonly recall_reason: string | null;
  readonly recall_target: number | string | null;
  readonly recall_of: number | null;
  readonly republished_from_id: number | null;
}
interface Recalled {
  readonly build: Build;
  readonly republished: Build | null;
  readonly also_in: readonly { readonly id: number; readonly channel: string }[];
  readonly also_recalled: readonly { readonly id: number; readonly channel: string }[];
  readonly presigned_until: string | null;
}
interface Refusal {
  readonly error?: { readonly code: string; readonly message: string; readonly details?: object };
  readonly errors?: object;
}

onEachDeployment('recalling builds, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  let deployment: Deployment;
  let token: string;
  let app = '';
  let key: string;

  const api = () => management(deployment.gateways[0]!, token);
  const builds = () => `/apps/${app}/builds`;
  const command = (...args: string[]) =>
    sluice([...args, '--json'], { SLUICE_SERVER: deployment.gateways[0]!, SLUICE_TOKEN: token });

  async function release(version: string, channel = 'production', content = version): Promise<number> {
    const bundle = await zipOf({ 'index.html': `<h1>${content}</h1>` });
    const { status, body } = await api().upload(builds(), bundle, { version, channel });
    expect(status).toBe(202);
    await eventually(async () => {
      const job = await api().get<{ data: { status: string } }>(`/jobs/${body.data.job_id}`);
      return job.body.data.status === 'completed';
    });
    return body.data.build.id;
  }
  const recall = (id: number, body: object) =>
    api().post<{ data: Recalled } & Refusal>(`${builds()}/${id}/recall`, body);
  const unrecall = (id: number) => api().post<{ data: { build: Build | null } }>(`${builds()}/${id}/unrecall`);
  const build = async (id: number) => (await api().get<{ data: Build }>(`${builds()}/${id}`)).body.data;
  /** Of every replica, which all answer the same. */
  async function offered(current: string, channel = 'production'): Promise<UpdateAnswer> {
    const answers = await Promise.all(
      deployment.devices.map((address) => checkUpdate(address, key, 'device', current, channel)),
    );
    for (const { body } of answers) expect(body.version).toBe(answers[0]?.body.version);
    return answers[0]!.body;
  }
  const explained = async (version: string) => {
    const path = `/apps/${app}/explain?device=device&channel=production&platform=ios&version=${version}`;
    interface Explained {
      offered: { build_id: number } | null;
      recalled: object | null;
      newer: { build_id: number; why_not: string[] }[];
    }
    return (await api().get<{ data: Explained }>(path)).body.data;
  };

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy();
    const owner = { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir };
    const created = await sluice(
      ['token', 'create', '--name', 'ci', '--all-apps', '--permission', 'builds.delete', '--json'],
      owner,
    );
    token = (JSON.parse(created.stdout) as { token: string }).token;
  }, 180_000);

  let apps = 0;
  beforeEach(async () => {
    if (!kind.available) return;
    app = `com.example.shop${(apps += 1)}`;
    await command('app', 'create', '--name', 'Shop', '--bundle-id', app);
    const { stdout } = await command('key', 'create', '--app', app, '--name', 'app');
    key = (JSON.parse(stdout) as { plaintext_key: string }).plaintext_key;
  });

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run(
    'brings devices back, offers the build to none, and shows how far it is',
    async () => {
      const good = await release('1.0.0');
      const bad = await release('1.1.0');
      const before = await offered('1.0.0');
      expect(before).toMatchObject({ available: true, version: '1.1.0' });
      const preview = await api().get(`${builds()}/${bad}/recall`);
      expect(preview.body.data).toMatchObject({
        ...{ recalled_at: null, target: good, target_version: '1.0.0' },
        ...{ replacement: { id: null, version: '1.1.1' }, devices: { on_recalled: 0, on_replacement: 0 } },
      });

      const { status, body } = await recall(bad, { reason: ' White screen. ' });
      expect(status).toBe(200);
      const { build: recalled, republished } = body.data;
      expect(recalled).toMatchObject({ status: 'paused', recall_reason: 'White screen.', recall_target: good });
      expect(republished).toMatchObject({ version: '1.1.1', recall_of: bad, republished_from_id: good });

      expect(await offered('1.0.0')).toMatchObject({ available: false });
      expect(await offered('0.9.0')).toMatchObject({ available: true, version: '1.0.0' });
      const corrected = await offered('1.1.0');
      expect(corrected).toMatchObject({ available: true, version: '1.1.1', mandatory: true });
      expect(await offered('1.1.1')).toMatchObject({ available: false });

      // The same bytes as the good build; those of the bad one are no longer served.
      const download = await fetch(corrected.downloadUrl);
      expect(sha256(new Uint8Array(await download.arrayBuffer()))).toBe(corrected.checksum);
      expect((await build(good)).version).toBe('1.0.0');
      const { pathname, search } = new URL(before.downloadUrl);
      for (const device of deployment.devices) {
        expect(await call<Refusal>(device + pathname + search)).toMatchObject({
          status: 403,
          body: { error: { code: 'DOWNLOAD_URL_INVALID' } },
        });
      }

      expect(await explained('1.1.0')).toMatchObject({
        offered: { build_id: republished!.id },
        recalled: { target: good, roll_back_to_embedded: false },
      });
      expect((await explained('1.0.0')).newer).toMatchObject([
        { build_id: republished!.id, why_not: ['recall_only'] },
        { build_id: bad, why_not: ['recalled'] },
      ]);

      const report = (device: string, version: string) =>
        fetch(`${deployment.devices[0]}/api/v1/analytics/mau`, {
          method: 'POST',
          headers: { 'X-API-Key': key, 'X-Device-ID': device, 'X-Bundle-Version': version, 'X-Platform': 'ios' },
        });
      for (const [device, version] of [
        ...[['a', '1.1.0'] as const, ['b', '1.1.0'] as const, ['c', '1.1.0'] as const],
        ...[['a', '1.1.1'] as const, ['d', '1.0.0'] as const],
      ]) {
        expect((await report(device, version)).status).toBe(200);
      }
      const shown = await api().get(`${builds()}/${bad}/recall`);
      expect(shown.body.data).toMatchObject({
        ...{ reason: 'White screen.', target: good, replacement: { id: republished!.id, version: '1.1.1' } },
        devices: { on_recalled: 2, on_replacement: 1 },
      });

      const history = await api().get<{ data: { type: string }[] }>(`/apps/${app}/history?build=${bad}`);
      expect(history.body.data[0]).toMatchObject({
        ...{ type: 'BuildRecalled', build_id: bad, before: { status: 'active' } },
        after: { status: 'paused', recall_reason: 'White screen.', recall_target: good },
      });
    },
    60_000,
  );

  run(
    'follows targets that are recalled in turn, also of deleted builds, and back',
    async () => {
      const oldest = await release('0.9.0');
      const good = await release('1.0.0');
      const bad = await release('1.1.0');
      await recall(bad, { reason: 'White screen.' });
      const republished = new URL((await offered('1.1.0')).downloadUrl);
      const second = (await recall(good, { reason: 'Worse.' })).body.data;
      expect(second.republished).toMatchObject({ version: '1.1.2', republished_from_id: oldest });
      for (const current of ['1.0.0', '1.1.0', '1.1.1']) {
        expect(await offered(current)).toMatchObject({ available: true, version: '1.1.2' });
      }
      expect(await offered('0.9.0')).toMatchObject({ available: false });
      // It has the bytes of the target, which is recalled now.
      for (const device of deployment.devices) {
        expect((await call(device + republished.pathname + republished.search)).status).toBe(403);
      }

      const removal = await call<Refusal>(
        `${deployment.gateways[0]}/api/public/v1${builds()}/${second.republished!.id}`,
        {
          method: 'DELETE',
          headers: { Authorization: `Bearer ${token}` },
        },
      );
      expect(removal).toMatchObject({ status: 409, body: { error: { code: 'BUILD_REPUBLISHED' } } });
      expect(await command('build', 'delete', String(bad), '--app', app, '--yes')).toMatchObject({ code: 0 });
      expect(await offered('1.1.0')).toMatchObject({ available: true, version: '1.1.2' });
      const again = await api().upload<Refusal>(builds(), await zipOf({ 'index.html': 'again' }), {
        version: '1.1.0',
        channel: 'production',
      });
      expect(again).toMatchObject({
        status: 409,
        body: { error: { code: 'VERSION_ALREADY_EXISTS', details: { next_version: '1.1.3' } } },
      });

      expect((await unrecall(good)).body.data.build).toMatchObject({ status: 'paused', recalled_at: null });
      expect(await offered('1.1.0')).toMatchObject({ available: true, version: '1.1.1' });
      expect(await offered('1.1.1')).toMatchObject({ available: false });
      expect((await unrecall(bad)).body.data.build).toBeNull();
      expect(await offered('1.1.0')).toMatchObject({ available: false });
      await release('1.1.4');
      expect(await offered('1.1.2')).toMatchObject({ available: true, version: '1.1.4' });
    },
    60_000,
  );

  run(
    'returns devices to the bundle of their native app, or to nothing, and recalls the copies in other channels',
    async () => {
      const staged = await release('1.0.0', 'staging', 'same');
      const { body } = await api().post<{ data: Build }>(`${builds()}/${staged}/promote`, {
        target_channel: 'production',
      });
      const bad = body.data.id;
      const first = (await recall(bad, { reason: 'White screen.', to: 'embedded' })).body.data;
      expect(first).toMatchObject({ republished: null, also_in: [{ id: staged, channel: 'staging' }] });
      expect(await offered('1.0.0')).toMatchObject({ available: false, rollBackToEmbedded: true });
      expect(await offered('0.9.0')).not.toHaveProperty('rollBackToEmbedded');
      expect(await offered('0.9.0', 'staging')).toMatchObject({ available: true });

      const promoted = await api().post<Refusal>(`${builds()}/${staged}/promote`, { target_channel: 'production' });
      expect(promoted).toMatchObject({ status: 409, body: { error: { code: 'BUILD_RECALLED' } } });

      const everywhere = (await recall(bad, { reason: 'White screen.', everywhere: true })).body.data;
      expect(everywhere).toMatchObject({ also_in: [], also_recalled: [{ id: staged, channel: 'staging' }] });
      expect(await offered('0.9.0', 'staging')).toMatchObject({ available: false });
      expect(await offered('1.0.0', 'staging')).toMatchObject({ rollBackToEmbedded: true });

      await recall(bad, { reason: 'White screen.', to: 'none' });
      expect(await offered('1.0.0')).not.toHaveProperty('rollBackToEmbedded');
    },
    60_000,
  );

  run(
    'rejects what can be no recall with what to do, and changes nothing',
    async () => {
      const good = await release('1.0.0');
      const bad = await release('1.1.0');
      const elsewhere = await release('1.0.0', 'staging');
      const unchanged = await build(bad);
      for (const [body, status, code] of [
        [{}, 422, 'reason'],
        [{ reason: ' ' }, 422, 'reason'],
        [{ reason: 'x', to: 'nothing' }, 422, 'to'],
        [{ reason: 'x', to: bad }, 422, 'to'],
        [{ reason: 'x', version: '1.2' }, 422, 'version'],
        [{ reason: 'x', version: '1.0.5' }, 422, 'version'],
        [{ reason: 'x', to: 9_999 }, 404, 'BUILD_NOT_FOUND'],
        [{ reason: 'x', to: elsewhere }, 404, 'BUILD_NOT_FOUND'],
        [{ reason: 'x', version: '1.1.0' }, 409, 'VERSION_ALREADY_EXISTS'],
      ] as const) {
        const refused = await recall(bad, body);
        expect(refused.status).toBe(status);
        expect(refused.body.error?.code ?? Object.keys(refused.body.errors ?? {})).toEqual(
          status === 422 ? [code] : code,
        );
      }
      expect(await recall(good, { reason: 'x' })).toMatchObject({
        status: 409,
        body: { error: { code: 'RECALL_TARGET_MISSING' } },
      });
      expect((await recall(9_999, { reason: 'x' })).status).toBe(404);
      expect(await build(bad)).toEqual(unchanged);
      await recall(bad, { reason: 'x' });
      const resumed = await api().patch<Refusal>(`${builds()}/${bad}`, { status: 'active' });
      expect(resumed).toMatchObject({ status: 409, body: { error: { code: 'BUILD_RECALLED' } } });
    },
    60_000,
  );
});
