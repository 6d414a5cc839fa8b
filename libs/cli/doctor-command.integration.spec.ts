import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '@sluice/config';
import { SERVICES, type Diagnostics, type ServiceFacts, type Upgrade } from '@sluice/contracts';
import { scriptedServer } from '../../test/support/scripted-server';
import { checkFreeSpace, checkServices, checkTransport, type Check } from './doctor-checks';

const GIB = 1_073_741_824;
/** The time of every command in these tests. */
const NOW = 'Thu, 01 Jan 2026 00:00:00 GMT';

const facts = (service: string, wish: Partial<ServiceFacts> = {}): ServiceFacts => ({
  service,
  version: VERSION,
  node: '22.1.0',
  time: '2026-01-01T00:00:00.000Z',
  uptime_seconds: 60,
  public_url: 'https://updates.example.com',
  trusted_proxies: false,
  engines: [{ name: 'event store', kind: 'sqlite', fault: null, product: null }],
  projections: [],
  master_key: { previous_set: false, sealed_otherwise: 0 },
  disk: { free: 50 * GIB, total: 100 * GIB },
  traffic: null,
  ...wish,
});
const projection = (wish: Partial<ServiceFacts['projections'][number]>) => ({
  ...{ name: 'builds', service: 'build-pipeline', version: 1, position: '9', caught_up: true },
  ...{ stopped: null, task: null, ...wish },
});
const installation = (wish: Partial<ServiceFacts> = {}): Diagnostics => ({
  services: SERVICES.map((service) => ({ service, facts: facts(service, wish) })),
});
const judged = (diagnostics: Diagnostics, address = 'https://updates.example.com') =>
  checkServices(diagnostics, address, VERSION);
const faults = (checks: readonly Check[]) => checks.filter(({ status }) => status !== 'ok');

