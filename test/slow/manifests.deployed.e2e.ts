import { createVerify } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createVerifier, verifyCheck, type Trust } from '@sluice/device';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { signedStatements } from '../../services/device-updates/signing/signed-statements';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { checkUpdate, management, type UpdateAnswer } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';

jest.setTimeout(180_000);

const APP = 'com.example.shop';

onEachDeployment('signed manifests, $name', (kind) => {
  if (!kind.available) {
    it.skip('needs nats-server on the PATH', () => undefined);
    return;
  }

  let deployment: Deployment;
  let token = '';
  let trust: Trust;
  let apiKey: string;

  const api = () => management(deployment.gateways[0]!, token);
  const command = async (...args: string[]) => {
    const { stdout } = await sluice([...args, '--json'], {
      ...{ SLUICE_SERVER: deployment.gateways[0]!, SLUICE_TOKEN: token, DATA_DIR: deployment.dataDir },
    });
    return JSON.parse(stdout) as Record<string, never>;
  };
  const check = async (current: string, device = deployment.devices[0]!) =>
    (await checkUpdate(device, apiKey, 'device', current)).body;
  const verify = (response: unknown, currentVersion: string, sequence?: number) =>
    verifyCheck(response, { trust, memory: { sequence }, now: new Date(), currentVersion });

  /** As every device process answers it, once it is signed. */
  async function signedCheck(current: string, isExpected: (answer: UpdateAnswer) => boolean) {
    for (const device of deployment.devices) {
      for (;;) {
        const answer = await check(current, device);
        const signed = answer.channelState !== undefined && (!answer.available || answer.manifest !== undefined);
        if (signed && isExpected(answer)) break;
        await delay(50);
      }
    }
    return check(current);
  }

  async function release(bundle: Buffer, version: string, fields: Record<string, string> = {}): Promise<number> {
    const { body } = await api().upload(`/apps/${APP}/builds`, bundle, { version, channel: 'staging', ...fields });
    for (;;) {
      const job = await api().get<{ data: { status: string } }>(`/jobs/${body.data.job_id}`);
      if (job.body.data.status === 'completed') break;
      expect(job.body.data.status).not.toBe('failed');
      await delay(50);
    }
    const promoted = await api().post<{ data: { id: number } }>(`/apps/${APP}/builds/${body.data.build.id}/promote`, {
      target_channel: 'production',
    });
    return promoted.body.data.id;
  }

  beforeAll(async () => {
    deployment = await kind.deploy();
    token = (await command('token', 'create', '--name', 'ci', '--all-apps'))['token']!;
    const { body } = await api().post<{ data: { id: number } }>('/apps', { name: 'Shop', bundle_id: APP });
    const { public_key: publicKey } = await command('signing-key', 'create', '--app', APP);
    apiKey = (await command('key', 'create', '--app', APP, '--name', 'installs'))['plaintext_key']!;
    const keys = [{ publicKey: publicKey!, scheme: 'pkcs1v15' as const }];
    trust = { keys, appId: body.data.id, channel: 'production', platform: 'ios' };
  });

  afterAll(() => deployment.destroy());

  it('stop the replay of an old signed bundle under a new version, and of old responses', async () => {
    const isOffer = (version: string) => (answer: UpdateAnswer) => answer.version === version;
    const nothingYet = await signedCheck('5.0.0', ({ available }) => !available);
    const oldBundle = await zipOf({ 'index.html': 'with a hole' });
    await release(oldBundle, '1.0.0');
    const old = await signedCheck('0.9.0', isOffer('1.0.0'));
    expect(await verify(old, '0.9.0')).toMatchObject({ accepted: true, update: { version: '1.0.0' } });

    // The operator may upload the same bytes again: the server states that 9.9.9 has them.
    const again = await release(oldBundle, '9.9.9', { signature: old.signature! });
    const offer = await signedCheck('5.0.0', isOffer('9.9.9'));
    const verdict = await verify(offer, '5.0.0');
    expect(verdict).toMatchObject({ accepted: true, update: { version: '9.9.9', sha256: old.checksum } });
    const memory = verdict.accepted ? verdict.memory.sequence : NaN;

    // Somebody on the way renames the old build. To who verifies the bundle alone that is 9.9.9.
    const renamed = { ...old, version: '9.9.9' };
    const key = trust.keys[0]!.publicKey;
    expect(createVerify('sha256').update(oldBundle).verify(key, renamed.signature!, 'base64')).toBe(true);
    const attacks: Record<string, [response: unknown, reason: string]> = {
      renamed: [renamed, 'channel_state_outdated'],
      'renamed, with the present state': [{ ...renamed, ...stateOf(offer) }, 'offer_mismatch'],
      'the old manifest': [{ ...offer, ...manifestOf(old) }, 'offer_mismatch'],
      'the old state': [{ ...offer, ...stateOf(old) }, 'channel_state_outdated'],
      'the old response': [old, 'channel_state_outdated'],
      'an old "nothing new"': [nothingYet, 'channel_state_outdated'],
    };
    for (const [name, [response, reason]] of Object.entries(attacks)) {
      expect({ name, ...(await verify(response, '0.9.0', memory)) }).toMatchObject({ name, accepted: false, reason });
    }
    // Also for a device that never asked before.
    const toNew = { ...renamed, ...stateOf(offer) };
    expect(await verify(toNew, '5.0.0')).toMatchObject({ accepted: false, reason: 'offer_mismatch' });

    await api().patch(`/apps/${APP}/builds/${again}`, { status: 'archived' });
    const withdrawn = await signedCheck('5.0.0', ({ available }) => !available);
    expect(await verify(withdrawn, '5.0.0', memory)).toMatchObject({ accepted: true, activeVersions: ['1.0.0'] });
    const late = { ...offer, ...stateOf(withdrawn) };
    expect(await verify(late, '5.0.0', memory)).toMatchObject({ accepted: false, reason: 'version_not_active' });
  });

  it('continue after a kill and on every replica: no sequence decreases, even when every statement is lost', async () => {
    let stored: number | undefined;
    const store = { load: () => Promise.resolve(stored), save: (n: number) => Promise.resolve(void (stored = n)) };
    const verifier = createVerifier(trust, store);
    const accept = async () => {
      await signedCheck('0.9.0', ({ available }) => available);
      for (const device of deployment.devices) {
        expect(await verifier.check(await check('0.9.0', device), '0.9.0')).toMatchObject({ accepted: true });
      }
      return stored;
    };
    await release(await zipOf({ 'index.html': '10' }), '10.0.0');
    await signedCheck('0.9.0', ({ version }) => version === '10.0.0');
    const before = await accept();

    await Promise.all(deployment.processes.map((process) => process.stop('SIGKILL')));
    const path = join(deployment.dataDir, 'state.db');
    const lost = deployment.env['STATE_STORE_URL']?.startsWith('mongodb') !== true;
    if (lost) {
      const state = await openSqliteDocumentStore({ path });
      expect(await state.rows(signedStatements).deleteWhere({})).toBeGreaterThan(12);
      await state.close();
    }
    await deployment.start();
    expect(await accept()).toBe(before);

    await release(await zipOf({ 'index.html': '11' }), '11.0.0');
    await signedCheck('0.9.0', ({ version }) => version === '11.0.0');
    expect(await accept()).toBeGreaterThan(before!);
  });
});

const manifestOf = ({ manifest, manifestSignature }: UpdateAnswer) => ({ manifest, manifestSignature });
const stateOf = ({ channelState, channelStateSignature }: UpdateAnswer) => ({ channelState, channelStateSignature });
