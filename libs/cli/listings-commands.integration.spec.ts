import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json, scriptedServer, type Answer } from '../../test/support/scripted-server';

const server = scriptedServer();

type Options = Parameters<typeof server.run>[1];
const run = (line: string, options?: Options) => server.run(['listings', ...line.split(' ')], options);
const lines = () => server.received.map((received) => received.line);
const bodyOf = (index: number) => JSON.parse(server.received[index]!.body.toString()) as unknown;

const LISTINGS = '/svc/v1/listings-ads';
const AS_OWNER = { env: { SLUICE_TOKEN: '' } };

const done = (data: object, status = 200) => json(status, { success: true, data, message: 'Done.' });
const refused = (status: number, code: string, more: object = {}) =>
  json(status, { success: false, data: { code, ...more }, message: `It is ${code}.` });

/** Responses by route: each request takes the next one, and the last one stays. */
function play(routes: Readonly<Record<string, readonly Answer[]>>): void {
  const left = Object.fromEntries(Object.entries(routes).map(([line, answers]) => [line, [...answers]]));
  server.answer((response, request) => {
    const answers = left[request.line] ?? [];
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    (answer ?? json(500, { error: { code: 'UNEXPECTED_REQUEST', message: request.line } }))(response, request);
  });
}

const connection = { connected: true, email: 'ann@shop.example' };
const account = { account_id: '123', name: 'Shop' };
const log = {
  ...{ id: '01RUN', run_type: 'incremental', trigger: 'manual', status: 'completed' },
  ...{ items_processed: 10, items_failed: 1, items_skipped: 85, items_deleted: 4 },
  ...{ started_at: '2026-01-01T00:00:00.000Z', completed_at: '2026-01-01T00:01:00.000Z', heartbeat_at: null },
  ...{
    error_message: null,
    details: { excluded: 3, failures: [{ offer: 'svc_7', code: 'invalid', reasons: ['No price.', 'Hidden.'] }] },
  },
};
const listings = { total: 99, pending: 9, approved: 80, disapproved: 8, expiring: 2 };
const progress = {
  ...{ log_id: '01RUN', run_type: 'full', trigger: 'manual', started_at: log.started_at, heartbeat_at: null },
  ...{ items_read: 40, items_expected: 100, items_processed: 30, items_failed: 2, items_deleted: 0 },
};

describe('a refusal', () => {
  it.each([
    [403, 'module_disabled', 'sluice listings enable'],
    [403, 'entitlement_required', 'sluice listings entitlement on'],
    [403, 'forbidden', '--permission manage_store'],
    [409, 'not_connected', 'sluice listings connect --wait'],
    [409, 'reauth_required', 'sluice listings connect --wait'],
    [409, 'oauth_client_missing', 'OAUTH_CLIENT_ID'],
    [409, 'account_not_chosen', 'MERCHANT_ACCOUNT_ID'],
    [409, 'sync_already_running', 'sluice listings status'],
    [502, 'remote_api_sunset', 'REMOTE_CATALOG=merchant_api_v1'],
  ])('%i %s is shown with its message and the next step', async (status, code, step) => {
    server.answer(refused(status, code));
    const { code: exit, stdout, stderr } = await run('sync');
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
    expect(stderr).toContain(`could not start a sync\n  ${code}: It is ${code}.\n`);
    expect(stderr).toContain(step);
    const script = await run('sync --json');
    expect(JSON.parse(script.stderr)).toEqual({ error: { code, message: `It is ${code}.` } });
  });

  it('waits as long as the server says', async () => {
    server.answer(
      json(429, { success: false, data: { code: 'rate_limited' }, message: 'No.' }, { 'retry-after': '7' }),
    );
    expect((await run('sync')).stderr).toContain('Wait 7 s');
  });

  it('names each wrong setting', async () => {
    server.answer(
      done({ batch_size: 50 }),
      refused(422, 'invalid_settings', { errors: { batch_size: ['Too large.'] } }),
    );
    expect((await run('settings sync --set batch_size=500')).stderr).toContain('batch_size: Too large.');
  });
});

