import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { ciUpload } from '../../libs/console/screens/tokens/ci-upload';
import { standalone, type Deployment } from '../support/deployment';
import { call, management } from '../support/http';
import { sluice } from '../support/process';
import { runProgram, shellBlocks } from '../support/shell';

const ROOT = join(__dirname, '..', '..');
const missing = ['curl', 'zip'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
const needsTools = missing.length === 0 ? it : it.skip;

jest.setTimeout(60_000);

describe('what the pages and the console give to be pasted into a shell', () => {
  let deployment: Deployment;
  let scratch: string;

  const address = () => deployment.gateways[0]!;

  const paste = (sample: string, cwd: string, env: Readonly<Record<string, string>>) =>
    runProgram(['sh', '-eu', '-c', sample], { cwd, env: { HOME: scratch, ...env } });

  beforeAll(async () => {
    scratch = temporaryDirectory();
    deployment = await standalone.deploy({ ENTITLEMENTS: 'listings_ads', MODULE_ENABLED_LISTINGS_ADS: 'true' });
  }, 60_000);

  afterAll(() => deployment.destroy(), 30_000);

  needsTools('sets a webhook by each way of docs/guides/listings-webhooks.md', async () => {
    const samples = shellBlocks('docs/guides/listings-webhooks.md').filter((sample) =>
      sample.includes('hooks.example'),
    );
    expect(samples).toHaveLength(2);
    const owner = { SLUICE_SERVER: address(), OWNER_KEY: await deployment.ownerKey() };
    const webhook = `${address()}/api/dashboard/v1/listings/webhook`;
    const headers = { Authorization: `Bearer ${owner.OWNER_KEY}` };
    for (const sample of samples) {
      await paste(sample, ROOT, owner);
      expect(await call(webhook, { headers })).toMatchObject({
        status: 200,
        body: { data: { url: 'https://hooks.example/sluice' } },
      });
      await call(webhook, { method: 'DELETE', headers });
    }
  });

  needsTools('uploads a folder with the command that the console shows next to a new token', async () => {
    const owner = { SLUICE_SERVER: address(), OWNER_KEY: await deployment.ownerKey() };
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], owner);
    const { token } = JSON.parse(made.stdout) as { token: string };
    const api = management(address(), token);
    await api.post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    const checkout = join(scratch, 'shop');
    await mkdir(join(checkout, 'www'), { recursive: true });
    await writeFile(join(checkout, 'www', 'index.html'), '<h1>Shop</h1>');

    const printed = await paste(ciUpload(address()), checkout, { SLUICE_TOKEN: token });
    const { data } = JSON.parse(printed) as { data: { build: object } };
    expect(data.build).toMatchObject({ version: '1.4.0', channel: 'staging' });
  });
});
