import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { call, checkUpdate } from '../support/http';
import { startProcess, type ServerProcess } from '../support/process';
import { linkCommand, runProgram, shellBlocks } from '../support/shell';

jest.setTimeout(120_000);

describe('docs/guides/bad-release.md, word for word', () => {
  const app = 'com.example.hello';
  let folder: string;
  let server: ServerProcess;
  let env: Record<string, string>;
  let key: string;

  const run = (commands: string) =>
    runProgram(['bash', '--norc', '-e', '-o', 'pipefail', '-c', commands], { cwd: folder, env });
  const upload = async (version: string) => {
    await writeFile(join(folder, 'dist', 'index.html'), `<h1>${version}</h1>`);
    await run(`npx sluice upload dist --app ${app} --channel production --version ${version} --wait`);
  };
  const offered = async (current: string) => (await checkUpdate(server.address, key, 'my-phone', current)).body;

  beforeAll(async () => {
    folder = temporaryDirectory();
    await linkCommand(folder);
    await mkdir(join(folder, 'dist'));
    server = await startProcess('standalone', { DATA_DIR: join(folder, 'data') });
    env = { SLUICE_SERVER: server.address, DATA_DIR: join(folder, 'data') };
    const made = JSON.parse(await run('npx sluice token create --name laptop --all-apps --json')) as { token: string };
    env['SLUICE_TOKEN'] = made.token;
    await run(`npx sluice app create --name Hello --bundle-id ${app}`);
    const created = await run(`npx sluice key create --app ${app} --name app --json`);
    key = (JSON.parse(created) as { plaintext_key: string }).plaintext_key;
  });

  afterAll(() => server.stop());

  it('brings devices back and takes a fix', async () => {
    await upload('1.0.0');
    await upload('1.1.0');
    const blocks = shellBlocks('docs/guides/bad-release.md');
    expect(blocks).toHaveLength(9);
    const [find = '', preview = '', recall = '', status = '', explain = '', fix = '', undo = ''] = blocks;
    const [stats = '', retry = ''] = blocks.slice(7);
    const found = await run(`${find}\necho "BAD=$BAD"`);
    const [, bad = ''] = /^BAD=(\d+)$/m.exec(found)!;
    env['BAD'] = bad;
    expect(await run(preview)).toMatch(/recalled +no\n[\s\S]*devices would get +version 1\.1\.1/);
    const offer = await offered('1.0.0');
    expect(offer).toMatchObject({ version: '1.1.0' });

    expect(await run(recall)).toContain('white screen after login');
    expect(await offered('1.0.0')).toMatchObject({ available: false });
    expect(await offered('1.1.0')).toMatchObject({ version: '1.1.1', mandatory: true });
    expect(await run(status)).toMatch(/devices on 1\.1\.0 +0\n/);
    expect(await run(explain)).toMatch(/1\.1\.1/);

    expect(await run(fix)).toMatch(/version +1\.1\.2/);
    for (const current of ['1.0.0', '1.1.0', '1.1.1']) {
      expect(await offered(current)).toMatchObject({ version: '1.1.2' });
    }
    await run(undo);
    expect(await offered('1.1.1')).toMatchObject({ version: '1.1.2' });

    const reported = await call(`${server.address}/api/v1/analytics/install`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'X-Device-ID': 'my-phone', 'Content-Type': 'application/json' },
      body: JSON.stringify({ bundle_id: offer.bundleId, status: 'rollback' }),
    });
    expect(reported.status).toBe(200);
    expect(await run(stats)).toMatch(/not offered to +1 device that rolled it back/);
    await run(retry);
    expect(await run(stats)).not.toContain('not offered to');
  });
});
