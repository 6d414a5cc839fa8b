import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { App, Plan, ReplyOf, setPlan } from '@sluice/contracts';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { Webhook } from 'standardwebhooks';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { MovedClock } from '../support/moved-clock';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

interface Refusal {
  readonly error?: { readonly code: string; readonly message: string; readonly details?: object };
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}
interface Entry {
  readonly at: string;
  readonly type: string;
  readonly actor: string;
  readonly before: object | null;
  readonly after: object | null;
}
interface Build {
  readonly id: number;
  readonly status: string;
  readonly rollout_percentage: number;
  readonly rollout_enabled: boolean;
  readonly recall_reason: string | null;
}

onEachDeployment('rollout plans, $name', (kind) => {
  const run = kind.available ? it : it.skip;
  const clock = new MovedClock();
  let deployment: Deployment;
  let token: string;
  let app = '';
  let key: string;

  const api = () => management(deployment.gateways[0]!, token);
  const builds = () => `/apps/${app}/builds`;
  const planOf = (id: number) => `${builds()}/${id}/plan`;
  const command = (...args: string[]) =>
    sluice([...args, '--json'], { SLUICE_SERVER: deployment.gateways[0]!, SLUICE_TOKEN: token });

  async function release(version: string): Promise<number> {
    const bundle = await zipOf({ 'index.html': `<h1>${version}</h1>` });
    return api().release(builds(), bundle, { version, channel: 'production' });
  }
  const set = (id: number, body: object) => api().put<{ data: Plan } & Refusal>(planOf(id), body);
  const plan = async (id: number) => (await api().get<{ data: Plan }>(planOf(id))).body.data;
  const build = async (id: number) => (await api().get<{ data: Build }>(`${builds()}/${id}`)).body.data;
  const post = (id: number, verb: string) => api().post<{ data: Plan } & Refusal>(`${planOf(id)}/${verb}`);

  /** As the check of a device that is offered the version shows it. */
  async function bundleOf(version: string): Promise<string> {
    let devices = 0;
    return eventually(async () => {
      const device = `device-${(devices += 1)}`;
      const { body } = await checkUpdate(deployment.devices[0]!, key, device, '0.0.1');
      return body.version === version ? body.bundleId : undefined;
    });
  }
  /** Of so many devices, by default each at an address of its own. */
  async function report(bundle: string, status: string, devices: number, addressOf = (device: number) => device) {
    for (let device = 0; device < devices; device += 1) {
      const response = await fetch(`${deployment.devices[0]}/api/v1/analytics/install`, {
        method: 'POST',
        headers: {
          ...{ 'Content-Type': 'application/json', 'X-API-Key': key, 'X-Device-ID': `${status}-${device}` },
          'X-Forwarded-For': `10.${addressOf(device) >> 8}.${addressOf(device) & 255}.1`,
        },
        body: JSON.stringify({ bundle_id: bundle, status }),
      });
      expect(response.status).toBe(200);
    }
  }

  beforeAll(async () => {
    if (!kind.available) return;
    deployment = await kind.deploy({
      ...clock.env,
      ...{ TRUSTED_PROXIES: '127.0.0.1/32', LIMIT_ADDRESS_PER_MINUTE: '100000', LIMIT_REQUESTS_PER_MINUTE: '10000' },
      ...{ LIMIT_UPLOADS_PER_HOUR: '1000', WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'on' },
    });
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
    app = `com.example.plan${(apps += 1)}`;
    await command('app', 'create', '--name', 'Shop', '--bundle-id', app);
    const { stdout } = await command('key', 'create', '--app', app, '--name', 'app');
    key = (JSON.parse(stdout) as { plaintext_key: string }).plaintext_key;
  });

  afterAll(async () => {
    if (kind.available) await deployment.destroy();
  }, 60_000);

  run(
    'advances by evidence from the first step to the last',
    async () => {
      const id = await release('1.0.0');
      const step = { hold_minutes: 0, min_devices: 20 };
      const { status, body } = await set(id, { steps: [50, 100].map((percentage) => ({ percentage, ...step })) });
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        status: 'running',
        step: 1,
        limit_percent: 2,
        baseline: null,
        on_fail: 'hold',
      });
      expect(body.data.warnings).toEqual([expect.stringContaining('steps 1 and 2 (20) are too few')]);
      expect(await build(id)).toMatchObject({ rollout_percentage: 50, rollout_enabled: true });
      await report(await bundleOf('1.0.0'), 'complete', 21);
      expect((await plan(id)).now).toMatchObject({ finished: 21, failed: 0, left_out: 0 });
      clock.advance(60_000);
      await eventually(async () => (await plan(id)).step === 2);
      await eventually(async () => (await build(id)).rollout_percentage === 100);
      expect((await plan(id)).judged).toMatchObject({ verdict: 'pass', step: 1, finished: 21 });

      const waiting = command('build', 'plan', `${id}`, '--app', app, '--wait');
      expect((await post(id, 'skip')).body.data).toMatchObject({ status: 'completed' });
      expect(await waiting).toMatchObject({ code: 0 });

      const path = `${builds()}/${id}`;
      const { data } = await eventually(async () => {
        const { body } = await api().get<{ data: Entry[] }>(`${path}/history`);
        return body.data.some(({ type }) => type === 'PlanCompleted') && body;
      });
      const [person, runner] = [expect.stringMatching(/^token:/) as string, 'system:rollout-plan'];
      const steps = (before: number | null, after: number) => [{ plan_step: before }, { plan_step: after }];
      expect(data.slice(0, -2).map(({ type, actor, before, after }) => [type, actor, before, after])).toMatchObject([
        ['PlanCompleted', person, { plan_status: 'running' }, { plan_status: 'completed' }],
        ['StepSkipped', person, null, null],
        ['RolloutChanged', runner, { rollout_percentage: 50 }, { rollout_percentage: 100 }],
        ['StepEntered', runner, ...steps(1, 2)],
        ['GateJudged', runner, null, null],
        ['StepDue', runner, null, null],
        ['RolloutChanged', person, { rollout_percentage: 100 }, { rollout_percentage: 50 }],
        ['StepEntered', person, ...steps(0, 1)],
        ['PlanSet', person, null, { plan_status: 'running' }],
      ]);
      // The events of plans leave the build as of a time alone.
      const once = await api().get(`${path}?as_of=${encodeURIComponent(data[0]!.at)}`);
      expect(once.body).toEqual((await api().get(path)).body);
    },
    180_000,
  );

  run('stops a build that fails, and not by the reports of one address', async () => {
    await release('1.0.0');
    const id = await release('1.1.0');
    const steps = [{ percentage: 50, hold_minutes: 60, min_devices: 100 }];
    await set(id, { steps, on_fail: 'recall' });
    const bundle = await bundleOf('1.1.0');
    await report(bundle, 'failed', 100, () => 1);
    await report(bundle, 'complete', 100, () => 2);
    expect(await plan(id)).toMatchObject({ status: 'running', now: { finished: 6, failed: 3, left_out: 194 } });

    await report(bundle, 'rollback', 30, (device) => 100 + device);
    await eventually(async () => (await plan(id)).status === 'failed');
    expect((await plan(id)).judged).toMatchObject({ verdict: 'fail', step: 1 });
    await eventually(async () => (await build(id)).status === 'paused');
    expect((await build(id)).recall_reason).toMatch(/devices failed \(.*\); the limit is 2%/);
    const { code, stdout } = await command('build', 'plan', `${id}`, '--app', app, '--wait');
    expect([code, (JSON.parse(stdout) as Plan).because]).toEqual([1, 'failed']);
  });

  run('asks a webhook gate, whose fail halts the build, and replaces its secret', async () => {
    const received = new Map<string, { headers: Record<string, string>; body: string }>();
    const gate = createServer((request, response) => {
      void text(request).then((body) => {
        const headers = request.headers as Record<string, string>;
        received.set(headers['webhook-id']!, { headers, body });
        response.end(JSON.stringify({ verdict: 'fail', reason: '12 new crashes.' }));
      });
    }).listen(0, '127.0.0.1');
    await once(gate, 'listening');
    try {
      const id = await release('1.0.0');
      const steps = [{ percentage: 50, hold_minutes: 60, min_devices: 0 }];
      const webhook = { url: `http://127.0.0.1:${(gate.address() as AddressInfo).port}/` };
      const refused = await set(id, { steps, gates: { webhook: { url: 'http://gate.example.com/' } } });
      expect(refused).toMatchObject({ status: 422, body: { errors: { 'gates.webhook.url': [expect.any(String)] } } });
      const { body } = await set(id, { steps, gates: { webhook }, on_fail: 'halt' });
      const { gate_secret: secret = '' } = body.data as ReplyOf<typeof setPlan>;

      await eventually(async () => (await plan(id)).status === 'failed');
      await eventually(async () => !(await build(id)).rollout_enabled);
      const shown = await plan(id);
      expect(shown.webhook_answer).toMatchObject({ verdict: 'fail', reason: '12 new crashes.' });
      expect(shown).not.toHaveProperty('gate_secret');
      const [sent] = received.values();
      const data = new Webhook(secret).verify(sent!.body, sent!.headers);
      expect(data).toMatchObject({ build: id, version: '1.0.0', channel: 'production', step: 1, percentage: 50 });
      expect(received.size).toBe(1);

      const { stdout } = await command('app', 'gate-secret', app);
      expect(JSON.parse(stdout)).toEqual({ gate_secret: expect.stringMatching(/^whsec_/) as string });
      expect(stdout).not.toContain(secret);
    } finally {
      gate.close();
    }
  });

  run('is held, resumed, skipped and deleted by a person, and ends by a change of the build', async () => {
    const id = await release('1.0.0');
    const steps = [5, 25, 50, 100].map((percentage) => ({ percentage, hold_minutes: 60, min_devices: 0 }));
    await set(id, { steps });
    expect((await post(id, 'hold')).body.data).toMatchObject({ status: 'held', because: 'manual' });
    const { code } = await command('build', 'plan', `${id}`, '--app', app, '--wait');
    expect(code).toBe(3);
    expect((await post(id, 'resume')).body.data).toMatchObject({ status: 'running', step: 1 });
    expect((await post(id, 'skip')).body.data).toMatchObject({ status: 'running', step: 2 });
    expect(await build(id)).toMatchObject({ rollout_percentage: 25 });
    expect((await set(id, { steps })).body.error).toMatchObject({ code: 'PLAN_RUNNING' });
    expect((await api().delete<{ data: Plan }>(planOf(id))).body.data).toMatchObject({
      status: 'aborted',
      because: 'deleted',
    });
    expect(await build(id)).toMatchObject({ rollout_percentage: 25 });
    expect(await post(id, 'hold')).toMatchObject({ status: 409, body: { error: { code: 'PLAN_NOT_RUNNING' } } });

    for (const [path, body] of [
      ['/rollout', { rollout_percentage: 10 }],
      ['/rollout', { enabled: false }],
      ['', { status: 'paused' }],
    ] as const) {
      expect((await set(id, { steps })).status).toBe(200);
      expect((await api().patch(builds() + `/${id}${path}`, body)).status).toBe(200);
      expect(await plan(id)).toMatchObject({ status: 'aborted', because: 'changed' });
    }
  });

  run('lets a person change the steps that are left, unless the plan has changed since they read it', async () => {
    const id = await release('1.0.0');
    const steps = [5, 25, 100].map((percentage) => ({ percentage, hold_minutes: 60, min_devices: 0 }));
    await set(id, { steps });
    const read = await api().get<{ data: Plan }>(planOf(id));
    const tag = read.headers.get('etag') ?? '';
    expect(tag).toBe(`"${read.body.data.revision}"`);
    const change = (to: object, ifMatch: string) =>
      call<{ data: Plan } & Refusal>(`${deployment.gateways[0]}/api/public/v1${planOf(id)}`, {
        method: 'PATCH',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'If-Match': ifMatch },
        body: JSON.stringify({ steps: to }),
      });
    const [first] = steps;
    const wanted = [
      { ...first, hold_minutes: 90 },
      { percentage: 40, hold_minutes: 30, min_devices: 5 },
    ];
    const changed = await change(wanted, tag);
    expect(changed).toMatchObject({ status: 200, body: { data: { status: 'running', step: 1, steps: wanted } } });
    expect(await change(steps, tag)).toMatchObject({ status: 412, body: { error: { code: 'PLAN_CHANGED' } } });
    const other = await change(steps.slice(1), changed.headers.get('etag') ?? '');
    expect([other.status, other.body.errors]).toEqual([
      422,
      { steps: [expect.stringContaining('keep its percentage')] },
    ]);
    expect(await change(steps, 'W/"1"')).toMatchObject({ status: 422 });
    expect((await post(id, 'skip')).body.data).toMatchObject({ step: 2 });
    expect(await build(id)).toMatchObject({ rollout_percentage: 40 });
    expect((await post(id, 'skip')).body.data).toMatchObject({ status: 'completed' });
    expect(await change(wanted, '*')).toMatchObject({ status: 409, body: { error: { code: 'PLAN_NOT_RUNNING' } } });
  });

  run('rejects what can be no plan, with what to do, and changes nothing', async () => {
    const id = await release('1.0.0');
    const step = (percentage: number) => ({ percentage, hold_minutes: 0, min_devices: 0 });
    const steps = [step(5), step(100)];
    const rejected: readonly (readonly [object, string, RegExp])[] = [
      [{}, 'steps', /A plan needs steps/],
      [{ steps: [] }, 'steps', /at least one step/],
      [{ steps: [step(25), step(25)] }, 'steps', /must rise/],
      [{ steps: [step(0)] }, 'steps.0.percentage', /from 1 to 100/],
      [{ steps, windows: [{ days: ['mon'], from: '17:00', to: '09:00' }] }, 'windows.0.to', /never opens/],
      [{ steps, windows: [{ days: [], from: '09:00', to: '17:00' }] }, 'windows.0.days', /never opens/],
      [{ steps, time_zone: 'Mars/Olympus' }, 'time_zone', /Europe\/Berlin/],
      [{ steps, on_fail: 'pray' }, 'on_fail', /hold, halt or recall/],
      [{ steps, gates: { failures: { threshold_percent: 0 } } }, 'gates.failures.threshold_percent', /from 0.1 to 90/],
    ];
    for (const [body, field, message] of rejected) {
      const answer = await set(id, body);
      expect(answer.status).toBe(422);
      expect(answer.body.errors?.[field]?.[0]).toMatch(message);
    }
    expect((await api().get<Refusal>(planOf(id))).body.error).toMatchObject({ code: 'PLAN_NOT_FOUND' });
    expect(await build(id)).toMatchObject({ rollout_percentage: 100 });
    await api().patch(`${builds()}/${id}`, { status: 'paused' });
    expect(await set(id, { steps })).toMatchObject({ status: 422, body: { error: { code: 'BUILD_NOT_READY' } } });
    expect((await set(id + 1_000, { steps })).status).toBe(404);
  });

  run('come with an upload, a promotion and the default of a channel, from a template', async () => {
    const templates = `/apps/${app}/plan-templates`;
    const steps = [5, 100].map((percentage) => ({ percentage, hold_minutes: 60, min_devices: 0 }));
    const file = join(temporaryDirectory(), 'careful.json');
    await writeFile(file, JSON.stringify({ steps, on_fail: 'halt' }));
    expect((await command('plan-template', 'set', 'careful', '--app', app, '--file', file)).code).toBe(0);
    const edited = await command(
      ...['app', 'edit', app, '--default-rollout', 'production=careful', '--default-rollout', 'staging=50'],
    );
    expect((JSON.parse(edited.stdout) as App).default_rollout).toEqual({ production: 'careful', staging: 50 });

    const bundle = join(temporaryDirectory(), 'bundle.zip');
    await writeFile(bundle, await zipOf({ 'index.html': '<h1>1</h1>' }));
    const sent = ['upload', bundle, '--app', app, '--version', '1.0.0', '--channel', 'production', '--wait'];
    const uploaded = await sluice(sent, { SLUICE_SERVER: deployment.gateways[0]!, SLUICE_TOKEN: token });
    expect(uploaded.stderr).toContain(
      "Rollout: template careful, the app's default for production. To use another, add --rollout or --plan.",
    );
    const [{ id }] = (await api().get<{ data: [Build] }>(builds())).body.data;
    expect(await build(id)).toMatchObject({ status: 'active', rollout_percentage: 5, rollout_enabled: true });
    expect(await plan(id)).toMatchObject({ status: 'running', step: 1, template: 'careful', on_fail: 'halt', steps });

    const promote = (body: object) => api().post<{ data: Build } & Refusal>(`${builds()}/${id}/promote`, body);
    const waiting = { template: 'careful', start_at: '2100-01-01T00:00:00.000Z' };
    const promoted = await promote({ target_channel: 'staging', plan: waiting });
    expect(promoted).toMatchObject({ status: 201, body: { data: { status: 'active', rollout_percentage: 0 } } });
    expect(await plan(promoted.body.data.id)).toMatchObject({ status: 'running', step: null, ...waiting });

    const rejected: readonly (readonly [Promise<{ status: number; body: Refusal }>, number, object | RegExp])[] = [
      [promote({ target_channel: 'development', plan: 'unknown' }), 404, { templates: ['careful'] }],
      [promote({ target_channel: 'development', plan: 'careful', rollout_percentage: 5 }), 422, /not both/],
      [promote({ target_channel: 'development', plan: { template: 'careful', steps } }), 422, /not both/],
      [promote({ target_channel: 'development', plan: { steps: [] } }), 422, /at least one step/],
      [promote({ target_channel: 'development', plan: 5 }), 422, /JSON object, or the name of a plan template/],
      [set(id, { template: 'unknown' }), 404, { templates: ['careful'] }],
      [set(id, { template: 'careful', on_fail: 'hold' }), 422, /not both/],
      ...[
        [{ plan: 'unknown' }, 404, { templates: ['careful'] }] as const,
        [{ plan: '{"steps": [' }, 422, /JSON object, or the name of a plan template/] as const,
        [{ plan: JSON.stringify({ steps: [...steps, ...steps] }) }, 422, /must rise/] as const,
        [{ plan: 'careful', rollout_percentage: '5' }, 422, /not both/] as const,
      ].map(([fields, ...expected]) => {
        const form = { version: '2.0.0', channel: 'production', ...fields };
        return [api().upload<Refusal>(builds(), Buffer.from('PK\u0003\u0004'), form), ...expected] as const;
      }),
      [api().put<Refusal>(`${templates}/Careful`, { steps }), 422, /lower-case letters/],
      [api().put<Refusal>(`${templates}/fast`, { steps, start_at: waiting.start_at }), 422, /can't contain start_at/],
      [api().get<Refusal>(`${templates}/fast`), 404, { templates: ['careful'] }],
      [api().delete<Refusal>(`${templates}/fast`), 404, { templates: ['careful'] }],
      [api().delete<Refusal>(`${templates}/careful`), 409, { channels: ['production'] }],
      [api().patch<Refusal>(`/apps/${app}`, { default_rollout: { staging: 'fast' } }), 404, { templates: ['careful'] }],
      [api().patch<Refusal>(`/apps/${app}`, { default_rollout: { staging: 0 } }), 422, /from 1 to 100/],
      [api().patch<Refusal>(`/apps/${app}`, { default_rollout: { beta: 5 } }), 422, /production, staging and develop/],
    ];
    for (const [answer, status, what] of rejected) {
      const { status: got, body } = await answer;
      expect({ got, body }).toMatchObject({ got: status });
      if (what instanceof RegExp)
        expect(
          Object.values(body.errors ?? {})
            .flat()
            .join(' '),
        ).toMatch(what);
      else expect(body.error).toMatchObject({ details: what });
    }
    expect((await api().get<{ data: Build[] }>(builds())).body.data).toHaveLength(2);

    for (let count = 1; count < 20; count += 1) {
      expect((await api().put(`${templates}/t${count}`, { steps })).status).toBe(200);
    }
    const beyond = await api().put<Refusal>(`${templates}/t20`, { steps });
    expect(beyond).toMatchObject({ status: 422, body: { error: { code: 'PLAN_TEMPLATE_LIMIT_REACHED' } } });
    expect((await api().get<{ data: unknown[] }>(`${templates}?per_page=50`)).body.data).toHaveLength(20);

    await command('app', 'edit', app, '--default-rollout', 'production=none');
    expect((await command('plan-template', 'delete', 'careful', '--app', app, '--yes')).code).toBe(0);
    expect(await plan(id)).toMatchObject({ status: 'running', template: 'careful', steps });
    const { body } = await api().get<{ data: { type: string; before: object; after: object }[] }>(
      `/apps/${app}/history`,
    );
    expect(body.data).toContainEqual(
      expect.objectContaining({ type: 'PlanTemplateDeleted', after: null, before: expect.any(Object) as object }),
    );
  });
});
