import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Plan } from '@sluice/contracts';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const evidence = { finished: 300, failed: 6, left_out: 0, failed_percent: 2, at_least_percent: 0.7 };
const running: Plan = {
  ...{ revision: 2, entered: [] },
  ...{ build_id: 7, version: '1.1.0', channel: 'production', status: 'running', because: null, step: 2 },
  message: 'Step 2 of 3, at 25% of the devices.',
  steps: [5, 25, 100].map((percentage) => ({ percentage, hold_minutes: 60, min_devices: 500 })),
  gates: {
    ...{ failures: { threshold_percent: 2 }, silence: { after_minutes: 1_440, threshold_percent: 50 } },
    webhook: null,
  },
  ...{ webhook_answer: null, template: 'careful' },
  ...{ windows: [], time_zone: 'UTC', start_at: null, on_fail: 'hold', hold_until: '2026-01-01T01:00:00.000Z' },
  ...{ limit_percent: 2, baseline: null, judged: null, now: evidence, warnings: [] },
  ...{ change: null, next_step_at: '2026-01-01T01:00:00.000Z' },
  ...{ set_at: '2026-01-01T00:00:00.000Z', ended_at: null },
};
const held: Plan = { ...running, status: 'held', because: 'inconclusive', message: 'Held at 25%.', hold_until: null };
const completed: Plan = { ...running, status: 'completed', step: 3, message: 'Completed at 100%.', hold_until: null };
const PATH = '/api/public/v1/apps/1/builds/7/plan';

const run = (...args: string[]) => server.run(['build', ...args, '7', '--app', '1']);
const answer = (...plans: readonly (Plan & { gate_secret?: string })[]) =>
  server.answer(...plans.map((data) => json(200, { data })));
const sent = () => server.received.map(({ line }) => line);
const body = () => JSON.parse(server.received[0]!.body.toString()) as unknown;

describe('build plan', () => {
  it('draws the steps and how many devices have finished', async () => {
    answer(running);
    const { code, stdout } = await run('plan');
    expect([code, sent()]).toEqual([0, [`GET ${PATH}`]]);
    expect(stdout).toMatch(/step 1 +✓ █░{19} 5%, at least 60 min and 500 devices\n/);
    expect(stdout).toMatch(/step 2 +→ █{5}░{15} 25%, at least 60 min and 500 devices\n/);
    expect(stdout).toMatch(/step 3 +█{20} 100%, at least 60 min and 500 devices\n/);
    expect(stdout).toMatch(/devices +█{12}░{8} 300 finished, 6 failed \(2%\)\n/);
    expect(stdout).toMatch(/certainly above +0\.7%\nlimit +2%\non failure +hold\nstep lasts until +2026-01-01T01/);
    expect(stdout).not.toMatch(/left out|last verdict|warning/);
  });

  it('shows what is left out, the last verdict, the baseline and warnings', async () => {
    const judged = {
      ...{ ...evidence, left_out: 40, downloaded: 400, silent: 3 },
      ...{
        verdict: 'inconclusive' as const,
        step: 2,
        at: '2026-01-01T02:00:00.000Z',
        reasons: ['300 of 500 devices.'],
      },
    };
    const baseline = { build_id: 3, finished: 2_000, failed: 60 };
    answer({ ...held, now: null, judged, baseline, limit_percent: 4.5, warnings: ['Too few devices.'] });
    const { code, stdout } = await run('plan');
    expect(code).toBe(0);
    expect(stdout).toMatch(/plan +held\nstate +Held at 25%\.\n/);
    expect(stdout).toMatch(/left out +40 of addresses with too many devices\n/);
    expect(stdout).toMatch(/limit +4\.5%, from build 3\n/);
    expect(stdout).toMatch(
      /last verdict +inconclusive in step 2 at 2026-01-01T02:00:00\.000Z\nwarning +Too few devices\.\n/,
    );
  });

  it('shows the webhook gate, its last answer, and a secret that was made for it', async () => {
    const gates = { ...running.gates, webhook: { url: 'https://gate.example.com/' } };
    const at = '2026-01-01T02:00:00.000Z';
    const waits = { verdict: 'wait' as const, reason: 'Not yet.', at };
    const answers = [null, waits, { ...waits, reason: null }];
    answer(...answers.map((webhook_answer) => ({ ...running, gates, webhook_answer })));
    expect((await run('plan')).stdout).toMatch(/webhook gate +https:\/\/gate\.example\.com\/\n/);
    expect((await run('plan')).stdout).toMatch(/webhook gate +wait: Not yet\. \(2026-01-01T02:00:00\.000Z\)\n/);
    expect((await run('plan')).stdout).toMatch(/webhook gate +wait \(2026-01-01T02:00:00\.000Z\)\n/);
    answer({ ...running, gates, gate_secret: 'whsec_abc' });
    const file = join(server.folder, 'plan.json');
    await writeFile(file, JSON.stringify({ steps: running.steps, gates }));
    const { stdout } = await run('plan-set', '--file', file);
    expect(stdout).toMatch(/gate secret +whsec_abc \(it is not shown again\)\n/);
    expect(server.received.at(-1)!.body.toString()).toContain('https://gate.example.com/');
  });

  it('prints the response as JSON', async () => {
    answer(running);
    expect(JSON.parse((await run('plan', '--json')).stdout)).toEqual(running);
  });

  it('explains that a build has no plan', async () => {
    server.answer(json(404, { error: { code: 'PLAN_NOT_FOUND', message: 'This build has no rollout plan.' } }));
    const { code, stderr } = await run('plan', '--wait');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/PLAN_NOT_FOUND: This build has no rollout plan\./)]);
  });
});

