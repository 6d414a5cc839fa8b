import { createVerify } from 'node:crypto';
import { standalone, type Deployment } from '../support/deployment';
import { checkUpdate, management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(60_000);

let deployment: Deployment;
let token: string;

const api = () => management(deployment.gateways[0]!, token);
const command = async (...args: string[]) => {
  const { stdout, stderr } = await sluice([...args, '--json'], {
    SLUICE_SERVER: deployment.gateways[0]!,
    SLUICE_TOKEN: token,
    DATA_DIR: deployment.dataDir,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Record<string, string>;
};

beforeAll(async () => {
  deployment = await standalone.deploy();
  token = '';
  token = (await command('token', 'create', '--name', 'ci', '--all-apps'))['token']!;
  await api().post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
});

afterAll(() => deployment.destroy());

async function release(version: string, fields: Record<string, string> = {}) {
  const bundle = await zipOf({ 'index.html': version });
  const path = '/apps/com.example.shop/builds';
  const { body } = await api().upload(path, bundle, { version, channel: 'staging', ...fields });
  for (;;) {
    const job = await api().get<{ data: { status: string } }>(`/jobs/${body.data.job_id}`);
    if (job.body.data.status === 'completed') break;
    expect(job.body.data.status).not.toBe('failed');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const build = await api().get<{ data: { signature: string | null } }>(`${path}/${body.data.build.id}`);
  return { id: body.data.build.id, bundle, signature: build.body.data.signature };
}

it('signs what comes without a signature, and never replaces one; devices and promoted builds get it', async () => {
  expect((await release('1.0.0')).signature).toBeNull();
  expect(await command('signing-key', 'show', '--app', 'com.example.shop')).toEqual({ configured: false });
  const { public_key } = await command('signing-key', 'create', '--app', 'com.example.shop');
  const again = await api().post<{ error: { code: string } }>('/apps/com.example.shop/signing-key', {});
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'SIGNING_KEY_EXISTS' } } });

  const { id, bundle, signature } = await release('1.1.0');
  const verifies = (text: string, key: string) => createVerify('sha256').update(bundle).verify(key, text, 'base64');
  expect(verifies(signature!, public_key!)).toBe(true);
  await api().post(`/apps/com.example.shop/builds/${id}/promote`, { target_channel: 'production' });
  const key = await command('key', 'create', '--app', 'com.example.shop', '--name', 'installs');
  for (const channel of ['staging', 'production']) {
    const update = await checkUpdate(deployment.devices[0]!, key['plaintext_key']!, 'd', '1.0.0', channel);
    expect(update.body.signature).toBe(signature);
  }

  const rotated = await command('signing-key', 'rotate', '--app', 'com.example.shop');
  expect(rotated['public_key']).not.toBe(public_key);
  expect((await release('1.2.0', { signature: 'c3VwcGxpZWQ=' })).signature).toBe('c3VwcGxpZWQ=');
});
