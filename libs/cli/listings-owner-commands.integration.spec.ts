import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

type Options = Parameters<typeof server.run>[1];
const run = (line: string, options?: Options) => server.run(['listings', ...line.split(' ')], options);
const lines = () => server.received.map((received) => received.line);
const bodyOf = (index: number) => JSON.parse(server.received[index]!.body.toString()) as unknown;
const data = (given: unknown) => json(200, { data: given });
const DASHBOARD = '/api/dashboard/v1/listings';

const letter = {
  ...{ id: 'h1', hook: 'svc_mapping_created', occurred_at: '2026-01-01T00:00:00.000Z', attempts: 8 },
  ...{ failed_at: '2026-01-02T00:00:00.000Z', last_error: 'The webhook answered 500.', payload: {} },
};
const letters = json(200, {
  data: [letter],
  meta: { current_page: 1, last_page: 1, per_page: 50, total: 1 },
});

describe('the OAuth client', () => {
  const saved = { client_id: 'shop', source: 'saved' };

  it('is set with a secret of a file or a variable, which is shown nowhere', async () => {
    const file = join(server.folder, 'secret');
    await writeFile(file, 'from a file\n');
    server.answer(data(saved));
    const outcomes = [
      await run(`oauth-client set --id shop --secret-file ${file}`),
      await run('oauth-client set --id shop --json', { env: { OAUTH_CLIENT_SECRET: 'of a variable' } }),
    ];
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    expect(lines()).toEqual(Array(2).fill(`PUT ${DASHBOARD}/oauth-client`));
    expect([bodyOf(0), bodyOf(1)]).toEqual([
      { client_id: 'shop', client_secret: 'from a file' },
      { client_id: 'shop', client_secret: 'of a variable' },
    ]);
    expect(server.received[0]!.headers.authorization).toBe('Bearer svc_own_secret');
    expect(outcomes[0]!.stdout).toMatch(/client\s+shop\nsource\s+saved\n/);
    expect(JSON.parse(outcomes[1]!.stdout)).toEqual(saved);
    expect(JSON.stringify(outcomes)).not.toMatch(/from a file|of a variable/);
  });

  it.each([
    ['oauth-client set --id shop', 2, 'OAUTH_CLIENT_SECRET'],
    ['oauth-client set', 2, '--id'],
    ['oauth-client set --id shop --secret-file /nowhere/at/all', 1, 'ENOENT'],
  ])('is not sent by "%s"', async (line, code, told) => {
    const refused = await run(line);
    expect([refused.code, refused.stdout, lines()]).toEqual([code, '', []]);
    expect(refused.stderr).toContain(told);
  });

  it('is shown, and forgotten', async () => {
    server.answer(data({ client_id: null, source: null }));
    expect((await run('oauth-client show')).stdout).toContain('sluice listings oauth-client set');
    expect((await run('oauth-client remove --json')).code).toBe(0);
    expect(lines()).toEqual([`GET ${DASHBOARD}/oauth-client`, `DELETE ${DASHBOARD}/oauth-client`]);
  });
});

describe('the webhook', () => {
  it('is set, with the present secret, a new one or one’s own', async () => {
    const file = join(server.folder, 'secret');
    await writeFile(file, 'sixteen characters\n');
    server.answer(data({ url: 'https://h.example/', secret: 'whsec_1' }), data({ url: 'https://h.example/' }));
    const made = await run('webhook set https://h.example/');
    expect(made.stdout).toContain('whsec_1');
    expect(made.stderr).toContain('shown this once');
    expect((await run(`webhook set https://h.example/ --secret-file ${file}`)).stderr).toBe('');
    await run('webhook set https://h.example/ --new-secret');
    expect([bodyOf(0), bodyOf(1), bodyOf(2)]).toEqual([
      { url: 'https://h.example/' },
      { url: 'https://h.example/', secret: 'sixteen characters' },
      { url: 'https://h.example/', secret: null },
    ]);
    expect((await run(`webhook set https://h.example/ --new-secret --secret-file ${file}`)).code).toBe(2);
    expect(lines()).toEqual(Array(3).fill(`PUT ${DASHBOARD}/webhook`));
  });

  it('is shown', async () => {
    server.answer(data({ url: null, waiting: 0, dead: 2 }));
    const shown = await run('webhook show');
    expect(shown.stdout).toContain('sluice listings webhook set');
    expect(shown.stdout).toMatch(/dead letters\s+2/);
    expect(JSON.parse((await run('webhook show --json')).stdout)).toEqual({ url: null, waiting: 0, dead: 2 });
  });

  it('prints the message of the server for an address that it rejects', async () => {
    const errors = { url: ['The url must be an https address.'] };
    server.answer(json(422, { error: { code: 'VALIDATION_FAILED', message: 'No.', details: { errors } } }));
    const refused = await run('webhook set ftp://h.example/');
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toContain('VALIDATION_FAILED');
  });

  it.each([
    ['webhook remove', `DELETE ${DASHBOARD}/webhook`, { deleted: true }],
    ['webhook dead-letters clear', `DELETE ${DASHBOARD}/webhook/dead-letters`, { deleted: 3 }],
  ])('%s asks a person before', async (line, request, answer) => {
    server.answer(data(answer));
    const no = await run(line, { isTTY: true, answers: ['n'] });
    expect([no.code, lines()]).toEqual([1, []]);
    expect(no.stderr).toContain('NOT_CONFIRMED');
    expect((await run(line, { isTTY: true, answers: ['y'] })).code).toBe(0);
    expect((await run(`${line} --yes`, { isTTY: true })).questions).toEqual([]);
    expect(JSON.parse((await run(`${line} --json`)).stdout)).toEqual(answer);
    expect(lines()).toEqual(Array(3).fill(request));
  });

  it('lists and resends dead letters, some or all', async () => {
    server.answer(letters);
    const listed = await run('webhook dead-letters');
    for (const told of ['h1', 'svc_mapping_created', 'The webhook answered 500.'])
      expect(listed.stdout).toContain(told);
    expect(JSON.parse((await run('webhook dead-letters list --json')).stdout)).toEqual([letter]);
    server.answer(data({ resent: 1 }));
    expect((await run('webhook dead-letters resend')).stdout).toMatch(/resent\s+1/);
    await run('webhook dead-letters resend h1 h2');
    expect([bodyOf(2), bodyOf(3)]).toEqual([{}, { ids: ['h1', 'h2'] }]);
    expect(lines()[3]).toBe(`POST ${DASHBOARD}/webhook/dead-letters/resend`);
    for (const line of ['dead-letters clear h1', 'dead-letters burn']) {
      expect((await run(`webhook ${line}`)).code).toBe(2);
    }
  });
});