describe('the credential', () => {
  it('is the token where one is given, else the owner key', async () => {
    server.answer(done({ checks: [] }));
    await run('diagnostics');
    await run('diagnostics --token svc_pat_other');
    await run('diagnostics', AS_OWNER);
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer svc_pat_secret',
      'Bearer svc_pat_other',
      'Bearer svc_own_secret',
    ]);
    expect(
      await run('diagnostics', { env: { SLUICE_TOKEN: '', OWNER_KEY: '', DATA_DIR: server.folder } }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no owner key'),
    });
  });
});

describe('the switch', () => {
  it.each([
    ['enable', { enabled: true }],
    ['disable', { enabled: false }],
    ['entitlement on', { entitled: true }],
    ['entitlement off', { entitled: false }],
  ])('%s is the owner’s, on the dashboard plane', async (command, changes) => {
    server.answer(json(200, { data: { enabled: true, entitled: true, ...changes } }));
    expect((await run(command)).code).toBe(0);
    expect(server.received[0]).toMatchObject({
      line: 'PUT /api/dashboard/v1/listings',
      headers: { authorization: 'Bearer svc_own_secret' },
    });
    expect(bodyOf(0)).toEqual(changes);
  });

  it('says what is still missing', async () => {
    server.answer(json(200, { data: { enabled: true, entitled: false } }));
    expect((await run('enable')).stderr).toContain('sluice listings entitlement on');
    server.answer(json(200, { data: { enabled: false, entitled: true } }));
    expect((await run('entitlement on')).stderr).toContain('sluice listings enable');
    server.answer(json(200, { data: { enabled: false, entitled: false } }));
    for (const line of ['disable', 'entitlement off']) expect((await run(line)).stderr).toBe('');
    expect((await run('entitlement maybe')).code).toBe(2);
  });
});

describe('status', () => {
  const working = {
    'GET /api/dashboard/v1/listings': [json(200, { data: { enabled: true, entitled: true } })],
    [`GET ${LISTINGS}/connection`]: [done(connection)],
    [`GET ${LISTINGS}/merchant`]: [done(account)],
    [`GET ${LISTINGS}/overview`]: [done({ listings, sync: { running: true, last_run: log } })],
    [`GET ${LISTINGS}/sync/status`]: [done({ running: true, progress })],
  };

  it.each([
    ['a token', undefined],
    ['the owner key', AS_OWNER],
  ])('prints everything to %s', async (_, options) => {
    play(working);
    const { code, stdout } = await run('status', options);
    expect(code).toBe(0);
    expect(stdout).toMatch(/enabled +yes\nentitled +yes\nconnected +yes, as ann@shop\.example\n/);
    expect(stdout).toMatch(/account +123 \(Shop\)\n/);
    expect(stdout).toMatch(/listings +99 in all, 9 pending, 80 approved, 8 disapproved, 2 expiring\n/);
    expect(stdout).toMatch(/sync running +full run 01RUN, 40 of about 100 read\n/);
    expect(stdout).toMatch(/last run +incremental run 01RUN, completed: 10 sent, 1 failed, 85 skipped, 4 deleted\n/);
    expect(JSON.parse((await run('status --json', options)).stdout)).toEqual({
      ...{ enabled: true, entitled: true, connection, account, problem: null, progress },
      overview: { listings, sync: { running: true, last_run: log } },
    });
  });

  it.each([
    ['module_disabled', 'enabled    no; turn it on: sluice listings enable', { enabled: false, entitled: null }],
    [
      'entitlement_required',
      'entitled  no; grant it: sluice listings entitlement on',
      { enabled: true, entitled: false },
    ],
  ])('of a module that rejects with %s prints how to continue', async (code, row, module) => {
    server.answer(refused(403, code));
    expect((await run('status')).stdout.replace(/ +/g, ' ')).toContain(row.replace(/ +/g, ' '));
    const { code: exit, stdout } = await run('status --json');
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ ...module, connection: null, overview: null });
  });

  it('shows the owner of a module that is off whether it is entitled', async () => {
    server.answer(json(200, { data: { enabled: false, entitled: true } }));
    expect((await run('status', AS_OWNER)).stdout).toMatch(/entitled +yes\n/);
    expect(lines()).toEqual(['GET /api/dashboard/v1/listings']);
  });

  it('prints why there is no account', async () => {
    play({ ...working, [`GET ${LISTINGS}/merchant`]: [refused(409, 'account_not_chosen')] });
    expect((await run('status')).stdout).toMatch(/connected +yes.*\nproblem +account_not_chosen: It is/);
    play({ ...working, [`GET ${LISTINGS}/merchant`]: [refused(409, 'reauth_required')] });
    expect((await run('status')).stdout).toMatch(/connected +the grant has ended; connect it: sluice listings connect/);
    play({ ...working, [`GET ${LISTINGS}/connection`]: [done({ connected: false, email: null })] });
    expect((await run('status')).stdout).toMatch(/connected +no; connect it: sluice listings connect --wait\n/);
  });
});