describe('what the services say of themselves', () => {
  it('is well when nothing is wrong', () => {
    expect(faults(judged(installation({ projections: [projection({})] })))).toEqual([]);
  });

  it('names a service that does not answer', () => {
    const services = installation().services.map((each) => (each.service === 'keys' ? { ...each, facts: null } : each));
    expect(faults(judged({ services }))).toEqual([
      expect.objectContaining({ check: 'services', status: 'error', message: 'keys does not respond.' }),
    ]);
  });

  it('warns of manifests that are not signed, or not renewed in time', () => {
    const judge = (wish: Partial<NonNullable<ServiceFacts['signed_statements']>>) => {
      const signed = { missing: 0, earliest_expiry: '2026-01-08T00:00:00.000Z', overdue: false, ...wish };
      const services = [{ service: 'device-updates', facts: facts('device-updates', { signed_statements: signed }) }];
      return judged({ services }).filter(({ check }) => check === 'manifests');
    };
    expect(judge({})).toMatchObject([{ status: 'ok' }]);
    expect(judge({ earliest_expiry: null })).toEqual([]);
    expect(judge({ missing: 3, earliest_expiry: null })).toMatchObject([
      { status: 'warning', message: '3 manifests and channel states are not signed.' },
    ]);
    expect(judge({ overdue: true })).toMatchObject([
      { status: 'warning', message: expect.stringContaining('2026-01-08T00:00:00.000Z') as string },
    ]);
  });

  it('knows where redirected downloads lead', () => {
    const redirected = (address: string) =>
      judged(installation({ downloads: { mode: 'redirect', store_address: address } })).filter(
        ({ check }) => check === 'downloads',
      );
    expect(redirected('https://objects.example.com')).toMatchObject([{ status: 'ok' }]);
    expect(redirected('http://objects.internal:9000')).toMatchObject([{ status: 'warning' }]);
    expect(redirected('http://127.0.0.1:9000')).toMatchObject([
      { status: 'error', remedy: expect.stringContaining('OBJECT_STORE_PUBLIC_URL') },
    ]);
    expect(judged(installation({ downloads: { mode: 'stream', store_address: null } }))).not.toContainEqual(
      expect.objectContaining({ check: 'downloads' }),
    );
  });

  const traffic = { requests: 500, busiest_address: '10.0.0.7', busiest_share: 0.9, forwarded_share: 0 };
  it.each<[string, Partial<ServiceFacts>, string, Check['status'], string]>([
    ['another release', { version: '0.0.1' }, 'version', 'warning', 'newer release'],
    [
      'an engine that is unavailable',
      { engines: [{ name: 'object store', kind: 'file', fault: 'Error (EROFS)', product: null }] },
      'engines',
      'error',
      'OBJECT_STORE_URL',
    ],
    [
      'an engine that is older than any that was tested',
      { engines: [{ name: 'read store', kind: 'mongodb', fault: null, product: 'MongoDB 6.0.3' }] },
      'engines',
      'warning',
      'Upgrade MongoDB to 7.0.0',
    ],
    [
      'a projection that has stopped',
      { projections: [projection({ stopped: 'The read store is foreign.' })] },
      'projections',
      'error',
      'sluice projections rebuild builds',
    ],
    [
      'a projection that is behind',
      { projections: [projection({ caught_up: false })] },
      'projections',
      'warning',
      'Wait',
    ],
    [
      'an index that nothing uses',
      {
        engines: [
          {
            ...{ name: 'state store', kind: 'mongodb', fault: null, product: 'MongoDB 7.0.14' },
            undeclared_indexes: ['tokens.name_1'],
          },
        ],
      },
      'indexes',
      'warning',
      'db.tokens.dropIndex("name_1")',
    ],
    [
      'secrets under another key',
      { master_key: { previous_set: true, sealed_otherwise: 2 } },
      'master key',
      'warning',
      'sluice secrets reseal',
    ],
    [
      'a former key that nothing needs',
      { master_key: { previous_set: true, sealed_otherwise: 0 } },
      'master key',
      'warning',
      'without MASTER_KEY_PREVIOUS',
    ],
    ['a data folder that others can open', { data_dir_mode: '0755' }, 'data folder', 'warning', 'chmod 700'],
    ['a disk that fills', { disk: { free: 0.5 * GIB, total: 100 * GIB } }, 'disk', 'warning', 'larger disk'],
    ['a disk that is full', { disk: { free: 1_000, total: 100 * GIB } }, 'disk', 'error', 'larger disk'],
    ['one address that makes most of the traffic', { traffic }, 'proxies', 'warning', 'TRUSTED_PROXIES'],
    [
      'a proxy on the same machine',
      { traffic: { ...traffic, busiest_address: '127.0.0.1', forwarded_share: 1 } },
      'proxies',
      'warning',
      'TRUSTED_PROXIES',
    ],
  ])('reports %s, and what to do', (_, wish, check, status, remedy) => {
    const found = faults(judged(installation(wish)));
    expect(found.length).toBeGreaterThan(0);
    for (const each of found) {
      expect(each).toMatchObject({ check, status, remedy: expect.stringContaining(remedy) as unknown });
    }
  });

  it.each<[string, Partial<ServiceFacts>]>([
    ['a laptop that asks itself', { traffic: { ...traffic, busiest_address: '::1' } }],
    ['a proxy that is trusted', { traffic, trusted_proxies: true }],
    [
      'engines that were tested, are newer, or tell no version',
      {
        engines: [
          { name: 'bus', kind: 'nats', fault: null, product: 'NATS 2.9.10' },
          { name: 'event store', kind: 'esdb', fault: null, product: 'EventStoreDB 24.2.0.1234' },
          { name: 'read store', kind: 'mongodb', fault: null, product: 'FerretDB v1.24.2' },
          { name: 'state store', kind: 'mongodb', fault: null, product: null },
        ],
      },
    ],
    ['few requests', { traffic: { ...traffic, requests: 99 } }],
    ['many clients', { traffic: { ...traffic, busiest_share: 0.5 } }],
  ])('finds nothing wrong with %s', (_, wish) => expect(faults(judged(installation(wish)))).toEqual([]));

  it.each([
    ['https://updates.example.com', 'https://updates.example.com', 'ok'],
    ['https://updates.example.com', 'http://127.0.0.1:8080', 'ok'],
    ['http://127.0.0.1:8080', 'https://updates.example.com', 'error'],
    ['https://updates.example.com', 'https://other.example.com', 'warning'],
  ])('holds PUBLIC_URL %s against the address %s: %s', (publicUrl, address, status) => {
    const checks = judged(installation({ public_url: publicUrl }), address);
    expect(checks.find(({ check }) => check === 'public url')).toMatchObject({ status });
  });

  it('wants TLS unless the machine asks itself', () => {
    expect(checkTransport('http://[::1]:8080').status).toBe('ok');
    expect(checkTransport('http://localhost:8080').status).toBe('ok');
    expect(checkTransport('https://updates.example.com').status).toBe('ok');
    expect(checkTransport('http://127.example.com').status).toBe('warning');
  });

  it('takes a large disk for full by what is free, a small one by its share', () => {
    expect(checkFreeSpace('It', { free: 2 * GIB, total: 100 * GIB }).status).toBe('warning');
    expect(checkFreeSpace('It', { free: 2 * GIB, total: 8 * GIB }).status).toBe('ok');
  });
});

