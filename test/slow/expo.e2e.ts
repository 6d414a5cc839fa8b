import { createHash, randomUUID } from 'node:crypto';
import { standalone, type Deployment } from '../support/deployment';
import { ExpoClient } from '../support/expo-client';
import { management } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(120_000);

let deployment: Deployment;
let token = '';

const command = async (...args: string[]) => {
  const { stdout, stderr } = await sluice([...args, '--json'], {
    SLUICE_SERVER: deployment.gateways[0]!,
    SLUICE_TOKEN: token,
    DATA_DIR: deployment.dataDir,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout) as Record<string, string>;
};

beforeAll(async () => (deployment = await standalone.deploy()));
afterAll(() => deployment.destroy());

it('updates a client of Expo from an uploaded export, signed by the key whose certificate the client has', async () => {
  const app = 'com.example.shop';
  token = (await command('token', 'create', '--name', 'ci', '--all-apps'))['token']!;
  const api = management(deployment.gateways[0]!, token);
  await api.post('/apps', { name: 'Shop', bundle_id: app });
  const { id } = await command('signing-key', 'create', '--app', app, '--scheme', 'pss');
  const { certificate, keyid } = await command('signing-key', 'certificate', String(id), '--app', app);
  const key = await command('key', 'create', '--app', app, '--name', 'installs');

  const code = 'the code of the update';
  const asset = { path: `assets/${createHash('md5').update('logo').digest('hex')}`, ext: 'png' };
  const metadata = { version: 0, bundler: 'metro', fileMetadata: { ios: { bundle: 'index.hbc', assets: [asset] } } };
  const files = { 'metadata.json': JSON.stringify(metadata), 'index.hbc': code, [asset.path]: 'logo' };
  const fields = { version: '1.1.0', channel: 'production', fingerprint: '1.0.0' };
  const { body } = await api.upload(`/apps/${app}/builds`, await zipOf(files), fields);
  const device = new ExpoClient({
    url: `${deployment.devices[0]!}/compat/expo/${key['plaintext_key']!}`,
    clientId: randomUUID(),
    certificate: { pem: certificate!, keyId: keyid! },
  });
  for (;;) {
    const job = await api.get<{ data: { status: string } }>(`/jobs/${body.data.job_id}`);
    if (job.body.data.status === 'completed') break;
    expect(job.body.data.status).not.toBe('failed');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  while (device.runs === undefined) {
    expect([200, 204, 503]).toContain((await device.update()).status);
  }
  expect(device.runs).toMatchObject({ metadata: { version: '1.1.0' }, runtimeVersion: '1.0.0' });
  expect(device.files.get(device.runs.launchAsset.key)?.toString()).toBe(code);
});
