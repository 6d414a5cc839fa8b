import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const settings = {
  version: '1.2.3',
  limits: { requests_per_minute: 120, apps: 100 },
  api_keys: { recovery: true },
  jobs: { retry_delays_ms: [10, 20] },
  installation: { bus: 'nats://***@bus:4222', trusted_proxies: [] },
};

it('shows every setting that the server returns, one a line', async () => {
  server.answer(json(200, { data: settings }));
  const { code, stdout } = await server.run(['settings']);
  expect(code).toBe(0);
  expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['version', '1.2.3'],
    ['limits: requests per minute', '120'],
    ['limits: apps', '100'],
    ['api keys: recovery', 'yes'],
    ['jobs: retry delays ms', '10, 20'],
    ['installation: bus', 'nats://***@bus:4222'],
    ['installation: trusted proxies', '-'],
    [''],
  ]);
  expect(server.received[0]).toMatchObject({
    line: 'GET /api/dashboard/v1/settings',
    headers: { authorization: 'Bearer svc_own_secret' },
  });
});

it('omits what is the operator’s, and prints JSON as received', async () => {
  server.answer(json(200, { data: { ...settings, installation: null } }));
  expect((await server.run(['settings'])).stdout).not.toContain('installation');
  const { stdout } = await server.run(['settings', '--json']);
  expect(JSON.parse(stdout)).toEqual({ ...settings, installation: null });
});
