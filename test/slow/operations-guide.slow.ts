import { readFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FeedPreview } from '@sluice/contracts';
import { temporaryDirectory } from '@sluice/testing';
import { call } from '../support/http';
import { freePort } from '../support/free-port';
import { linkCommand, runProgram, shellBlocks, writeProgram } from '../support/shell';
import { startShopServer } from '../support/shop-server';

const ROOT = join(__dirname, '..', '..');

jest.setTimeout(120_000);

/** Starts the built server in the background, and returns when it is ready. */
const NPM_START = `#!/bin/sh
mv -f server.log server.log.previous 2> /dev/null
node '${join(ROOT, 'dist', 'services', 'standalone', 'main.js')}' > server.log 2>&1 &
echo $! > server.pid
until grep -qs 'Sluice is ready' server.log; do
  kill -0 "$(cat server.pid)" || { cat server.log; exit 1; }
  sleep 0.1
done
`;

describe('the documents about one process, word for word', () => {
  let folder: string;
  let server: string;
  let env: Record<string, string>;

  /** `npm start` runs in the background, and `pgrep` finds only that server. All else is as written. */
  const run = (commands: string, more: Readonly<Record<string, string>> = {}) =>
    runProgram(['bash', '-e', '-o', 'pipefail', '-c', commands], { cwd: folder, env: { ...env, ...more } });
  const stop = () => run('kill -TERM $(pgrep) && while kill -0 $(pgrep) 2> /dev/null; do sleep 0.1; done');
  const apps = async () => JSON.parse(await run('npx sluice app list --json')) as { bundle_id: string }[];

  beforeAll(async () => {
    folder = temporaryDirectory();
    await linkCommand(folder);
    await writeProgram(folder, 'npm', NPM_START);
    const PATH = await writeProgram(folder, 'pgrep', '#!/bin/sh\ncat server.pid\n');
    const port = String(await freePort());
    server = `http://127.0.0.1:${port}`;
    env = { PATH, PORT: port, SLUICE_SERVER: server };
    await run('npm start');
    const { token } = JSON.parse(await run('npx sluice token create --name laptop --all-apps --json')) as {
      token: string;
    };
    env['SLUICE_TOKEN'] = token;
    await run('npx sluice app create --name Shop --bundle-id com.example.shop');
  });

  afterAll(stop);

  it('lists the builds that a retention would delete', async () => {
    const [commands = ''] = shellBlocks('docs/operations/retention.md');
    expect(await run(`${commands} 2>&1`.replace('\n', ''))).toContain('0 builds');
  });

  it('starts and stops as the systemd unit describes', async () => {
    const page = readFileSync(join(ROOT, 'docs', 'operations', 'one-process.md'), 'utf8');
    const [, unit = ''] = /^```ini\n([\s\S]*?)^```$/m.exec(page)!;
    const [, command] = /^ExecStart=\/usr\/bin\/(.*)$/m.exec(unit)!;
    const settings = Object.fromEntries(
      [...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
    expect(Object.keys(settings)).toEqual(['DATA_DIR', 'PUBLIC_URL', 'TRUSTED_PROXIES']);
    const [log, port] = [join(folder, 'unit.log'), String(await freePort())];
    const commands = [
      `${command} 2> ${log} &`,
      `until grep -q 'Sluice is ready' ${log}; do kill -0 $! || { cat ${log} >&2; exit 1; }; sleep 0.1; done`,
      `curl --silent --fail http://127.0.0.1:${port}/health/ready http://127.0.0.1:${port}/openapi/device.json`,
      'kill -TERM $!',
      'wait $!',
    ].join('\n');
    const output = await runProgram(['bash', '-ec', commands], {
      cwd: ROOT,
      env: { ...settings, DATA_DIR: join(folder, 'unit'), PORT: port },
    });
    expect(output).toContain(`${settings['PUBLIC_URL']}/api/v1`);
  });

  it('backs up, and restores the backup', async () => {
    // The second block deletes a row that only a certain log line names.
    const [backup = '', , restore = ''] = shellBlocks('docs/operations/backup.md');
    await run(backup);
    const [copy = ''] = (await readdir(folder)).filter((name) => name.startsWith('backup-'));
    await run('npx sluice app create --name Later --bundle-id com.example.later');
    expect(await apps()).toHaveLength(2);
    await run(restore.replace('backup-2026-01-31T0200Z', copy));
    expect(await apps()).toEqual([expect.objectContaining({ bundle_id: 'com.example.shop' })]);
  });

  it('rotates the master key', async () => {
    const [create = '', start = '', reseal = ''] = shellBlocks('docs/operations/master-key.md');
    await stop();
    await run(create);
    await run(start);
    expect(await run(reseal)).not.toBe('');
    await stop();
    await run('npm start');
    expect(await apps()).toHaveLength(1);
  });

  it('lists the products of a shop, and of a file', async () => {
    const OWNER = { Authorization: `Bearer ${readFileSync(join(folder, 'data', 'owner.key'), 'utf8').trim()}` };
    const listings = { ENTITLEMENTS: 'listings_ads', MODULE_ENABLED_LISTINGS_ADS: 'on' };
    /** The products that the preview lists or excludes. */
    const preview = async () => {
      const path = '/svc/v1/listings-ads/feed/preview';
      const { data } = (await call<{ data: FeedPreview }>(server + path, { headers: OWNER })).body;
      return [...data.items.map(({ id }) => id), ...data.excluded.map(({ product_id }) => product_id)];
    };

    const shop = await startShopServer({ products: 3 });
    const [start = ''] = shellBlocks('docs/guides/listings.md');
    await stop();
    const filled = start.replace('https://shop.example', shop.url).replace('ck_…', shop.key);
    await run(filled.replace('cs_…', shop.secret), listings);
    expect(await preview()).toEqual(['100', '110', '120']);
    await shop.close();

    const [, sample = ''] = /```json\n([\s\S]*?)```/.exec(
      readFileSync(join(ROOT, 'docs', 'guides', 'listings-products.md'), 'utf8'),
    )!;
    await writeFile(join(folder, 'products.json'), sample);
    await stop();
    await run('npm start', { ...listings, PRODUCTS_JSON_URL: `file:${folder}/products.json`, STORE_CURRENCY: 'EUR' });
    expect(await preview()).toEqual(['svc_shirt-red']);
  });
});
