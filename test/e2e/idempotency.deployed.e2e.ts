import { onEachDeployment, sixServices, type Deployment } from '../support/deployment';
import { call, checkUpdate, management, type Answer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

interface Body {
  readonly data: Record<string, unknown> & { readonly build?: { readonly id: number } };
  readonly error?: { readonly code: string };
}

onEachDeployment('Idempotency-Key on $name', (kind) => {
  let deployment: Deployment;
  let token: string;
  let turn = 0;
  /** Each call goes to the next gateway. */
  const gateway = (): string => deployment.gateways[turn++ % deployment.gateways.length]!;

  const send = (path: string, key: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }) =>
    call<Body>(`${gateway()}/api/public/v1${path}`, {
      method: 'POST',
      ...init,
      headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': key, ...init.headers },
    });
  const post = (path: string, key: string, body: unknown) =>
    send(path, key, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const upload = (key: string, file: Buffer, fields: Record<string, string>) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    form.set('file', new Blob([Uint8Array.from(file)]), 'bundle.zip');
    return send('/apps/com.example.shop/builds', key, { body: form });
  };
  const bundles = async () => (await deployment.objects()).filter((name) => name.endsWith('.zip'));
  const codeOf = ({ status, body }: Answer<Body>) => [status, body.error?.code];

  beforeAll(async () => {
    deployment = await kind.deploy();
    const { stdout } = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: gateway(),
      DATA_DIR: deployment.dataDir,
    });
    ({ token } = JSON.parse(stdout) as { token: string });
    expect((await post('/apps', 'shop', { name: 'Shop', bundle_id: 'com.example.shop' })).status).toBe(201);
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('answers the repeat of a success alike, whatever the order of the members, and makes no second', async () => {
    const first = await post('/apps', 'one', { name: 'One', platform: 'ios' });
    const again = await post('/apps', 'one', { platform: 'ios', name: 'One' });
    expect([again.status, again.body]).toEqual([201, first.body]);
    const { body } = await management(gateway(), token).get<{ data: { name: string }[] }>('/apps');
    expect(body.data.filter(({ name }) => name === 'One')).toHaveLength(1);
  });

  it('rejects another body under the same key, which stays refused, and not under another', async () => {
    expect((await post('/apps', 'two', { name: 'Two' })).status).toBe(201);
    expect(codeOf(await post('/apps', 'two', { name: 'Three' }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(codeOf(await post('/apps', 'two', { name: 'Three' }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect((await post('/apps', 'two', { name: 'Two' })).status).toBe(201);
    expect((await post('/apps', 'three', { name: 'Three' })).status).toBe(201);
  });

  it('decides a rejected request again', async () => {
    const taken = { name: 'Late', bundle_id: 'com.example.shop' };
    expect(codeOf(await post('/apps', 'late', taken))).toEqual([409, 'BUNDLE_ID_TAKEN']);
    expect((await post('/apps', 'late', { name: 'Late', bundle_id: 'com.example.late' })).status).toBe(201);
    expect((await post('/apps', 'two words', { name: 'Never' })).status).toBe(422);
  });

  it('runs parallel requests under one key once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post('/apps', 'parallel', { name: 'Parallel' })));
    for (const answer of answers) {
      expect([201, 409]).toContain(answer.status);
      if (answer.status === 409) expect(codeOf(answer)).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS']);
    }
    const ids = new Set(answers.filter(({ status }) => status === 201).map(({ body }) => body.data['id']));
    expect(ids.size).toBe(1);
    const { body } = await management(gateway(), token).get<{ data: { name: string }[] }>('/apps?per_page=50');
    expect(body.data.filter(({ name }) => name === 'Parallel')).toHaveLength(1);
  });

  it('shows the plaintext of a key again', async () => {
    const first = await post('/apps/com.example.shop/api-keys', 'key', { name: 'installs' });
    const again = await post('/apps/com.example.shop/api-keys', 'key', { name: 'installs' });
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  it('keeps one build and one object of an upload and its repeats, and promotes it once', async () => {
    const zip = await zipOf({ 'index.html': '<h1>Shop</h1>' });
    const fields = { version: '1.0.0', channel: 'staging' };
    const first = await upload('upload', zip, fields);
    expect(first.status).toBe(202);
    const again = await upload('upload', zip, fields);
    expect(again.status).toBe(202);
    expect(again.body.data['job_id']).toBe(first.body.data['job_id']);
    expect(again.body.data.build?.id).toBe(first.body.data.build?.id);
    expect(await bundles()).toHaveLength(1);

    const other = await zipOf({ 'index.html': '<h1>Other</h1>' });
    expect(codeOf(await upload('upload', other, fields))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    const elsewhere = await upload('upload', zip, { ...fields, channel: 'production' });
    expect(codeOf(elsewhere)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await bundles()).toHaveLength(1);

    const id = first.body.data.build!.id;
    for (let wait = 0; wait < 200; wait += 1) {
      const { body } = await management(gateway(), token).get(`/apps/com.example.shop/builds/${id}`);
      if (body.data['status'] === 'active') break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const promote = () => post(`/apps/com.example.shop/builds/${id}/promote`, 'up', { target_channel: 'production' });
    const promoted = await promote();
    expect(promoted.status).toBe(201);
    expect(await promote()).toMatchObject({ status: 201, body: { data: { id: promoted.body.data['id'] } } });
  }, 60_000);

  it('knows what happened after every process has died', async () => {
    const before = await post('/apps', 'crash', { name: 'Crash' });
    await Promise.all(deployment.processes.map((process) => process.stop('SIGKILL')));
    await deployment.start();
    const after = await post('/apps', 'crash', { name: 'Crash' });
    expect([after.status, after.body.data['id']]).toEqual([201, before.body.data['id']]);
    expect(codeOf(await post('/apps', 'crash', { name: 'Other' }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  }, 120_000);

  // In one process no other replica could delay the response, or check whether the effect is there.
  if (kind === sixServices) {
    it('has one effect, with the same ids, when everybody dies between the effect and its answer', async () => {
      /** Answers the ids of the keys that it made, or undefined when the answer came before anybody could be killed. */
      const cutOff = async (name: string): Promise<{ path: string; ids: number[] } | undefined> => {
        const app = (await post('/apps', name, { name })).body.data['id'] as number;
        const path = `/apps/${app}/api-keys`;
        // The answer to a new key waits for the device processes, which answer from memory.
        const devices = deployment.processes.filter(({ name: service }) => service === 'device-updates');
        for (const { child } of devices) child.kill('SIGSTOP');
        const seen: { answered?: number } = {};
        const sent = call(`${deployment.gateways[0]!}/api/public/v1${path}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': name, 'Content-Type': 'application/json' },
          body: JSON.stringify({ name: 'installs' }),
        }).then(
          ({ status }) => (seen.answered = status),
          () => undefined,
        );
        let ids: number[] = [];
        while (ids.length === 0 && (seen.answered ?? 201) === 201) ids = await listed(path);
        if (seen.answered !== undefined) {
          for (const { child } of devices) child.kill('SIGCONT');
          expect(seen.answered).toBe(201);
          return undefined;
        }
        await Promise.all(deployment.processes.map((process) => process.stop('SIGKILL')));
        await sent;
        await deployment.start();
        return { path, ids };
      };
      const listed = async (path: string): Promise<number[]> => {
        const { body } = await management(deployment.gateways[1]!, token).get<{ data: { id: number }[] }>(path);
        return body.data.map(({ id }) => id);
      };
      let name = '';
      let cut: { path: string; ids: number[] } | undefined;
      for (let attempt = 1; cut === undefined; attempt += 1) {
        name = `cut-${attempt}`;
        cut = await cutOff(name);
      }
      const { path, ids } = cut;
      let again = await post(path, name, { name: 'installs' });
      while (codeOf(again)[1] === 'IDEMPOTENCY_IN_PROGRESS') {
        await new Promise((resolve) => setTimeout(resolve, 500));
        again = await post(path, name, { name: 'installs' });
      }
      expect({ status: again.status, ids: [again.body.data['id']] }).toEqual({ status: 201, ids });
      expect(await listed(path)).toEqual(ids);
      const check = await checkUpdate(deployment.devices[0]!, again.body.data['plaintext_key'] as string, 'd', '1.0.0');
      expect(check.status).toBe(200);
    }, 180_000);
  }
});
