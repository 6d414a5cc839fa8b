import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import type { UpdateStorage } from '../../libs/device/index.js';
import { describeInChromium, launchChromium } from '../support/chromium';
import { standalone, type Deployment } from '../support/deployment';
import { call, management, type UpdateAnswer } from '../support/http';
import { linkCommand, runProgram, shellBlocks } from '../support/shell';

jest.setTimeout(120_000);

const ROOT = join(__dirname, '..', '..');
const [setUp = '', releaseWorking = '', releaseBroken = ''] = shellBlocks('examples/device-demo/README.md');

describeInChromium('the demo of @sluice/device, as its README describes it', () => {
  let deployment: Deployment;
  let browser: Browser;
  let demo: ChildProcess;
  let page: Page;
  let address: string;
  let scratch: string;
  let env: Record<string, string>;

  const server = () => deployment.gateways[0]!;

  /** With the variables that earlier blocks exported. */
  async function play(block: string): Promise<void> {
    const exported = join(scratch, 'exported.json');
    const save = `${process.execPath} -p 'JSON.stringify(process.env)' > ${exported}`;
    const commands = `${block.replaceAll('examples/', `${ROOT}/examples/`)}\n${save}`;
    await runProgram(['bash', '-e', '-o', 'pipefail', '-c', commands], { cwd: scratch, env });
    const variables = JSON.parse(await readFile(exported, 'utf8')) as Record<string, string>;
    for (const name of ['SLUICE_TOKEN', 'APP_ID', 'PUBLIC_KEY', 'APP_KEY']) env[name] = variables[name]!;
  }

  /** Released, and the state of its channel signed. */
  async function release(block: string, version: string): Promise<void> {
    await play(block);
    const headers = { 'X-API-Key': env['APP_KEY']!, 'X-Device-ID': 'probe', 'X-Current-Version': '0.0.1' };
    const check = () =>
      call<UpdateAnswer>(`${server()}/api/v1/updates/check`, { headers: { ...headers, 'X-Platform': 'web' } });
    await eventually(
      async () => {
        const { body } = await check();
        return body.manifest !== undefined && body.channelState?.includes(`"${version}"`) === true;
      },
      { everyMs: 50 },
    );
  }

  /** The app, its version and the status, once the status is of this kind. */
  async function shown(of: Page, status: RegExp): Promise<(string | null)[]> {
    await of.locator('#status', { hasText: status }).waitFor({ timeout: 20_000 });
    return Promise.all([of.textContent('#app'), of.textContent('#version')]);
  }

  async function install(): Promise<void> {
    await page.getByRole('button', { name: 'Check for updates' }).click();
    await shown(page, /An update is ready/);
    await page.getByRole('button', { name: 'Restart the app' }).click();
  }

  beforeAll(async () => {
    deployment = await standalone.deploy();
    scratch = temporaryDirectory();
    await linkCommand(scratch);
    env = { SLUICE_SERVER: server(), DATA_DIR: deployment.dataDir };
    await play(setUp);
    const arguments_ = ['-r', './test/register-swc.cjs', '-e', "require('./examples/device-demo/main')"];
    const settings = { ...env, PATH: process.env['PATH']!, PORT: '0' };
    demo = spawn(process.execPath, arguments_, { cwd: ROOT, env: settings, stdio: ['ignore', 'pipe', 'inherit'] });
    for await (const line of createInterface({ input: demo.stdout! })) {
      address = /http:\/\/[\d.:]+/.exec(line)![0];
      break;
    }
    browser = await launchChromium();
    page = await (await browser.newContext()).newPage();
    await page.goto(address);
  });

  afterAll(async () => {
    await browser.close();
    demo.kill();
    await deployment.destroy();
  });

  it('installs an update', async () => {
    expect(await shown(page, /^Running$/)).toEqual(['The embedded app', '1.0.0']);
    await release(releaseWorking, '1.1.0');
    await install();
    expect(await shown(page, /^Running$/)).toEqual(['An update that works', '1.1.0']);
    await page.reload();
    expect(await shown(page, /^Running$/)).toEqual(['An update that works', '1.1.0']);
  });

  it('rolls back an update that does not work, and runs the former one in other pages meanwhile', async () => {
    await release(releaseBroken, '1.2.0');
    await install();
    expect(await shown(page, /^The app failed/)).toEqual(['', '1.2.0']);
    const other = await page.context().newPage();
    await other.goto(address);
    expect(await shown(other, /^Running$/)).toEqual(['An update that works', '1.1.0']);
    await page.reload();
    expect(await shown(page, /1\.2\.0 did not work/)).toEqual(['An update that works', '1.1.0']);
    await page.getByRole('button', { name: 'Check for updates' }).click();
    await shown(page, /No update: up_to_date/);

    const api = management(server(), env['SLUICE_TOKEN']!);
    const app = '/apps/com.example.demo';
    const { data: builds } = (await api.get<{ data: { id: number; version: string }[] }>(`${app}/builds`)).body;
    const totals = await Promise.all(
      builds.map(async ({ id, version }) => {
        const { body } = await api.get<{ data: { totals: Record<string, number> } }>(`${app}/builds/${id}/stats`);
        const { downloads, installs, rollbacks } = body.data.totals;
        return [version, downloads, installs, rollbacks];
      }),
    );
    expect(totals.sort()).toEqual([
      ['1.1.0', 1, 1, 0],
      ['1.2.0', 1, 0, 1],
    ]);
  });

  it('keeps bytes and the record in IndexedDB as the updater expects', async () => {
    const { outputFiles } = await build({
      ...{ entryPoints: [join(ROOT, 'libs/device/web.ts')], bundle: true, write: false, format: 'iife' },
      globalName: 'device',
    });
    const found = await page.evaluate(async (script) => {
      const { webStorage } = (0, eval)(`${script};device`) as { readonly webStorage: (name: string) => UpdateStorage };
      const storage = webStorage('test');
      const bytes = (text: string) => new TextEncoder().encode(text);
      const text = async (id: string) => new TextDecoder().decode(await webStorage('test').read(id));
      const records: unknown[] = [];
      const add =
        (part: string) =>
        (record = '') => {
          records.push(record);
          return record + part;
        };
      await Promise.all([storage.updateState(add('a')), webStorage('test').updateState(add('b'))]);
      for (const id of ['one', 'two', 'one']) await storage.append(id, bytes(`${id}.`));
      const all = [await storage.bundles(), await storage.sizeOf('one'), await text('one'), await text('two')];
      await storage.delete('one');
      const left = [await storage.bundles(), await storage.sizeOf('one'), await text('one')];
      const held = await storage.hold!('lock');
      const second = await webStorage('test').hold!('lock');
      held!();
      const third = await storage.hold!('lock');
      return { records, all, left, locks: [typeof held, typeof second, typeof third] };
    }, outputFiles[0]!.text);
    expect(found).toEqual({
      records: ['', 'a'],
      all: [['one', 'two'], 8, 'one.one.', 'two.'],
      left: [['two'], 0, ''],
      locks: ['function', 'undefined', 'function'],
    });
  });
});