describe('connect', () => {
  const begin = { [`POST ${LISTINGS}/connect`]: [done({ authorization_url: 'https://a.example/?state=x' })] };
  const apart = done({ connected: false, email: null });

  it('prints the address, and waits only with --wait', async () => {
    play(begin);
    const { code, stdout } = await run('connect');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'open in a browser  https://a.example/?state=x\n' });
    expect(lines()).toEqual([`POST ${LISTINGS}/connect`]);
  });

  it('waits until access was granted, through a short absence', async () => {
    play({
      ...begin,
      [`GET ${LISTINGS}/connection`]: [apart, apart, (response) => response.destroy(), done(connection)],
      [`GET ${LISTINGS}/merchant`]: [done(account)],
    });
    const { code, stdout, stderr, pauses } = await run('connect --wait');
    expect(code).toBe(0);
    expect(stdout).toContain('https://a.example/?state=x');
    expect(stderr).toContain('Connected, as ann@shop.example to account 123 (Shop).\n');
    expect(pauses).toEqual([2_000, 2_000]);
  });

  it('waits for a new grant where the former one has ended', async () => {
    play({
      ...begin,
      [`GET ${LISTINGS}/connection`]: [done(connection)],
      [`GET ${LISTINGS}/merchant`]: [refused(409, 'reauth_required'), refused(409, 'reauth_required'), done(account)],
    });
    const { code, stdout, stderr, pauses } = await run('connect --wait --json');
    expect({ code, stderr, pauses }).toEqual({ code: 0, stderr: '', pauses: [2_000] });
    expect(JSON.parse(stdout)).toEqual({ authorization_url: 'https://a.example/?state=x' });
  });

  it('does not wait where there is a connection that works', async () => {
    play({
      ...begin,
      [`GET ${LISTINGS}/connection`]: [done(connection)],
      [`GET ${LISTINGS}/merchant`]: [refused(409, 'account_not_chosen')],
    });
    expect(await run('connect --wait')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('already'),
      pauses: [],
    });
  });

  it('stops when the address is no longer valid', async () => {
    play({ ...begin, [`GET ${LISTINGS}/connection`]: [apart] });
    const { code, stderr, pauses } = await run('connect --wait');
    expect(code).toBe(1);
    expect(stderr).toContain('NOT_CONNECTED_IN_TIME');
    expect(pauses.reduce((sum, pause) => sum + pause, 0)).toBe(600_000 - 2_000);
  });
});

describe('disconnect', () => {
  it('asks on a terminal, and takes yes alone', async () => {
    play({
      [`GET ${LISTINGS}/connection`]: [done(connection)],
      [`POST ${LISTINGS}/disconnect`]: [done({ revocation: 'confirmed' })],
    });
    expect(await run('disconnect', { isTTY: true, answers: ['n'] })).toMatchObject({
      code: 1,
      questions: [expect.stringContaining('ann@shop.example')],
      stderr: expect.stringContaining('NOT_CONFIRMED'),
    });
    expect(lines()).toEqual([`GET ${LISTINGS}/connection`]);
    expect(await run('disconnect', { isTTY: true, answers: ['yes'] })).toMatchObject({ code: 0 });
    expect(await run('disconnect --yes', { isTTY: true })).toMatchObject({ code: 0, questions: [] });
  });

  it('says what becomes of a token that was not confirmed to be revoked', async () => {
    server.answer(done({ revocation: 'unconfirmed' }));
    expect(await run('disconnect')).toMatchObject({ code: 0, stderr: expect.stringContaining('7 days') });
    expect(JSON.parse((await run('disconnect --json')).stdout)).toEqual({ revocation: 'unconfirmed' });
  });
});

