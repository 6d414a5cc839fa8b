import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Plan } from '@sluice/contracts';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { standalone, type Deployment } from '../support/deployment';
import { freePort } from '../support/free-port';
import { management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(180_000);

const ROOT = join(__dirname, '..', '..');
const APP = 'com.example.shop';
const [HEALTHY, CRASHING, FLAWLESS, NEW] = ['1.0.0', '1.1.0', '1.2.0', '1.3.0'] as const;

/** The files of docs/guides/gates.md, by the name in their first line. */
const files = new Map(
  [
    ...readFileSync(join(ROOT, 'docs', 'guides', 'gates.md'), 'utf8').matchAll(
      /^```js\n(\/\/ (\S+\.mjs)\n[\s\S]*?)^```$/gm,
    ),
  ].map(([, text = '', name = '']) => [name, text]),
);
const hasPrometheus = spawnSync('prometheus', ['--version']).error === undefined;

describe('docs/guides/gates.md, word for word', () => {
  let deployment: Deployment;
  let folder: string;
  let secret: string;
  let owner: Readonly<Record<string, string>>;
  let token: string;
  const children: ChildProcess[] = [];
  const servers: Server[] = [];

  const api = () => management(deployment.gateways[0]!, token);
  const builds = new Map<string, number>();

  async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
    const server = createServer(handle).listen(0, '127.0.0.1');
    servers.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  function start(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): void {
    const child = spawn(program, args, { cwd: folder, env: { PATH: process.env['PATH'], ...env }, stdio: 'ignore' });
    children.push(child);
  }

  /** Answers its address. */
  async function startGate(script: string, env: Readonly<Record<string, string>>): Promise<string> {
    const port = await freePort();
    start(process.execPath, [script], { ...env, GATE_SECRET: secret, PORT: String(port) });
    const url = `http://127.0.0.1:${port}/`;
    const unsigned = () => fetch(url, { method: 'POST', body: '{}', headers: { 'webhook-signature': 'v1,AAAA' } });
    await eventually(() =>
      unsigned().then(
        ({ status }) => status === 401,
        () => false,
      ),
    );
    return url;
  }

  /** The plan of the build once its gate has answered, and the answer has had its consequences. */
  async function planWith(url: string, version: string, then: Plan['status']): Promise<Plan> {
    const path = `/apps/${APP}/builds/${builds.get(version)}/plan`;
    const steps = [{ percentage: 50, hold_minutes: 60, min_devices: 0 }];
    const { status } = await api().put(path, { steps, on_fail: 'halt', gates: { webhook: { url } } });
    expect(status).toBe(200);
    const answered = await eventually(async () => {
      const { data } = (await api().get<{ data: Plan }>(path)).body;
      return data.webhook_answer !== null && data.status === then && data;
    });
    if (answered.status === 'running') await api().delete(path);
    return answered;
  }

  async function expectAnswers(url: string, reasons: Readonly<Record<string, RegExp>>): Promise<void> {
    const expected = [
      [HEALTHY, 'pass', 'running'],
      [CRASHING, 'fail', 'failed'],
      [FLAWLESS, 'pass', 'running'],
      [NEW, 'wait', 'running'],
    ] as const;
    for (const [version, verdict, status] of expected) {
      const reason = expect.stringMatching(reasons[version]!) as string;
      expect((await planWith(url, version, status)).webhook_answer).toMatchObject({ verdict, reason });
    }
  }

  beforeAll(async () => {
    folder = temporaryDirectory();
    for (const [name, text] of files) await writeFile(join(folder, name), text);
    deployment = await standalone.deploy({ WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'on' });
    owner = { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir };
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], owner);
    token = (JSON.parse(made.stdout) as { token: string }).token;
    await api().post('/apps', { name: 'Shop', bundle_id: APP });
    const replaced = await sluice(['app', 'gate-secret', APP, '--json'], { ...owner, SLUICE_TOKEN: token });
    secret = (JSON.parse(replaced.stdout) as { gate_secret: string }).gate_secret;
    for (const version of [HEALTHY, CRASHING, FLAWLESS, NEW]) {
      const bundle = await zipOf({ 'index.html': version });
      const build = await api().release(`/apps/${APP}/builds`, bundle, { version, channel: 'production' });
      builds.set(version, build);
    }
  });

  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    for (const server of servers) server.close();
    await deployment.destroy();
  });

  it.each(['gates', 'rollout-plans'])('takes the plan of docs/guides/%s.md', async (guide) => {
    const page = readFileSync(join(ROOT, 'docs', 'guides', `${guide}.md`), 'utf8');
    const plan = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)]
      .map(([, json = '']) => json)
      .find((json) => json.includes('"steps"'));
    await writeFile(join(folder, 'plan.json'), plan!);
    const env = { ...owner, SLUICE_TOKEN: token };
    const id = String(builds.get(HEALTHY));
    const file = join(folder, 'plan.json');
    const set = await sluice(['build', 'plan-set', id, '--app', APP, '--file', file, '--json'], env);
    expect(JSON.parse(set.stdout)).toMatchObject({ ...(JSON.parse(plan!) as object), status: 'running' });
    await sluice(['build', 'plan-delete', id, '--app', APP], env);
  });

  it('has three files', () => {
    expect([...files.keys()]).toEqual(['gate.mjs', 'prometheus.mjs', 'sentry.mjs']);
  });

  (hasPrometheus ? it : it.skip)(`asks a real Prometheus${hasPrometheus ? '' : ' (none is installed)'}`, async () => {
    let scrapes = 0;
    const metrics = await serve((_, response) => {
      scrapes += 1;
      const sessions = { [HEALTHY]: 10_000, [CRASHING]: 10_000, [FLAWLESS]: 10_000, [NEW]: 0.5 };
      // A version that never crashed has no such counter.
      const crashes = { [HEALTHY]: 10, [CRASHING]: 500 };
      const series = Object.entries({ sessions, crashes }).flatMap(([name, each]) =>
        Object.entries(each).map(([version, by]) => `app_${name}_total{version="${version}"} ${scrapes * by}`),
      );
      response.setHeader('Content-Type', 'text/plain; version=0.0.4').end(`${series.join('\n')}\n`);
    });
    const targets = [`127.0.0.1:${metrics}`];
    const config = { scrape_configs: [{ job_name: 'app', scrape_interval: '1s', static_configs: [{ targets }] }] };
    await writeFile(join(folder, 'prometheus.yaml'), JSON.stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    const flags = { 'config.file': 'prometheus.yaml', 'storage.tsdb.path': 'tsdb', 'web.listen-address': address };
    start(
      'prometheus',
      Object.entries(flags).map(([name, value]) => `--${name}=${value}`),
    );
    const query = encodeURIComponent('increase(app_sessions_total[10m])');
    await eventually(async () => {
      const response = await fetch(`http://${address}/api/v1/query?query=${query}`).catch(() => undefined);
      const found = (await response?.json().catch(() => undefined)) as { data?: { result: unknown[] } } | undefined;
      return found?.data?.result.length === 4;
    });
    const url = await startGate('prometheus.mjs', { PROMETHEUS_URL: `http://${address}` });
    await expectAnswers(url, {
      [HEALTHY]: /^0\.10% of the sessions of 1\.0\.0 crashed\.$/,
      [CRASHING]: /^5\.00% of the sessions of 1\.1\.0 crashed\.$/,
      [FLAWLESS]: /^0\.00% of the sessions of 1\.2\.0 crashed\.$/,
      [NEW]: /^Fewer than 500 sessions of 1\.3\.0 in the last hour\.$/,
    });
  });

  it('asks a server that responds as Sentry documents it', async () => {
    const totals: Readonly<Record<string, object>> = {
      [HEALTHY]: { 'sum(session)': 2_000, 'crash_free_rate(session)': 0.9985 },
      [CRASHING]: { 'sum(session)': 600, 'crash_free_rate(session)': 0.95 },
      [FLAWLESS]: { 'sum(session)': 500, 'crash_free_rate(session)': 1 },
      [NEW]: { 'sum(session)': 0, 'crash_free_rate(session)': null },
    };
    const asked: string[] = [];
    const sentry = await serve(({ headers, url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, 'http://127.0.0.1');
      asked.push(`${headers.authorization} ${pathname} ${[...searchParams].map((each) => each.join('=')).join('&')}`);
      const [, version = ''] = /^release:"com\.example\.shop@(.*)"$/.exec(searchParams.get('query') ?? '') ?? [];
      response.end(
        JSON.stringify({
          ...{ start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z', intervals: ['2026-01-01T00:00:00Z'] },
          groups: [{ by: {}, totals: totals[version], series: {} }],
          query: searchParams.get('query'),
        }),
      );
    });
    const url = await startGate('sentry.mjs', {
      ...{ SENTRY_URL: `http://127.0.0.1:${sentry}`, SENTRY_ORG: 'shop', SENTRY_APP: APP, SENTRY_TOKEN: 'sntrys_x' },
    });
    await api().patch(`/apps/${APP}/builds/${builds.get(CRASHING)}/rollout`, { enabled: true });
    await expectAnswers(url, {
      [HEALTHY]: /^99\.85% of 2000 sessions of 1\.0\.0 did not crash\.$/,
      [CRASHING]: /^95\.00% of 600 sessions of 1\.1\.0 did not crash\.$/,
      [FLAWLESS]: /^100\.00% of 500 sessions of 1\.2\.0 did not crash\.$/,
      [NEW]: /^0 of 500 sessions of 1\.3\.0\.$/,
    });
    expect(asked).toHaveLength(4);
    expect(asked[0]).toBe(
      'Bearer sntrys_x /api/0/organizations/shop/sessions/ field=sum(session)&field=crash_free_rate(session)&project=-1&statsPeriod=24h&interval=1d&query=release:"com.example.shop@1.0.0"',
    );
  });

  it('answers no request that is not signed, or was signed by another secret', async () => {
    const url = await startGate('sentry.mjs', {});
    for (const headers of [
      {},
      { 'webhook-id': '1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
      { 'webhook-id': '1', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)), 'webhook-signature': 'v1,AA' },
    ]) {
      expect((await fetch(url, { method: 'POST', body: '{}', headers })).status).toBe(401);
    }
    expect((await fetch(url, { method: 'POST', body: ' '.repeat(20_000) })).status).toBe(413);
    await sluice(['app', 'gate-secret', APP], { ...owner, SLUICE_TOKEN: token });
    const { webhook_answer: answer } = await planWith(url, HEALTHY, 'running');
    expect(answer).toMatchObject({ verdict: 'wait', reason: 'The webhook answered 401.' });
  });
});
