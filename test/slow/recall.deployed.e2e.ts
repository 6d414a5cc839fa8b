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
  readonly errors?: Readonly<Record<string, readonly string[]>>;
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

  const release = async (version: string, channel = 'production', content = version): Promise<number> =>
    upload(version, await zipOf({ 'index.html': `<h1>${content}</h1>` }), 'completed', channel);
  const upload = (version: string, bundle: Buffer, outcome: string, channel = 'production'): Promise<number> =>
    api().release(builds(), bundle, { version, channel }, outcome);
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
  const newApp = async () => {
    app = `com.example.shop${(apps += 1)}`;
    await command('app', 'create', '--name', 'Shop', '--bundle-id', app);
    const { stdout } = await command('key', 'create', '--app', app, '--name', 'app');
    key = (JSON.parse(stdout) as { plaintext_key: string }).plaintext_key;
  };
  beforeEach(async () => {
    if (kind.available) await newApp();
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
      const oldest = await release('0.9.0');
      const good = await release('1.0.0');
      const bad = await release('1.1.0');
      const worse = await release('1.2.0');
      const elsewhere = await release('1.0.0', 'staging');
      const broken = await upload('1.3.0', Buffer.from('PK\u0003\u0004, and no archive'), 'failed');
      await recall(oldest, { reason: 'Old.', to: 'none' });
      const republished = (await recall(worse, { reason: 'Worse.', to: good })).body.data.republished!.id;
      const [own, ownKey] = [app, key];
      await newApp();
      const foreign = await release('1.0.0');
      [app, key] = [own, ownKey];

      /** All that clients of either plane see of the app. */
      const seen = async () => {
        const history = await api().get<{ data: object[]; meta: object }>(`/apps/${app}/history?per_page=100`);
        const list = await api().get<{ data: object[] }>(`${builds()}?per_page=100`);
        const answers = await Promise.all(['0.9.0', '1.0.0', '1.1.0', '1.2.0', '1.2.1'].map((each) => offered(each)));
        const offers = answers.map(({ version, mandatory }) => [version, mandatory]);
        return { history: history.body.data, total: history.body.meta, builds: list.body.data, offers };
      };
      const before = await seen();
      const reason = 'x';
      for (const [id, body, status, code, says] of [
        [bad, {}, 422, 'reason', 'A reason is required'],
        [bad, { everywhere: true }, 422, 'reason', 'A reason is required'],
        [bad, { reason: ' ' }, 422, 'reason', 'Say what is wrong with the build'],
        [bad, { reason: 'x'.repeat(501) }, 422, 'reason', 'at most 500 characters'],
        [bad, { reason: 7 }, 422, 'reason', 'text of 1 to 500 characters'],
        [bad, { reason, everywhere: 'yes' }, 422, 'everywhere', 'true or false'],
        [bad, { reason, to: 'nothing' }, 422, 'to', 'the text "embedded" or "none"'],
        [bad, { reason, to: 1.5 }, 422, 'to', 'the text "embedded" or "none"'],
        [bad, { reason, to: bad }, 422, 'to', 'Name another one'],
        [bad, { reason, to: 9_999 }, 404, 'BUILD_NOT_FOUND', 'Choose a build of production'],
        [bad, { reason, to: elsewhere }, 404, 'BUILD_NOT_FOUND', 'Choose a build of production'],
        [bad, { reason, to: foreign }, 404, 'BUILD_NOT_FOUND', 'Choose a build of production'],
        [bad, { reason, to: oldest }, 409, 'BUILD_RECALLED', 'Choose another target'],
        [bad, { reason, to: republished }, 409, 'BUILD_REPUBLISHED', `recall build ${good}`],
        [bad, { reason, to: broken }, 422, 'BUILD_NOT_READY', 'Choose a build that was active once'],
        [bad, { reason, version: '1.2' }, 422, 'version', 'for example 1.4.0'],
        [bad, { reason, version: '1.0.5' }, 422, 'version', 'take at least 1.2.2'],
        [bad, { reason, version: '1.2.1' }, 409, 'VERSION_ALREADY_EXISTS', 'The next free version is 1.2.2'],
        [bad, { reason, version: '9.0.0', to: 'none' }, 422, 'version', 'Leave it out'],
        [good, { reason }, 409, 'RECALL_TARGET_MISSING', 'Set "to"'],
        [republished, { reason }, 409, 'BUILD_REPUBLISHED', `recall build ${good}`],
        [broken, { reason }, 422, 'BUILD_NOT_READY', 'nothing to recall'],
        [foreign, { reason }, 404, 'BUILD_NOT_FOUND', `There is no build ${foreign}`],
        [9_999, { reason }, 404, 'BUILD_NOT_FOUND', 'There is no build 9999'],
      ] as const) {
        const refused = await recall(id, body);
        const { error, errors = {} } = refused.body;
        const told = { status: refused.status, code: error?.code ?? Object.keys(errors).join() };
        expect({ body, ...told }).toEqual({ body, status, code });
        expect(error?.message ?? Object.values(errors).flat().join()).toContain(says);
      }
      expect((await unrecall(9_999)).status).toBe(404);
      for (const status of ['active', 'archived']) {
        const resumed = await api().patch<Refusal>(`${builds()}/${worse}`, { status });
        expect(resumed).toMatchObject({ status: 409, body: { error: { code: 'BUILD_RECALLED' } } });
      }
      expect(await seen()).toEqual(before);

      // What is in force already is no fault, and nothing new.
      expect((await recall(worse, { reason: 'Once more.', everywhere: false })).status).toBe(200);
      expect((await unrecall(bad)).status).toBe(200);
      expect(await seen()).toEqual(before);
    },
    120_000,
  );
});