describe('settings', () => {
  const settings = { target_country: 'US', include_variations: true, shipping_settings: null, category_mappings: [] };

  it('are shown by their names', async () => {
    server.answer(done(settings));
    const { stdout } = await run('settings feed');
    expect(stdout).toMatch(
      /target_country +US\ninclude_variations +yes\nshipping_settings +null\ncategory_mappings +\[\]\n/,
    );
    expect(lines()).toEqual([`GET ${LISTINGS}/feed/settings`]);
  });

  it('change where they are named: texts, JSON, and files of JSON', async () => {
    const mappings = [{ source_category: 'A=B', google_product_category: '1' }];
    const file = join(server.folder, 'mappings.json');
    await writeFile(file, JSON.stringify(mappings));
    server.answer(done(settings));
    const shipping = { mode: 'rates', rates: [{ country: 'DE', service: 'Paket', price: '4.99 EUR' }] };
    const commandLine = [
      ...['listings', 'settings', 'feed', '--set', 'target_country=NO', '--set', 'include_variations=false'],
      ...['--set', `shipping_settings=${JSON.stringify(shipping)}`, '--set', `category_mappings=@${file}`],
    ];
    expect(await server.run(commandLine)).toMatchObject({ code: 0, stderr: '' });
    expect(lines()).toEqual([`GET ${LISTINGS}/feed/settings`, `POST ${LISTINGS}/feed/settings`]);
    expect(bodyOf(1)).toEqual({
      ...{ target_country: 'NO', include_variations: false, shipping_settings: shipping },
      category_mappings: mappings,
    });
  });

  it.each([
    ['settings sync --set colour=red', 2, 'There is no setting colour.'],
    ['settings sync --set batch_size', 2, 'must look like name=value'],
    ['settings sync --set batch_size={', 2, 'is no JSON'],
    ['settings sync --set batch_size=@/nowhere/at.all', 1, 'ENOENT'],
  ])('are not sent: %s', async (line, code, said) => {
    server.answer(done({ batch_size: 50 }));
    expect(await run(line)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(said) });
    expect(lines()).toEqual([`GET ${LISTINGS}/sync/settings`]);
  });
});