describe('build plan --wait', () => {
  it.each<[number, Pick<Plan, 'status' | 'because'>]>([
    [0, { status: 'completed', because: null }],
    [1, { status: 'failed', because: 'failed' }],
    [1, { status: 'aborted', because: 'changed' }],
    [1, { status: 'aborted', because: 'deleted' }],
    [1, { status: 'held', because: 'failed' }],
    [3, { status: 'held', because: 'inconclusive' }],
    [3, { status: 'held', because: 'manual' }],
  ])('exits with %i once the plan is %j', async (expected, changes) => {
    const end = { ...held, ...changes };
    answer(running, running, end);
    const { code, stdout, stderr, pauses } = await run('plan', '--wait', '--json');
    expect({ code, stderr, pauses }).toEqual({ code: expected, stderr: '', pauses: [1_000, 2_000] });
    expect(JSON.parse(stdout)).toEqual(end);
  });

  it('notes each state once, and shows the plan at the end', async () => {
    const next = { ...running, step: 3, message: 'Step 3 of 3.' };
    answer(running, running, next, next, completed);
    const { code, stdout, stderr } = await run('plan', '--wait');
    expect([code, stderr]).toEqual([0, `${running.message}\n${next.message}\n`]);
    expect(stdout).toMatch(/plan +completed\n/);
  });

  it('waits through an absence of the server', async () => {
    server.answer(
      json(503, { error: { code: 'SERVICE_UNAVAILABLE', message: 'Later.' } }),
      json(200, { data: completed }),
    );
    expect(await run('plan', '--wait')).toMatchObject({ code: 0 });
  });
});

