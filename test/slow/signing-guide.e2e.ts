import { spawn, spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from '@sluice/testing';
import { channelStateText, statedManifest } from '../../services/device-updates/signing/domain/statements';
import { standalone, type Deployment } from '../support/deployment';
import { checkUpdate, management } from '../support/http';
import { asModule, installDevicePackage } from '../support/device-package';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(120_000);

const ROOT = join(__dirname, '..', '..');
const APP = 'com.example.shop';
const GUIDE = readFileSync(join(ROOT, 'docs', 'guides', 'signing.md'), 'utf8');

/** The fenced blocks of one language. */
const blocksOf = (language: string) =>
  [...GUIDE.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

const missing = ['curl', 'jq', 'openssl'].filter((tool) => spawnSync(tool, ['version']).error !== undefined);

it('docs/guides/signing.md shows the exact form of the texts', () => {
  const [manifest = '', state = ''] = blocksOf('text').map((text) => text.trim());
  const { issued, expires } = JSON.parse(state) as Record<'issued' | 'expires', string>;
  const validity = { issued: new Date(issued), expires: new Date(expires) };
  const about = { appId: 1, channel: 'production' };
  expect(
    channelStateText({ ...about, platform: 'ios', sequence: 17, versions: { '1.4.0': 12, '1.3.0': 5 } }, validity),
  ).toBe(state);
  const facts = { ...about, version: '1.4.0', bundleId: 'b681a6c9-6b83-53ff-a10f-c411c7f2cfdb', size: 48213 };
  const more = { checksum: '1bbe…e8f6', minNativeVersion: '2.1.0', manifestRevision: 11 };
  expect(statedManifest({ ...facts, ...more }, validity)).toBe(manifest);
});

(missing.length > 0 ? describe.skip : describe)('docs/guides/signing.md, word for word', () => {
  let deployment: Deployment;
  let scratch: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    deployment = await standalone.deploy();
    scratch = temporaryDirectory();
    const server = deployment.gateways[0]!;
    const command = async (...args: string[]) => {
      const settings = { SLUICE_SERVER: server, SLUICE_TOKEN: token, DATA_DIR: deployment.dataDir };
      return JSON.parse((await sluice([...args, '--json'], settings)).stdout) as Record<string, string>;
    };
    let token = '';
    token = (await command('token', 'create', '--name', 'ci', '--all-apps'))['token']!;
    const api = management(server, token);
    const { body } = await api.post<{ data: { id: number } }>('/apps', { name: 'Shop', bundle_id: APP });
    const { public_key } = await command('signing-key', 'create', '--app', APP);
    await writeFile(join(scratch, 'public.pem'), public_key!);
    const key = (await command('key', 'create', '--app', APP, '--name', 'installs'))['plaintext_key']!;
    await api.upload(`/apps/${APP}/builds`, await zipOf({ 'index.html': '1' }), {
      version: '1.0.0',
      channel: 'production',
    });
    for (;;) {
      const { body: offer } = await checkUpdate(server, key, 'd', '0.0.1');
      if (offer.manifest !== undefined && offer.channelState !== undefined) break;
      await delay(50);
    }
    env = { SLUICE_SERVER: server, APP_KEY: key, APP_ID: String(body.data.id) };
  });

  afterAll(() => deployment.destroy());

  async function play(command: string, args: readonly string[]): Promise<string> {
    const child = spawn(command, args, {
      cwd: scratch,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = (await once(child, 'close')) as [number | null];
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    return output;
  }

  it('verifies on the command line', async () => {
    const [script = ''] = blocksOf('sh');
    expect(await play('bash', ['-c', script])).toMatch(/^Verified OK\nVerified OK\nVerified 1\.0\.0\n$/);
  });

  it('stops on the command line when another key signed', async () => {
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    await writeFile(join(scratch, 'other.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
    const [script = ''] = blocksOf('sh');
    await expect(play('bash', ['-c', script.replace('public.pem', 'other.pem')])).rejects.toThrow(
      /verification failure/i,
    );
  });

  it('verifies in an app, and rejects an older state the next time', async () => {
    const [script = ''] = blocksOf('ts');
    await installDevicePackage(scratch);
    await writeFile(join(scratch, 'verify-update.mjs'), asModule(script));
    const run = () => play(process.execPath, [join(scratch, 'verify-update.mjs')]);
    expect(await run()).toBe('Verified 1.0.0\n');
    await writeFile(join(scratch, 'sequence'), '4000000000');
    await expect(run()).rejects.toThrow('channel_state_outdated');
  });
});
