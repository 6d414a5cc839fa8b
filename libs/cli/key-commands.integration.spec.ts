import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const run = (line: string, options?: Parameters<typeof server.run>[1]) =>
  server.run([...line.split(' '), '--app', 'com.example'], options);
const lines = () => server.received.map((received) => received.line);
const bodyOf = (index: number) => JSON.parse(server.received[index]!.body.toString()) as unknown;

const key = { id: 3, name: 'web', key_preview: 'svc_app_1…', status: 'active', restrictions: {}, unrestricted: true };
const PATH = '/api/public/v1/apps/com.example/api-keys/3';

it('rotates and reveals, and shows the secret', async () => {
  server.answer(
    json(200, { data: { id: 3, name: 'web', status: 'active', plaintext_key: 'svc_app_new' } }),
    json(200, { data: { id: 3, plaintext_key: 'svc_app_new' } }),
  );
  expect((await run('key rotate 3')).stdout).toContain('svc_app_new');
  expect((await run('key reveal 3')).stdout).toContain('svc_app_new');
  expect(lines()).toEqual([`POST ${PATH}/rotate`, `POST ${PATH}/reveal`]);
});

it('imports, lists, reveals and deletes keys of a channel', async () => {
  const imported = { id: 4, name: 'CodePush', status: 'active', plaintext_key: 'Deployment-Key_1' };
  server.answer(
    json(201, { data: imported }),
    json(200, { data: [{ ...key, platform: 'ios' }], meta: { total: 1, page: 1, per_page: 100, last_page: 1 } }),
    json(200, { data: { id: 4, plaintext_key: 'Deployment-Key_1' } }),
    json(200, { data: { id: 4, deleted: true } }),
  );
  const create = 'key create --name CodePush --key Deployment-Key_1 --platform ios';
  expect((await run(`${create} --of-channel production`)).stdout).toContain('Deployment-Key_1');
  expect(bodyOf(0)).toEqual({ name: 'CodePush', key: 'Deployment-Key_1', platform: 'ios' });
  expect((await run('key list --of-channel production')).stdout).toMatch(/ios/);
  expect((await run('key reveal 4 --of-channel production')).code).toBe(0);
  expect((await run('key delete 4 --of-channel production --yes')).code).toBe(0);
  const keys = '/api/public/v1/apps/com.example/channels/production/keys';
  expect(lines()).toEqual([
    `POST ${keys}`,
    expect.stringContaining(`GET ${keys}`),
    `POST ${keys}/4/reveal`,
    `DELETE ${keys}/4`,
  ]);
  expect((await run(create)).code).toBe(2);
});

it.each(['revoke', 'deprecate'])('%ss by id', async (verb) => {
  server.answer(json(200, { data: key }));
  expect((await run(`key ${verb} 3`)).code).toBe(0);
  expect(lines()).toEqual([`POST ${PATH}/${verb}`]);
});

it('restricts to what was said, telling a fingerprint by its length', async () => {
  const [sha256, sha1] = ['ab'.repeat(32), 'CD:'.repeat(19) + 'CD'];
  server.answer(json(200, { data: { ...key, restrictions: { origins: ['https://a.example'] } } }));
  const { code, stdout } = await run(
    `key restrict 3 --origin https://a.example --origin https://*.b.example --android com.a=${sha256},${sha1} --android com.b --ios com.c=TEAM --ios com.d`,
  );
  expect(code).toBe(0);
  expect(stdout).toContain('https://a.example');
  expect(lines()).toEqual([`PATCH ${PATH}/restrictions`]);
  expect(bodyOf(0)).toEqual({
    origins: ['https://a.example', 'https://*.b.example'],
    android: [{ package_name: 'com.a', sha256: [sha256], sha1: [sha1] }, { package_name: 'com.b' }],
    ios: [{ bundle_id: 'com.c', team_id: 'TEAM' }, { bundle_id: 'com.d' }],
  });
});

it('clears restrictions only when told to', async () => {
  server.answer(json(200, { data: key }));
  expect((await run('key restrict 3 --clear')).stdout).toContain('everybody');
  expect(bodyOf(0)).toEqual({});
  for (const line of ['key restrict 3', 'key restrict 3 --clear --ios a', 'key restrict 3 --android a=beef']) {
    expect((await run(line)).code).toBe(2);
  }
  expect(server.received).toHaveLength(1);
});

it('deletes after a question on a terminal, and without one elsewhere', async () => {
  server.answer(json(200, { data: key }));
  expect(await run('key delete 3', { isTTY: true, answers: ['n'] })).toMatchObject({
    code: 1,
    questions: [expect.stringContaining('web, active')],
  });
  server.answer(json(200, { data: { deleted: true, id: 3 } }));
  expect(await run('key delete 3')).toMatchObject({ code: 0, questions: [] });
  expect(lines()).toEqual([`GET ${PATH}`, `DELETE ${PATH}`]);
});