describe('build plan-set', () => {
  it('sends the steps, the threshold and what happens on failure', async () => {
    answer(running);
    const more = ['--threshold', '1.5', '--on-fail', 'recall'];
    const { code, stdout } = await run('plan-set', '--step', '5:60:500', '--step', '100:0:0', ...more);
    expect([code, sent()]).toEqual([0, [`PUT ${PATH}`]]);
    expect(stdout).toMatch(/plan +running\n/);
    expect(body()).toEqual({
      steps: [
        { percentage: 5, hold_minutes: 60, min_devices: 500 },
        { percentage: 100, hold_minutes: 0, min_devices: 0 },
      ],
      gates: { failures: { threshold_percent: 1.5 } },
      on_fail: 'recall',
    });
  });

  it('sends a file as it is', async () => {
    answer(running);
    const plan = { steps: running.steps, windows: [{ days: ['mon'], from: '09:00', to: '17:00' }] };
    const path = join(server.folder, 'plan.json');
    await writeFile(path, JSON.stringify(plan));
    expect(await run('plan-set', '--file', path)).toMatchObject({ code: 0 });
    expect(body()).toEqual(plan);
  });

  it.each([
    ['no JSON', '{"steps": ['],
    ['no object', '"steps"'],
    ['nothing', 'null'],
  ])('rejects a file that holds %s, and sends nothing', async (_, text) => {
    const path = join(server.folder, 'plan.json');
    await writeFile(path, text);
    const { code, stderr } = await run('plan-set', '--file', path);
    expect([code, stderr, sent()]).toEqual([1, expect.stringContaining('plan.json holds no JSON object'), []]);
  });

  it('rejects a file that does not exist', async () => {
    const { code, stderr } = await run('plan-set', '--file', join(server.folder, 'missing.json'));
    expect([code, stderr, sent()]).toEqual([1, expect.stringContaining('missing.json'), []]);
  });

  it.each([
    [[], /Pass --step once for each step, or --file/],
    [['--threshold', '2'], /Pass --step once for each step, or --file/],
    [['--file', 'plan.json', '--step', '5:60:500'], /Pass --step once for each step, or --file/],
    [['--step', '5:60'], /percentage:minutes:devices, such as 5:60:500/],
    [['--step', '5 %:60:500'], /percentage:minutes:devices/],
    [['--step', '5:60:500', '--threshold', 'two'], /a number from 0\.1 to 90/],
    [['--step', '5:60:500', '--on-fail', 'pray'], /hold, halt, recall/],
  ])('rejects %j as bad usage, and sends nothing', async (args, message) => {
    const { code, stderr } = await run('plan-set', ...args);
    expect([code, stderr, sent()]).toEqual([2, expect.stringMatching(message), []]);
  });

  it('shows which field the server rejects', async () => {
    const errors = { steps: ['The percentages must rise from step to step.'] };
    server.answer(json(422, { message: 'The given data was invalid.', errors }));
    const { code, stderr } = await run('plan-set', '--step', '25:0:0', '--step', '5:0:0');
    expect([code, stderr]).toEqual([1, expect.stringContaining('The percentages must rise from step to step.')]);
  });
});

describe('build plan-edit', () => {
  it('keeps the steps that the plan has entered, and names the revision that it has read', async () => {
    const steps = [...running.steps.slice(0, 2), { percentage: 60, hold_minutes: 30, min_devices: 10 }];
    answer(running, { ...running, steps });
    const { code, stdout } = await run('plan-edit', '--step', '60:30:10');
    expect([code, sent()]).toEqual([0, [`GET ${PATH}`, `PATCH ${PATH}`]]);
    const { headers, body: changed } = server.received[1]!;
    expect(headers).toMatchObject({ 'if-match': '"2"' });
    expect(JSON.parse(changed.toString())).toEqual({ steps });
    expect(stdout).toMatch(/step 3 +█{12}░{8} 60%, at least 30 min and 10 devices\n/);
  });

  it('rejects a call without steps, before a request', async () => {
    const { code, stderr } = await run('plan-edit');
    expect([code, stderr, sent()]).toEqual([2, expect.stringContaining('Pass --step once'), []]);
  });
});

it.each([
  ['plan-hold', `POST ${PATH}/hold`, { ...held, because: 'manual' as const }],
  ['plan-resume', `POST ${PATH}/resume`, running],
  ['plan-skip', `POST ${PATH}/skip`, completed],
  ['plan-delete', `DELETE ${PATH}`, { ...completed, status: 'aborted' as const, because: 'deleted' as const }],
])('build %s sends %s, and shows the plan', async (command, line, plan) => {
  answer(plan);
  const shown = await run(command);
  expect([shown.code, sent()]).toEqual([0, [line]]);
  expect(shown.stdout).toContain(plan.message);
  expect(JSON.parse((await run(command, '--json')).stdout)).toEqual(plan);

  const error = { code: 'PLAN_NOT_RUNNING', message: 'The plan of build 7 is completed. Set another one to continue.' };
  server.answer(json(409, { error }));
  expect(await run(command)).toMatchObject({ code: 1, stderr: expect.stringContaining('PLAN_NOT_RUNNING') as string });
});
