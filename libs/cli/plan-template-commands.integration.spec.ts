import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const step = { percentage: 5, hold_minutes: 60, min_devices: 500 };
const template = {
  ...{ name: 'careful', steps: [step, { ...step, percentage: 100 }], windows: [], time_zone: 'UTC', on_fail: 'hold' },
  gates: { failures: { threshold_percent: 2 }, silence: { after_minutes: 1_440, threshold_percent: 50 } },
  updated_at: '2026-01-01T00:00:00Z',
};
const build = {
  ...{ id: 3, version: '1.0.0', channel: 'production', status: 'processing', state: 'live', mandatory: false },
  ...{ rollout_percentage: 5, file_size: 10, checksum: null, signature: null },
};
const answerWith = (data: object) => server.answer(json(200, { data }));

let file: string;

beforeEach(async () => {
  file = join(server.folder, 'plan.json');
  await writeFile(file, JSON.stringify({ steps: template.steps }));
});

describe('plan-template', () => {
  const run = (verb: string, ...args: string[]) => server.run(['plan-template', verb, ...args, '--app', '7']);

  it('sets a template from options or a file', async () => {
    answerWith(template);
    const { code, stdout } = await run(
      'set',
      'careful',
      '--step',
      '5:60:500',
      '--threshold',
      '1.5',
      '--on-fail',
      'halt',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('5%, at least 60 min and 500 devices');
    expect((await run('set', 'careful', '--file', file)).code).toBe(0);
    const path = 'PUT /api/public/v1/apps/7/plan-templates/careful';
    expect(server.received.map(({ line, body }) => [line, JSON.parse(body.toString()) as unknown])).toEqual([
      [path, { steps: [step], gates: { failures: { threshold_percent: 1.5 } }, on_fail: 'halt' }],
      [path, { steps: template.steps }],
    ]);
  });

  it('lists, shows and deletes templates, also as JSON', async () => {
    server.answer(json(200, { data: [template] }));
    expect((await run('list')).stdout).toMatch(/careful +5%, 100% +hold/);
    expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([template]);
    answerWith(template);
    expect((await run('get', 'careful')).stdout).toMatch(/failure threshold +2%/);
    answerWith({ deleted: true, name: 'careful' });
    expect((await run('delete', 'careful', '--yes')).stdout).toMatch(/template +careful/);
    expect(server.received.at(-1)!.line).toBe('DELETE /api/public/v1/apps/7/plan-templates/careful');
  });

  it('reports with exit code 1 why the server rejects it, and with 2 how it is called', async () => {
    const message = 'The template careful is the default rollout of production.';
    server.answer(json(409, { error: { code: 'PLAN_TEMPLATE_IN_USE', message } }));
    const rejected = await run('delete', 'careful', '--yes');
    expect([rejected.code, rejected.stderr]).toEqual([1, expect.stringContaining(message)]);
    expect(await run('set', 'careful')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Pass --step') as string,
    });
    expect((await run('set', 'careful', '--file', file, '--on-fail', 'halt')).code).toBe(2);
  });
});

it('build plan-set takes a template, and nothing else with it', async () => {
  answerWith({ ...template, build_id: 3, status: 'running', step: 1, limit_percent: 2, baseline: null, warnings: [] });
  const run = (...args: string[]) => server.run(['build', 'plan-set', '3', '--app', '7', ...args]);
  await run('--template', 'careful');
  expect(JSON.parse(server.received[0]!.body.toString())).toEqual({ template: 'careful' });
  expect((await run('--template', 'careful', '--step', '5:60:500')).code).toBe(2);
});

