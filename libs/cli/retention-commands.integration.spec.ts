import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const app = { id: 4, app_id: 'a.b', name: 'Shop', platform: 'both', keep_builds: 2 };
const build = { id: 3, version: '1.0.0', channel: 'production', state: 'live', file_size: 2_000, created_at: 'then' };
const retention = { keep_builds: 2, total: 1, freed_bytes: 2_000, builds: [build] };
const lines = () => server.received.map(({ line }) => line);

describe('app retention', () => {
  it('lists the builds to delete, and deletes nothing', async () => {
    server.answer(json(200, { data: retention }));
    const { stdout, stderr, code } = await server.run(['app', 'retention', 'a.b', '--keep', '2']);
    expect(code).toBe(0);
    expect(stderr).toContain('1 build (2.0 kB) would be deleted: the newest 2 of each channel are kept.');
    expect(stdout).toMatch(/3 +1\.0\.0 +production +live +2\.0 kB +then/);
    expect(lines()).toEqual(['GET /api/public/v1/apps/a.b/retention?keep_builds=2']);
    expect(JSON.parse((await server.run(['app', 'retention', 'a.b', '--json'])).stdout)).toEqual(retention);
    expect(lines().at(-1)).toBe('GET /api/public/v1/apps/a.b/retention');
  });
});

describe('app edit --keep-builds', () => {
  const edit = (value: string, ...more: string[]) => ['app', 'edit', '4', '--keep-builds', value, ...more];
  const patch = 'PATCH /api/dashboard/v1/apps/4';
  const shown = 'GET /api/dashboard/v1/apps/4/retention?keep_builds=2';

  it.each([
    ['12', 12],
    ['all', 0],
    ['default', null],
  ])('sets %s, as the owner', async (value, keep_builds) => {
    server.answer(json(200, { data: app }));
    expect((await server.run(edit(value))).stdout).toMatch(/builds kept +2\n/);
    expect(lines()).toEqual([patch]);
    expect(JSON.parse(server.received[0]!.body.toString())).toEqual({ keep_builds });
  });

  it('asks on a terminal before builds go, and changes nothing without a yes', async () => {
    server.answer(json(200, { data: retention }));
    const { code, questions, stderr } = await server.run(edit('2'), { isTTY: true, answers: ['n'] });
    expect({ code, questions }).toEqual({
      code: 1,
      questions: [expect.stringContaining('Delete 1 build (2.0 kB) permanently?')],
    });
    expect(stderr).toContain('NOT_CONFIRMED');
    expect(lines()).toEqual([shown]);
    server.answer(json(200, { data: retention }), json(200, { data: app }));
    expect((await server.run(edit('2'), { isTTY: true, answers: ['y'] })).code).toBe(0);
    expect(lines().slice(1)).toEqual([shown, patch]);
  });

  it.each([[[]], [['--yes']]])('does not ask where nothing goes, nor with --yes: %j', async (more) => {
    server.answer(
      ...(more.length === 0 ? [json(200, { data: { ...retention, total: 0 } })] : []),
      json(200, { data: app }),
    );
    expect(await server.run(edit('2', ...more), { isTTY: true })).toMatchObject({ code: 0, questions: [] });
    expect(lines().at(-1)).toBe(patch);
  });

  it.each(['0', '10001', 'none'])('takes no %s', async (value) => {
    expect(await server.run(edit(value))).toMatchObject({ code: 2 });
    expect(lines()).toEqual([]);
  });
});

it('owner storage prints the size of the bundles', async () => {
  server.answer(json(200, { data: { limit_bytes: 5_000, used_bytes: 3_000, apps: [{ id: 4, bytes: 3_000 }] } }));
  expect((await server.run(['owner', 'storage'])).stdout).toMatch(/used +3\.0 kB\nlimit +5\.0 kB\napp 4 +3\.0 kB\n/);
  expect(lines()).toEqual(['GET /api/dashboard/v1/storage']);
});