describe('the feed', () => {
  const item = { id: 'svc_7', product_id: '7', variation_id: null, title: 'Mug', price: '15.00 USD' };
  const preview = {
    items: [{ ...item, availability: 'in_stock' }],
    excluded: [{ product_id: '8', variation_id: '9', reasons: ['It has no price.', 'It is hidden.'] }],
  };
  const bytes = '<rss>Grüße</rss>'.repeat(20_000);
  const feed: Answer = (response) => response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(bytes);
  const broken: Answer = (response) => {
    response.writeHead(200).write('<rss>');
    void once(response.req, 'close').catch(() => undefined);
    setImmediate(() => response.destroy());
  };

  it('is previewed, with what is left out and why', async () => {
    server.answer(done({ ...preview, next_offset: null }));
    const { stdout, stderr } = await run('feed preview');
    expect(stdout).toMatch(/svc_7 +7 +Mug +15\.00 USD +in_stock\n/);
    expect(stdout).toMatch(/8 +9 +It has no price\. It is hidden\.\n/);
    expect(stderr).toBe('Not listed:\n');
    expect(lines()).toEqual([`GET ${LISTINGS}/feed/preview?limit=100&offset=0`]);
    expect(JSON.parse((await run('feed preview --json')).stdout)).toEqual({ ...preview, next_offset: null });
  });

  it('is previewed in parts, for as long as there is more and more is wanted', async () => {
    server.answer(done({ ...preview, next_offset: 2 }), done({ ...preview, next_offset: 4 }));
    const { stdout } = await run('feed preview --limit 3 --json');
    expect(lines()).toEqual(['limit=3&offset=0', 'limit=1&offset=2'].map((q) => `GET ${LISTINGS}/feed/preview?${q}`));
    expect(JSON.parse(stdout)).toMatchObject({ items: { length: 2 }, excluded: { length: 2 }, next_offset: 4 });
    expect((await run('feed preview --limit 2')).stderr).toContain('--limit shows more');
  });

  it('is printed as it comes', async () => {
    server.answer(feed);
    expect(await run('feed download --format tsv')).toMatchObject({ code: 0, stdout: bytes, stderr: '' });
    expect(lines()).toEqual([`GET ${LISTINGS}/feed/download?format=tsv`]);
    expect(server.received[0]!.headers.accept).toBe('*/*');
  });

  it('takes the place of an earlier file, once it is whole', async () => {
    const file = join(server.folder, 'feed.xml');
    await writeFile(file, 'earlier');
    server.answer(broken);
    expect(await run(`feed download -o ${file}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('DOWNLOAD_BROKEN_OFF'),
    });
    expect(await readFile(file, 'utf8')).toBe('earlier');
    server.answer(feed);
    const { stdout } = await run(`feed download -o ${file} --json`);
    expect(JSON.parse(stdout)).toEqual({ file, format: 'rss', bytes: Buffer.byteLength(bytes) });
    expect(await readFile(file, 'utf8')).toBe(bytes);
    expect(await readdir(server.folder)).toEqual(['feed.xml']);
  });

  it('is not fetched where it can be put nowhere', async () => {
    expect((await run('feed download --json')).code).toBe(2);
    expect((await run('feed download --format pdf')).code).toBe(2);
    expect(lines()).toEqual([]);
    server.answer(feed);
    expect((await run(`feed download -o ${server.folder}/no/feed.xml`)).stderr).toContain('ENOENT');
  });

  it('is refused in the envelope', async () => {
    server.answer(refused(403, 'module_disabled'));
    expect(await run('feed download')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('enable'),
    });
  });
});

describe('sync', () => {
  const started = { [`POST ${LISTINGS}/sync/now`]: [done({ log_id: '01RUN' }, 202)] };
  const running = (progressOf: object | null) => done({ running: progressOf !== null, progress: progressOf });
  const ended = (changes: object = {}) => [done({ ...log, ...changes })];

  it.each([
    ['sync', {}],
    ['sync --full', { run_type: 'full' }],
    ['sync --product 77', { product_id: '77' }],
  ])('%s is ordered as %j', async (line, order) => {
    play(started);
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'log  01RUN\n' });
    expect(stderr).toContain('sluice listings logs 01RUN');
    expect(bodyOf(0)).toEqual(order);
    expect((await run('sync --full --product 77')).code).toBe(2);
  });

  it('is followed to its end, by its own progress alone', async () => {
    play({
      ...started,
      [`GET ${LISTINGS}/sync/status`]: [
        running(progress),
        json(503, { success: false, data: { code: 'service_unavailable' }, message: 'No.' }, { 'retry-after': '3' }),
        running({ ...progress, items_read: 100 }),
        running(null),
        running({ ...progress, log_id: '01NEXT' }),
      ],
      [`GET ${LISTINGS}/sync/logs/01RUN`]: [done({ ...log, status: 'running' }), done(log)],
    });
    const { code, stdout, pauses } = await run('sync --wait --json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(log);
    expect(pauses).toEqual([250, 3_000, 1_000, 2_000]);
  });

  it('moves a bar on a terminal', async () => {
    play({
      ...started,
      [`GET ${LISTINGS}/sync/status`]: [running(progress), running(null)],
      [`GET ${LISTINGS}/sync/logs/01RUN`]: ended(),
    });
    const { stderr, stdout } = await run('sync --wait', { isTTY: true, env: { NO_COLOR: '1' } });
    expect(stderr).toContain('40% of about 100 read, 30 sent, 2 failed');
    expect(stdout).toMatch(/items +10 sent, 1 failed, 85 skipped, 4 deleted\n/);
  });

  it.each([
    ['failed', 'The merchant API is unavailable.', 'SYNC_FAILED: The merchant API is unavailable.'],
    ['partial', null, 'SYNC_PARTIAL: The run is partial, and 1 of its items failed.'],
    ['cancelled', null, 'SYNC_CANCELLED'],
  ])('fails when it ended %s, and still prints the run', async (status, error, said) => {
    play({
      ...started,
      [`GET ${LISTINGS}/sync/status`]: [running(null)],
      [`GET ${LISTINGS}/sync/logs/01RUN`]: ended({ status, error_message: error }),
    });
    const { code, stdout, stderr } = await run('sync --wait');
    expect(code).toBe(1);
    expect(stdout).toMatch(new RegExp(`status +${status}\n`));
    expect(stderr).toContain(said);
  });
});

describe('lists', () => {
  const page = (ids: readonly number[], total: number) =>
    done({
      items: ids.map((id) => ({ ...log, id: `log-${id}` })),
      meta: { current_page: 1, last_page: Math.ceil(total / 50), per_page: 50, total },
    });
  const from = (first: number) => Array.from({ length: 50 }, (_, n) => first + n);

  it('read no more pages than it takes, and say that there are more', async () => {
    server.answer(page(from(0), 500), page(from(49), 500), page(from(98), 500));
    const { stdout, stderr } = await run('logs --limit 60 --json');
    expect(JSON.parse(stdout)).toHaveLength(60);
    expect(stderr).toBe('');
    expect(lines()).toEqual([1, 2].map((n) => `GET ${LISTINGS}/sync/logs?page=${n}&per_page=50`));
    server.answer(page(from(0), 500));
    expect((await run('logs --limit 50')).stderr).toContain('50 of 500');
  });

  it('are empty without a word of an error', async () => {
    server.answer(page([], 0));
    expect(await run('logs')).toMatchObject({ code: 0, stdout: '', stderr: 'Nothing found.\n' });
  });

  it('of mappings can be narrowed', async () => {
    const issue = { code: 'missing_gtin', severity: 'demoted', countries: ['US', 'CA'] };
    const mapping = { id: 'm', offer_id: 'svc_7', product_id: '7', listing_status: 'approved', last_error: null };
    const items = [{ ...mapping, validation_issues: [issue, issue] }];
    server.answer(done({ items, meta: { last_page: 1, total: 1 } }));
    const { stdout } = await run('mappings --status approved --product 7');
    expect(stdout).toMatch(/svc_7 +7 +approved +missing_gtin +/);
    expect(lines()).toEqual([`GET ${LISTINGS}/mappings?page=1&per_page=50&listing_status=approved&product_id=7`]);
  });

  it('hold one run in detail', async () => {
    server.answer(done(log));
    const { stdout } = await run('logs 01RUN');
    expect(stdout).toMatch(/excluded +3\nfailures 1 +offer: svc_7, code: invalid, reasons: No price\. Hidden\.\n/);
    expect(lines()).toEqual([`GET ${LISTINGS}/sync/logs/01RUN`]);
  });
});

describe('diagnostics', () => {
  const check = (status: string, repairable = false, tried = true) => ({
    ...{ id: 'orphan_mappings', area: 'mappings', status, tried, message: 'Two are left over.', count: 2, repairable },
  });

  it.each([
    [0, [check('ok', true)], ''],
    [0, [check('warning', true)], 'Some of it can be repaired: sluice listings repair\n'],
    [1, [check('error'), check('ok')], 'error: 1 check failed.\n'],
    [0, [check('ok', false, false)], ''],
  ])('end with %i', async (code, checks, said) => {
    server.answer(done({ checks }));
    const { stdout, ...ended } = await run('diagnostics');
    expect(ended).toMatchObject({ code, stderr: said });
    expect(stdout).toMatch(/orphan_mappings +mappings +(ok|warning|error|not tried) +2 +Two are left over\.\n/);
  });

  it.each([
    ['repair', { dry_run: false }],
    [
      'repair --dry-run --check orphan_mappings --check stale_run',
      {
        checks: ['orphan_mappings', 'stale_run'],
        dry_run: true,
      },
    ],
  ])('are repaired: %s', async (line, order) => {
    const repairs = [{ id: 'orphan_mappings', message: 'Mappings are forgotten.', count: 2 }];
    server.answer(done({ dry_run: order.dry_run, log_id: order.dry_run ? null : '01FIX', repairs }));
    const { stdout, stderr } = await run(line);
    expect(stdout).toMatch(/orphan_mappings +Mappings are forgotten\. \(2\)\n/);
    expect(stderr).toContain(order.dry_run ? 'Nothing was done.' : 'sluice listings logs 01FIX');
    expect(lines()).toEqual([`POST ${LISTINGS}/diagnostics/repair`]);
    expect(bodyOf(0)).toEqual(order);
  });
});

it('has a help that names every command', async () => {
  const { code, stdout } = await run('--help');
  expect(code).toBe(0);
  for (const name of ['status', 'enable', 'connect', 'settings', 'feed', 'sync', 'logs', 'mappings', 'repair']) {
    expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
  }
});