describe.each([
  ['upload', (to: string) => ['upload', file, '--version', '1.0.0', '--channel', to]],
  ['promote', (to: string) => ['build', 'promote', '3', '--to', to]],
] as const)('the rollout of a build by %s', (_, words) => {
  /** What is sent, and the line about it. */
  async function rolloutOf(options: readonly string[], defaults: object = {}, channel = 'production') {
    const bodies: string[] = [];
    server.handle((request, response) => {
      void buffer(request).then((body) => {
        bodies.push(body.toString('latin1'));
        const app = { id: 7, ...defaults };
        json(200, { data: request.method === 'GET' ? app : { job_id: 'j', build, ...build } })(response);
      });
    });
    const { code, stderr } = await server.run([...words(channel), '--app', '7', ...options]);
    const body = bodies.at(-1) ?? '';
    const field = (name: string) =>
      new RegExp(`name="${name}"\\r\\n\\r\\n(.*)\\r\\n`).exec(body)?.[1] ??
      (body.startsWith('{') ? (JSON.parse(body) as Record<string, unknown>)[name] : undefined);
    const plan = field('plan');
    const percentage = field('rollout_percentage');
    return {
      ...{ code, note: /^Rollout: .*$/m.exec(stderr)?.[0], requests: bodies.length },
      ...(percentage !== undefined && { percentage: Number(percentage) }),
      ...(plan !== undefined && {
        plan: typeof plan === 'string' && plan.startsWith('{') ? (JSON.parse(plan) as object) : plan,
      }),
    };
  }

  const defaults = { default_rollout: { production: 'careful', staging: 50 } };

  it('is the default of the app for the channel, and says so', async () => {
    const more = 'To use another, add --rollout or --plan.';
    expect(await rolloutOf([], defaults)).toEqual({
      ...{ code: 0, requests: 2, plan: 'careful' },
      note: `Rollout: template careful, the app's default for production. ${more}`,
    });
    expect(await rolloutOf([], defaults, 'staging')).toEqual({
      ...{ code: 0, requests: 2, percentage: 50 },
      note: `Rollout: 50%, the app's default for staging. ${more}`,
    });
  });

  it('is what the server does without a default, or with a server of an earlier release', async () => {
    expect(await rolloutOf([], defaults, 'development')).toEqual({ code: 0, requests: 2 });
    expect(await rolloutOf([])).toEqual({ code: 0, requests: 2 });
  });

  it('is the percentage, the template or the file that the command names', async () => {
    expect(await rolloutOf(['--rollout', '7'], defaults)).toEqual({ code: 0, requests: 1, percentage: 7 });
    expect(await rolloutOf(['--plan', 'fast'], defaults)).toEqual({ code: 0, requests: 1, plan: 'fast' });
    const plan = { steps: template.steps };
    expect(await rolloutOf(['--plan', file], defaults)).toEqual({ code: 0, requests: 1, plan });
  });

  it('is rejected before anything is sent if both are named, or the file holds no plan', async () => {
    expect(await rolloutOf(['--plan', 'fast', '--rollout', '7'])).toMatchObject({ code: 2, requests: 0 });
    await writeFile(file, '{"steps": [');
    expect(await rolloutOf(['--plan', file])).toMatchObject({ code: 1, requests: 0 });
    expect(await rolloutOf(['--plan', './missing.json'])).toMatchObject({ code: 1, requests: 0 });
  });
});

describe('app edit --default-rollout', () => {
  const run = (...values: string[]) =>
    server.run(['app', 'edit', '7', ...values.flatMap((value) => ['--default-rollout', value])]);

  it('sends the channels that it names, and shows what the app has', async () => {
    answerWith({ id: 7, name: 'Shop', default_rollout: { production: 'careful', staging: 50 } });
    const { stdout } = await run('production=careful', 'staging=50', 'development=none');
    expect(JSON.parse(server.received[0]!.body.toString())).toEqual({
      default_rollout: { production: 'careful', staging: 50, development: null },
    });
    expect(stdout).toMatch(/default rollout +production: careful, staging: 50%/);
  });

  it.each(['careful', 'beta=careful', 'production='])('rejects %s', async (value) => {
    expect(await run(value)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('It must be a standard channel and a value') as string,
    });
  });
});
