import type { Adoption, BuildStats } from '@sluice/contracts';
import { standalone, type Deployment } from '../support/deployment';
import { call, checkUpdate, management } from '../support/http';
import { zipOf } from '../support/zip';

jest.setTimeout(60_000);

interface Refusal {
  readonly errors?: Record<string, string[]>;
}

/** Half characters, NUL and the ends of the calendar: each of them once ended or hung the server. */
describe('input that no store takes', () => {
  let deployment: Deployment;
  let address: string;
  let token: string;
  let ownerKey: string;
  let key: string;
  let bundleId: string;
  const api = () => management(address, token);
  const post = (path: string, credential: string, body: string, method = 'POST') =>
    call<Refusal>(`${address}${path}`, {
      method,
      headers: { Authorization: `Bearer ${credential}`, 'Content-Type': 'application/json' },
      body,
    });

  beforeAll(async () => {
    deployment = await standalone.deploy({ ENTITLEMENTS: 'listings_ads', MODULE_ENABLED_LISTINGS_ADS: 'true' });
    address = deployment.gateways[0]!;
    ownerKey = await deployment.ownerKey();
    const made = await call<{ data: { token: string } }>(`${address}/api/dashboard/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'ci', all_apps: true, permissions: ['manage_store'] }),
    });
    token = made.body.data.token;
    await api().post('/apps', { name: 'Shop' });
    key = (await api().post('/apps/1/api-keys', { name: 'installs' })).body.data['plaintext_key'] as string;
    const fields = { version: '1.4.0', channel: 'production' };
    expect((await api().upload('/apps/1/builds', await zipOf({ 'index.html': 'x' }), fields)).status).toBe(202);
    for (;;) {
      const offer = await checkUpdate(address, key, 'device', '1.0.0');
      if (!offer.body.available) continue;
      ({ bundleId } = offer.body as unknown as { bundleId: string });
      break;
    }
  });
  afterAll(() => deployment.destroy());

  it('costs a device no report, and is grouped in the statistics', async () => {
    const errors = ['\\ud800', '\\ud800', '\\udfff', '\\u0000one', '\\u0000two', 'disk'];
    for (const [device, error] of errors.entries()) {
      const answer = await call(`${address}/api/v1/analytics/install`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'X-Device-ID': `device-${device}`, 'Content-Type': 'application/json' },
        body: `{"bundle_id":"${bundleId}","status":"failed","error":"${error}"}`,
      });
      expect(answer).toMatchObject({ status: 200, body: { success: true } });
    }
    const stats = await api().get<{ data: BuildStats }>('/apps/1/builds/1/stats');
    expect(stats.status).toBe(200);
    expect(stats.body.data.totals.install_failures).toBe(errors.length);
    expect(stats.body.data.errors.map(({ error, count }) => [error, count]).sort()).toEqual([
      ['disk', 1],
      ['\ufffd', 3],
      ['\ufffdone', 1],
      ['\ufffdtwo', 1],
    ]);
  });

  it.each([
    ['name', 'POST', '/api/public/v1/apps', '{"name":"\\ud800"}', () => token],
    ['description', 'PATCH', '/api/public/v1/apps/1', '{"description":"a\\u0000b"}', () => token],
    ['release_notes', 'PATCH', '/api/public/v1/apps/1/builds/1', '{"release_notes":"\\udc00"}', () => token],
    ['origins.0', 'PATCH', '/api/public/v1/apps/1/api-keys/1/restrictions', '{"origins":["\\ud800"]}', () => token],
    ['name', 'POST', '/api/dashboard/v1/tokens', '{"name":"\\u0000"}', () => ownerKey],
    ['a\ufffd', 'POST', '/api/dashboard/v1/tokens', '{"name":"x","a\\u0000":1}', () => ownerKey],
  ])('is rejected in a body, with the field %s named (%s %s)', async (field, method, path, body, credential) => {
    const answer = await post(path, credential(), body, method);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.body.errors ?? {})).toEqual([field]);
  });

  it('is rejected in a body of the listings plane, in its envelope', async () => {
    const answer = await post('/svc/v1/listings-ads/sync/now', token, '{"product_id":"\\ud800"}');
    expect(answer).toMatchObject({ status: 422, body: { success: false } });
    expect(JSON.stringify(answer.body)).toContain('product_id');
  });

  it('is rejected in the fields and the file name of a form, and leaves nothing', async () => {
    // A job may be making the file index of the bundle that is there.
    const bundles = async () => (await deployment.objects()).filter((name) => !name.endsWith('.files'));
    const before = await bundles();
    for (const [field, form] of [
      ['release_notes', { notes: 'a\0b', file: 'b.zip' }],
      ['file', { notes: 'a', file: 'b\0.zip' }],
    ] as const) {
      const part = (name: string, value: string, more = '') =>
        `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
      const answer = await call<Refusal>(`${address}/api/public/v1/apps/1/builds`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'multipart/form-data; boundary=b' },
        body: `${part('version', '2.0.0')}${part('channel', 'staging')}${part('release_notes', form.notes)}${part('file', 'PK\u0003\u0004', `; filename="${form.file}"`)}--b--\r\n`,
      });
      expect([answer.status, Object.keys(answer.body.errors ?? {})]).toEqual([422, [field]]);
    }
    expect(await bundles()).toEqual(before);
  });

  it.each([
    ['from', '/adoption?from=9999-12-31&to=9999-12-31'],
    ['to', '/builds/1/stats?to=9999-12-31'],
    ['to', '/adoption?to=0000-01-15'],
    ['from', '/adoption?from=1999-12-31&to=2000-01-01'],
  ])('is rejected as a day outside of the calendar (%s of %s)', async (field, path) => {
    const answer = await api().get<Refusal>(`/apps/1${path}`);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual({ [field]: [expect.stringContaining(`The ${field} must be a day from`)] });
  });

  it('leaves the server alive, and its log without a fault of its own', async () => {
    const adoption = await api().get<{ data: Adoption }>('/apps/1/adoption');
    expect(adoption.status).toBe(200);
    expect(adoption.body.data.days).toHaveLength(30);
    const log = deployment.processes.flatMap((process) => process.log);
    expect(log.filter((line) => /"level":"?(error|50)|panicked/.test(line))).toEqual([]);
  });
});
