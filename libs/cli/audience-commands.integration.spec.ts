import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();
const APP = '/api/public/v1/apps/7';

const run = (...args: string[]) => server.run([...args, '--app', '7']);
const answerWith = (data: unknown) => server.answer(json(200, { data }));
/** The requests, with their bodies as JSON. */
const sent = () =>
  server.received.map(({ line, body }) => {
    const text = body.toString();
    return text === '' ? [line] : [line, JSON.parse(text) as unknown];
  });

const channel = {
  ...{ name: 'beta', id: 'beta.1', standard: false, created_at: '2026-01-01T00:00:00Z', expires_at: null },
  audience: null,
};
const build = {
  ...{ id: 3, version: '1.0.0', channel: 'production', status: 'active', state: 'live', mandatory: false },
  ...{ rollout_percentage: 5, file_size: 10, checksum: null, signature: null, audience: null },
};
const pins = { devices: 2, first_expires_at: '2026-03-01T00:00:00Z', last_expires_at: '2026-04-01T00:00:00Z' };

describe('build audience', () => {
  it('sets groups, attributes, pinned devices alone, or all devices', async () => {
    const audience = {
      groups: ['beta', 'staff'],
      attributes: { plan: { in: ['pro', 'team'] }, os: { range: '>=17' } },
    };
    answerWith({ ...build, audience });
    const rules = ['--group', 'beta', '--group', 'staff', '--attribute', 'plan=pro,team', '--attribute', 'os:>=17'];
    const { code, stdout } = await run('build', 'audience', '3', ...rules);
    expect(code).toBe(0);
    expect(stdout).toMatch(/audience +one of the groups beta, staff and plan is one of pro, team and os in >=17/);
    answerWith({ ...build, audience: { pinned_only: true } });
    expect((await run('build', 'audience', '3', '--pinned-only')).stdout).toMatch(/audience +pinned devices/);
    answerWith(build);
    expect((await run('build', 'audience', '3', '--all')).stdout).not.toMatch(/audience/);
    const path = `PATCH ${APP}/builds/3`;
    expect(sent()).toEqual([
      [path, { audience }],
      [path, { audience: { pinned_only: true } }],
      [path, { audience: null }],
    ]);
  });

  it.each([
    [[], /Pass --group, --attribute, --pinned-only or --all/],
    [['--all', '--group', 'beta'], /--all.*cannot be used with.*--group/],
    [['--pinned-only', '--attribute', 'plan=pro'], /--pinned-only.*cannot be used with.*--attribute/],
    [['--attribute', 'Plan'], /name=value/],
  ])('sends nothing for %j', async (args, message) => {
    const { code, stderr } = await run('build', 'audience', '3', ...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(server.received).toEqual([]);
  });
});

describe('channel', () => {
  it('adds a channel that expires, or that is for some devices', async () => {
    answerWith({ ...channel, audience: { groups: ['beta'] } });
    const { stdout } = await run('channel', 'add', 'beta', '--group', 'beta');
    expect(stdout).toMatch(/channel +beta\n/);
    expect(stdout).toMatch(/audience +group beta\n/);
    await run('channel', 'add', 'beta', '--ttl', '7d');
    expect(sent()).toEqual([
      [`POST ${APP}/channels`, { name: 'beta', audience: { groups: ['beta'] } }],
      [`POST ${APP}/channels`, { name: 'beta', expires_at: expect.stringMatching(/^\d{4}-.*Z$/) as string }],
    ]);
  });

  it('sets the audience of a channel, also of a standard one', async () => {
    answerWith({ ...channel, name: 'production', standard: true, audience: { pinned_only: true } });
    const { stdout } = await run('channel', 'audience', 'production', '--pinned-only');
    expect(stdout).toMatch(/standard +yes\n/);
    expect(stdout).toMatch(/audience +pinned devices\n/);
    expect((await run('channel', 'audience', 'production', '--all', '--json')).code).toBe(0);
    const path = `PATCH ${APP}/channels/production`;
    expect(sent()).toEqual([
      [path, { audience: { pinned_only: true } }],
      [path, { audience: null }],
    ]);
    expect((await run('channel', 'audience', 'beta')).code).toBe(2);
    expect(sent()).toHaveLength(2);
  });

  it('edits, lists, shows and deletes channels', async () => {
    // A server of an earlier release sends no audience.
    const { audience, ...earlier } = channel;
    expect(audience).toBeNull();
    server.answer(json(200, { data: [earlier], meta: { last_page: 1 } }));
    expect((await run('channel', 'list')).stdout).toMatch(/beta +no .* never/);
    answerWith(channel);
    expect((await run('channel', 'show', 'beta')).stdout).toMatch(/expires +never\n/);
    await run('channel', 'edit', 'beta', '--no-expires');
    expect((await run('channel', 'edit', 'beta')).code).toBe(2);
    answerWith({ deleted: true, name: 'beta' });
    expect((await run('channel', 'delete', 'beta', '--yes')).stdout).toMatch(/channel +beta\n/);
    expect(sent()).toEqual([
      [`GET ${APP}/channels?page=1&per_page=50`],
      [`GET ${APP}/channels/beta`],
      [`PATCH ${APP}/channels/beta`, { expires_at: null }],
      [`DELETE ${APP}/channels/beta`],
    ]);
  });

  it('pins devices, counts pins and removes them', async () => {
    const message = 'The channel beta has no audience: every device is offered its builds.';
    answerWith({ channel: 'beta', ...pins, warnings: [{ device_id: null, warning: 'no_audience', message }] });
    const { stdout, stderr } = await run('channel', 'pin', 'beta', 'phone', 'tablet', '--for', '30d');
    expect(stdout).toMatch(/channel +beta\npinned devices +2\n/);
    expect(stderr).toContain(message);
    await run('channel', 'pins', 'beta');
    await run('channel', 'unpin', 'beta', 'phone');
    await run('channel', 'unpin', 'beta', '--all');
    for (const wrong of [[], ['phone', '--all']]) {
      const { code, stderr } = await run('channel', 'unpin', 'beta', ...wrong);
      expect([code, stderr]).toEqual([2, expect.stringContaining('Name the devices, or give --all.')]);
    }
    const path = `${APP}/channels/beta/pins`;
    expect(sent()).toEqual([
      [`PATCH ${path}`, { add: ['phone', 'tablet'], expires_at: expect.any(String) as string }],
      [`GET ${path}`],
      [`PATCH ${path}`, { remove: ['phone'] }],
      [`DELETE ${path}`],
    ]);
  });
});

describe('group', () => {
  const group = { name: 'beta', devices: 2, revision: 1, updated_at: '2026-01-01T00:00:00Z' };

  it('uploads a file, lists groups and deletes one', async () => {
    const file = join(server.folder, 'devices.txt');
    await writeFile(file, 'phone\ntablet\n');
    answerWith(group);
    const { code, stdout } = await run('group', 'upload', 'beta', file);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/group +beta\ndevices +2\nrevision +1\n/)]);
    expect(server.received[0]!.line).toBe(`POST ${APP}/groups/beta`);
    expect(server.received[0]!.body.toString()).toContain('phone\ntablet\n');

    server.answer(json(200, { data: [group] }));
    expect(JSON.parse((await run('group', 'list', '--json')).stdout)).toEqual([group]);
    answerWith({ deleted: true, name: 'beta' });
    expect((await run('group', 'delete', 'beta', '--yes')).stdout).toMatch(/group +beta\n/);
    expect(server.received.slice(1).map(({ line }) => line)).toEqual([
      `GET ${APP}/groups?page=1&per_page=50`,
      `DELETE ${APP}/groups/beta`,
    ]);
  });

  it('lists more groups than fit in one page', async () => {
    const page = (from: number, count: number) =>
      json(200, { data: Array.from({ length: count }, (_, n) => ({ ...group, name: `g${from + n}` })) });
    server.answer(page(0, 50), page(50, 1));
    expect(JSON.parse((await run('group', 'list', '--json')).stdout)).toHaveLength(51);
  });

  it('names the wrong lines of a file, and a file that is not there', async () => {
    const file = join(server.folder, 'wrong.txt');
    await writeFile(file, 'a,b\n');
    const errors = { file: ['Line 1: a device id holds no comma.'] };
    server.answer(json(422, { message: 'The request is not valid.', errors }));
    const wrong = await run('group', 'upload', 'beta', file);
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('Line 1: a device id holds no comma.')]);
    const missing = await run('group', 'upload', 'beta', join(server.folder, 'nope.txt'));
    expect([missing.code, missing.stderr]).toEqual([expect.any(Number), expect.stringContaining('nope.txt')]);
    expect(server.received).toHaveLength(1);
  });
});