describe('sluice doctor', () => {
  const server = scriptedServer();
  let date: string;
  let ready: { status: number; body: object };
  let diagnostics: { status: number; body: object };
  let upgrade: Upgrade | undefined;

  beforeEach(() => {
    date = NOW;
    upgrade = undefined;
    ready = { status: 200, body: { status: 'ok', services: { gateway: { ready: true } } } };
    diagnostics = { status: 200, body: { data: installation({ public_url: server.address }) } };
    server.handle((request, response) => {
      const answers: Record<string, { status: number; body: object }> = {
        '/health/live': { status: 200, body: { status: 'ok' } },
        '/health/ready': ready,
        '/api/health': { status: 200, body: { status: 'ok', app: 'sluice' } },
        '/api/dashboard/v1/diagnostics': diagnostics,
        ...(upgrade && { '/api/dashboard/v1/upgrade': { status: 200, body: { data: upgrade } } }),
      };
      const { status, body } = answers[request.url ?? ''] ?? { status: 404, body: {} };
      response.writeHead(status, { 'content-type': 'application/json', date }).end(JSON.stringify(body));
    });
  });

  const doctor = async (...args: string[]) => {
    const env = { DATA_DIR: server.folder };
    const { code, stdout, stderr } = await server.run(['doctor', '--json', ...args], { env });
    return { code, stderr, found: faults(JSON.parse(stdout) as Check[]) };
  };

  it('ends with 0 when nothing is wrong, and shows people a table', async () => {
    expect(await doctor()).toEqual({ code: 0, stderr: '', found: [] });
    const { code, stdout } = await server.run(['doctor'], { env: { DATA_DIR: server.folder } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^check +status +what was found +what to do\nreachable +ok +/);
  });

  it.each([
    ['Thu, 01 Jan 2026 00:00:04 GMT', undefined, 0],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 'warning', 0],
    ['Wed, 31 Dec 2025 23:50:00 GMT', 'error', 1],
  ])('holds the clock %s against its own', async (theirs, status, code) => {
    date = theirs;
    const answer = await doctor();
    expect(answer.code).toBe(code);
    expect(answer.found[0]?.status).toBe(status);
    if (status !== undefined) expect(answer.found[0]).toMatchObject({ check: 'clock' });
  });

  it('reports a service that is not ready, and an engine that one runs without', async () => {
    ready = { status: 503, body: { services: { keys: { ready: false }, gateway: { ready: true } } } };
    expect(await doctor()).toMatchObject({
      code: 1,
      found: [{ check: 'ready', status: 'error', message: expect.stringContaining('keys') as unknown }],
    });
    const refused = [{ engine: 'event-store', since: NOW, reason: 'wrong_credentials' }];
    ready = { status: 503, body: { engines_away: refused, services: { keys: { ready: false } } } };
    const why = `without its event-store since ${NOW} (wrong_credentials)`;
    expect(await doctor()).toMatchObject({
      code: 1,
      found: [{ check: 'ready', status: 'error', message: expect.stringContaining(why) as unknown }],
    });
    const engines_away = [{ engine: 'event-store', since: NOW }];
    ready = { status: 200, body: { engines_away, services: { 'device-updates': { ready: true } } } };
    expect(await doctor()).toMatchObject({
      code: 0,
      found: [{ check: 'ready', status: 'warning', message: expect.stringContaining('event-store') as unknown }],
    });
  });

  it('warns of an upgrade that is not finished, and names what blocks it', async () => {
    const blocking = [
      { service: 'device-updates', name: '01ARZ3', release: null, format: null },
      { service: 'keys', name: null, release: null, format: null },
    ];
    upgrade = { format: 0, known_format: 1, finished: false, blocked_by: [] };
    const said = 'The upgrade is not finished: the installation has format 0, this release supports 1.';
    const found = { check: 'upgrade', status: 'warning', message: said };
    expect(await doctor()).toMatchObject({ code: 0, found: [{ ...found, remedy: 'Run: sluice upgrade finish' }] });
    upgrade = { ...upgrade, blocked_by: blocking };
    const remedy =
      'Replace with this release, or stop: device-updates (01ARZ3), keys (no replica responds). Then run: sluice upgrade finish';
    expect(await doctor()).toMatchObject({ code: 0, found: [{ ...found, remedy }] });
    upgrade = { format: 1, known_format: 1, finished: true, blocked_by: [] };
    expect((await doctor()).found).toEqual([]);
  });

  it('continues without the owner key, and reports that', async () => {
    diagnostics = { status: 401, body: { error: { code: 'INVALID_OWNER_KEY', message: 'Not of this installation.' } } };
    expect(await doctor()).toMatchObject({ code: 1, found: [{ check: 'owner key', status: 'error' }] });
  });

  it('reports that no server answers', async () => {
    await server.close();
    const { code, stderr, found } = await doctor();
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'INSTALLATION_UNHEALTHY' } });
    expect(found.map(({ check }) => check)).toEqual(['reachable', 'devices']);
  });

  it('wants the keys closed to other users', async () => {
    const path = join(server.folder, 'owner.key');
    await writeFile(path, 'svc_own_secret\n', { mode: 0o600 });
    expect((await doctor()).found).toEqual([]);
    await chmod(path, 0o644);
    expect(await doctor()).toMatchObject({
      code: 1,
      found: [{ check: 'key files', status: 'error', remedy: `Run: chmod 600 ${path}` }],
    });
  });
});
