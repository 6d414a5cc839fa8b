import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSettings, SettingsError } from '@sluice/config';
import { SEAL_PURPOSES } from '@sluice/contracts';
import { temporaryDirectory } from '@sluice/testing';
import { deriveSealKeys } from '@sluice/vault';
import { probesOf } from '@sluice/service-host';
import { keepsOnDisk, openEngines } from './open-engines';

let folder: string;

beforeEach(() => {
  folder = temporaryDirectory();
});

const there = (file: string) => existsSync(join(folder, file));

it('opens the engines that are needed and no others', async () => {
  const settings = readSettings({ DATA_DIR: folder });
  const engines = await openEngines(settings, 'test', { needs: ['events', 'stateStore'] });
  expect(['events.db', 'state.db', 'read.db', 'objects', 'master.key'].filter(there)).toEqual([
    'events.db',
    'state.db',
  ]);
  expect(Object.keys(probesOf(engines))).toEqual(['event-store', 'state-store', 'bus']);
  expect(() => engines.readStore.ping()).toThrow('The engine "readStore" is not open');
  expect(() => engines.objects.ping()).toThrow('The engine "objects" is not open');
  expect(() => engines.vault.open('secret')).toThrow('The engine "vault" is not open');
  await engines.close();
});

it('wants no setting of an engine that is not needed', async () => {
  const settings = readSettings({ DATA_DIR: folder, OBJECT_STORE_URL: 'minio://key:secret@127.0.0.1:1/bundles' });
  await (await openEngines(settings, 'test', { needs: ['events', 'stateStore', 'vault'] })).close();
  expect([keepsOnDisk(settings, ['objects']), keepsOnDisk(settings, ['objects', 'readStore'])]).toEqual([false, true]);
});

it.each([{}, { OBJECT_STORE_URL: 'file:/srv/objects' }])(
  'rejects redirected downloads from a folder: %j',
  async (env) => {
    const settings = readSettings({ DATA_DIR: folder, DOWNLOAD_MODE: 'redirect', ...env });
    const opening = openEngines(settings, 'test', { needs: ['objects'] });
    await expect(opening).rejects.toThrow(SettingsError);
    await expect(opening).rejects.toThrow(/DOWNLOAD_MODE can not be redirect with an OBJECT_STORE_URL/);
    await (await openEngines(settings, 'test', { needs: ['events'] })).close();
  },
);

describe('with SEAL_KEYS', () => {
  const masterKey = Buffer.alloc(32, 1);
  const open = (name: string, env: Readonly<Record<string, string>>) =>
    openEngines(readSettings({ DATA_DIR: folder, ...env }), name, { needs: ['stateStore', 'vault'] });
  const sealKeys = (service: string, key = masterKey) => deriveSealKeys(key, SEAL_PURPOSES[service]!);

  it('opens the vault without a master key', async () => {
    const engines = await open('gateway', { SEAL_KEYS: sealKeys('gateway') });
    expect((await engines.vault.dataKeys('sessions')).held).toHaveLength(1);
    await engines.close();
    expect(there('master.key')).toBe(false);
    await (await open('keys', { MASTER_KEY: masterKey.toString('hex') })).close();
  });

  it('opens what was sealed under the former keys', async () => {
    await (await open('gateway', { SEAL_KEYS: sealKeys('gateway') })).close();
    const next = sealKeys('gateway', Buffer.alloc(32, 2));
    await expect(open('gateway', { SEAL_KEYS: next })).rejects.toThrow(/^The setting SEAL_KEYS does not derive/);
    await (await open('gateway', { SEAL_KEYS: next, SEAL_KEYS_PREVIOUS: sealKeys('gateway') })).close();
  });

  it.each([
    ['another service', 'registry', { SEAL_KEYS: sealKeys('gateway') }, 'SEAL_KEYS has no key for shown'],
    ['keys, which needs MASTER_KEY', 'keys', { SEAL_KEYS: sealKeys('gateway') }, 'does not suffice for keys'],
    ['nothing', 'gateway', { SEAL_KEYS: 'x' }, 'The setting SEAL_KEYS is incomplete or was changed'],
    [
      ...['a process with MASTER_KEY', 'gateway'],
      { SEAL_KEYS: sealKeys('gateway'), MASTER_KEY: masterKey.toString('hex') },
      'The settings MASTER_KEY and SEAL_KEYS are both set',
    ],
    [
      ...['a service that gets the former ones of another', 'gateway'],
      { SEAL_KEYS: sealKeys('gateway'), SEAL_KEYS_PREVIOUS: sealKeys('registry') },
      'SEAL_KEYS_PREVIOUS has no key for data-key:sessions',
    ],
  ] as [string, string, Record<string, string>, string][])('rejects those for %s', async (_, name, env, message) => {
    const opening = open(name, env);
    await expect(opening).rejects.toThrow(message);
    await expect(opening).rejects.not.toThrow(/[0-9a-f]{64}/);
  });
});
