import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const PATH = '/api/public/v1/apps/1/signing-key';
const at = '2026-01-01T00:00:00Z';
const FINGERPRINT = `abcdef01${'2'.repeat(56)}`;
const key = {
  ...{ id: 2, name: 'release', scheme: 'pss', fingerprint: FINGERPRINT, public_key: 'PEM' },
  ...{ status: 'active', created_at: at },
};
const active = { ...key, configured: true, rotated_at: null, former_keys: [] };
const listed = (id: number, status: string) => ({
  ...key,
  id,
  status,
  superseded_at: at,
  retired_at: null,
  devices: 4711,
});
const page = { current_page: 1, last_page: 1, per_page: 50, total: 2 };
const list = json(200, { data: [listed(2, 'active'), listed(1, 'former')], meta: page });

const run = (args: string[], options?: Parameters<typeof server.run>[1]) =>
  server.run(['signing-key', ...args, '--app', '1'], options);
const lines = () => server.received.map((received) => received.line);
const sent = () => JSON.parse(server.received.at(-1)!.body.toString()) as unknown;

it('lists keys with their fingerprint, status, devices and since when they are trusted', async () => {
  server.answer(list);
  const { code, stdout } = await run(['list']);
  expect(code).toBe(0);
  for (const shown of ['former', 'active', FINGERPRINT, 'trusted since', at, 'devices', '4711'])
    expect(stdout).toContain(shown);
});

it('shows which former keys still sign', async () => {
  const former_keys = [{ id: 1, fingerprint: 'f'.repeat(64) }];
  server.answer(json(200, { data: { ...active, former_keys } }));
  expect((await run(['show'])).stdout).toContain(`1 (${'f'.repeat(64)})`);
});

it('shows the certificate of a key, and what the configuration of an app calls the key', async () => {
  const made = { certificate: 'CERTIFICATE', keyid: '2', alg: 'rsa-v1_5-sha256', valid_from: at, valid_until: at };
  server.answer(json(200, { data: made }));
  const { stdout } = await run(['certificate', '2']);
  expect(lines()).toEqual([`GET ${PATH}s/2/certificate`]);
  for (const shown of ['keyid', 'rsa-v1_5-sha256', 'CERTIFICATE']) expect(stdout).toContain(shown);
});

describe('rotating', () => {
  it('asks for the fingerprint on a terminal, and rotates that key only', async () => {
    server.answer(json(200, { data: active }));
    for (const answers of [[''], ['abcdef0'], ['fedcba98']]) {
      expect(await run(['rotate'], { isTTY: true, answers })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('NOT_CONFIRMED'),
      });
    }
    expect(new Set(lines())).toEqual(new Set([`GET ${PATH}`]));
    expect(await run(['rotate'], { isTTY: true, answers: ['ABCDEF01'] })).toMatchObject({ code: 0 });
    expect(lines().at(-1)).toBe(`POST ${PATH}/rotate`);
    expect(sent()).toEqual({ expected_fingerprint: FINGERPRINT });
  });

  it.each([[['--yes']], [['--json']]])('does not ask with %j', async (options) => {
    server.answer(json(200, { data: active }));
    expect(await run(['rotate', ...options], { isTTY: true })).toMatchObject({ code: 0, questions: [] });
    expect(lines()).toEqual([`POST ${PATH}/rotate`]);
  });

  it('does not ask when it is given the fingerprint', async () => {
    server.answer(json(200, { data: active }));
    const args = ['rotate', '--expected-fingerprint', FINGERPRINT];
    expect(await run(args, { isTTY: true })).toMatchObject({ code: 0, questions: [] });
    expect(sent()).toEqual({ expected_fingerprint: FINGERPRINT });
  });
});

describe('retiring', () => {
  it('says on a terminal what it does to devices, and asks for the fingerprint', async () => {
    server.answer(list);
    const no = await run(['retire', '1'], { isTTY: true, answers: ['n'] });
    expect(no).toMatchObject({ code: 1, stderr: expect.stringContaining('stop accepting updates') });
    expect(no.stderr).toContain('no newer key signed: 4711');
    expect(lines()).toEqual([`GET ${PATH}s?page=1&per_page=50`]);
    server.answer(list, json(200, { data: { ...listed(1, 'retired'), retired_at: at } }));
    expect(await run(['retire', '1'], { isTTY: true, answers: ['abcdef01'] })).toMatchObject({ code: 0 });
    expect(lines().at(-1)).toBe(`POST ${PATH}s/1/retire`);
  });

  it('does not ask outside a terminal', async () => {
    server.answer(json(200, { data: { ...listed(1, 'retired'), retired_at: at } }));
    expect((await run(['retire', '1'])).stdout).toContain('retired');
    expect(lines()).toEqual([`POST ${PATH}s/1/retire`]);
  });
});

it('changes what guards the signatures of an app with the owner key', async () => {
  server.answer(json(200, { data: { id: 1, app_id: 'a.b', name: 'Shop', signing_key_rotation: 'owner_only' } }));
  const args = ['app', 'edit', '1', '--signing-key-rotation', 'owner-only', '--unique-signatures', 'on'];
  expect((await server.run(args)).stdout).toContain('the owner alone');
  expect(server.received[0]).toMatchObject({
    line: 'PATCH /api/dashboard/v1/apps/1',
    headers: { authorization: 'Bearer svc_own_secret' },
  });
  expect(sent()).toEqual({ signing_key_rotation: 'owner_only', unique_signatures: true });
});
