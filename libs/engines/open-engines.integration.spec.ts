import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings, SettingsError } from '@sluice/config';
import { probesOf } from './engine-health';
import { keepsOnDisk, openEngines } from './open-engines';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-engines-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

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
