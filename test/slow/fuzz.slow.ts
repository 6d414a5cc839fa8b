import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { devicePlane } from '../../services/device-updates/http/openapi';
import { guardedRoutes } from '../../services/gateway/openapi/planes';
import { standalone, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';

/** Printed by fast-check when a run fails; the same seed gives the same requests. */
const SEED = 20_261_121;
const RUNS_PER_ROUTE = 40;
const AT_ONCE = 5;

/** Values for `:app` and for other names in the path, the query, the body and its type. */
type Request = [app: string, other: string, search: string, sent: string, type: string];

const odd = fc.oneof(
  fc.constantFrom<unknown>('', '\u0000', 'é\u0301\u202e💥', '../..', '1e999', "'; --", 'x'.repeat(70_000)),
  fc.constantFrom<unknown>(Number.MAX_VALUE, -1, 0, 1.5, 2 ** 53, true, null, [], {}),
  fc.string({ unit: 'binary', maxLength: 40 }),
);
const nested = fc.nat(3_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
const members = fc.constantFrom(
  ...['name', 'bundle_id', 'platform', 'description', 'status', 'release_notes', 'min_native_version', 'mandatory'],
  ...['target_channel', 'rollout_percentage', 'enabled', 'permissions', 'all_apps', 'apps', 'expires_at', 'origins'],
  ...['android', 'ios', 'after', 'entitled', 'shipping_settings', 'category_mappings', 'batch_size', '__proto__', 'id'],
);
const body = fc.oneof(
  fc.dictionary(members, odd).map((value) => JSON.stringify(value)),
  fc.json(),
  fc.json().map((json) => json.slice(0, -1)),
  nested,
  fc.string({ unit: 'binary' }),
);
const segment = fc.oneof(
  fc.constantFrom(
    '1',
    '0',
    '-1',
    '99999999999999999999',
    '1e3',
    '%00',
    '%zz',
    '%F0%9F%92%A5',
    '..%2f',
    'x'.repeat(300),
  ),
  fc.string({ minLength: 1, maxLength: 20 }).map((raw) => encodeURIComponent(raw)),
);
const query = fc.oneof(
  fc.constant(''),
  fc.constantFrom(
    '?page=1e9&per_page=-1',
    '?page=999999999999999&per_page=50',
    '?page=1&page=2',
    '?channel[]=x&status=%00',
  ),
  fc.constantFrom(
    '?as_of=0000',
    '?as_of=9999-12-31T23:59:59Z',
    '?from=%00&to=&build=1e3',
    '?type=__proto__&actor=token:1',
    '?%zz=%',
  ),
);
const contentType = fc.constantFrom(
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'multipart/form-data',
);

/** What may take a credential or the app away from all that is asked after it: in this order behind the rest. */
const ENDS = [/\/(api-keys\/:key|tokens\/:token|owners\/:owner)/, /^DELETE .*\/apps\/:app$/, /\/owner\/rotate-key$/];
const turnOf = (route: string) => ENDS.findIndex((end) => end.test(route));

/** With the plane whose credential it wants. */
const ROUTES = [
  ...[...guardedRoutes()].map(([route, { plane }]) => [route, plane] as const),
  ...devicePlane.routes.map(({ method, url }) => [`${method} ${url}`, 'device'] as const),
].sort(([a], [b]) => turnOf(a) - turnOf(b));

describe(`whatever is sent (seed ${SEED})`, () => {
  let deployment: Deployment;
  let address: string;
  let token: string;
  let ownerKey: string;
  let key: string;

  beforeAll(async () => {
    deployment = await standalone.deploy({ ENTITLEMENTS: 'listings_ads', MODULE_ENABLED_LISTINGS_ADS: 'true' });
    address = deployment.gateways[0]!;
    ownerKey = await deployment.ownerKey();
    const made = await call<{ data: { token: string } }>(`${address}/api/dashboard/v1/tokens`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({
        name: 'fuzz',
        all_apps: true,
        permissions: ['builds.delete', 'apps.delete', 'keys.delete', 'manage_store'],
      }),
    });
    token = made.body.data.token;
    const api = management(address, token);
    expect((await api.post('/apps', { name: 'Fuzzed' })).status).toBe(201);
    const installs = await api.post('/apps/1/api-keys', { name: 'installs' });
    key = installs.body.data['plaintext_key'] as string;
  }, 60_000);

  afterAll(() => deployment.destroy(), 30_000);

  const expectCalm = (status: number, answer: string): void => {
    expect([status < 500, answer]).toEqual([true, answer]);
    expect(answer).not.toMatch(/\n\s+at |node_modules|\.js:\d+/);
  };

  it.each(ROUTES)(
    '%s answers no 500, no stack, and does not hang',
    async (route, plane) => {
      const [method = '', path = ''] = route.split(' ');
      const headers =
        plane === 'device'
          ? { 'X-API-Key': key, 'X-Device-ID': 'd', 'X-Current-Version': '1.0.0', 'X-Platform': 'ios' }
          : { Authorization: `Bearer ${plane === 'dashboard' ? ownerKey : token}` };
      const request = fc.tuple(fc.oneof(fc.constant('1'), segment), segment, query, body, contentType);
      const send = async ([app, other, search, sent, type]: Request) => {
        const url = `${address}${path.replace(':app', app).replace(/:\w+/g, other)}${search}`;
        const { status, body: answer } = await call<unknown>(url, {
          method,
          headers: { ...headers, 'Content-Type': type },
          ...(method !== 'GET' && method !== 'HEAD' && { body: sent }),
        });
        expectCalm(status, JSON.stringify(answer ?? null));
      };
      // Some routes wait for others' answers: several at a time.
      const several = fc.array(request, { minLength: AT_ONCE, maxLength: AT_ONCE });
      await fc.assert(
        fc.asyncProperty(several, async (requests) => {
          await Promise.all(requests.map(send));
        }),
        { seed: SEED, numRuns: RUNS_PER_ROUTE / AT_ONCE },
      );
    },
    120_000,
  );

  it('takes forms that are broken, doubled or cut anywhere', async () => {
    const part = (name: string, value: string, more = '') =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`;
    const file = part('file', 'PK\u0003\u0004rest', '; filename="b.zip"');
    const whole = `${part('version', '1.0.0')}${part('version', '2.0.0')}${part('channel', 'staging')}${file}${file}--b--\r\n`;
    const form = fc.oneof(
      fc.nat(whole.length).map((end) => whole.slice(0, end)),
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc
        .tuple(fc.string({ maxLength: 20 }), fc.string({ unit: 'binary' }))
        .map(([name, value]) => `${part(name, value)}${file}--b--\r\n`),
    );
    await fc.assert(
      fc.asyncProperty(form, fc.constantFrom('b', '', '"', 'x'.repeat(80)), async (sent, boundary) => {
        const socket = connect(Number(new URL(address).port), '127.0.0.1');
        const bytes = Buffer.from(sent);
        socket.write(
          `POST /api/public/v1/apps/1/builds HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n` +
            `Content-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${bytes.length}\r\n\r\n`,
        );
        socket.write(bytes);
        const answer = await text(socket);
        expectCalm(Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 500), answer);
      }),
      { seed: SEED, numRuns: 200 },
    );
  }, 120_000);

  it('still runs, and logged no fault of its own', async () => {
    expect((await management(address, token).get('/token')).status).toBe(200);
    expect(deployment.processes.flatMap(({ log }) => log).filter((line) => /"level":"?(error|50)/.test(line))).toEqual(
      [],
    );
  });
});
