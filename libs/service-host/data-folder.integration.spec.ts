import { chmod, chown, mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSettings } from '@sluice/config';
import { temporaryDirectory } from '@sluice/testing';
import { protectDataFolder } from './data-folder';

let folder: string;
let dataDir: string;
beforeEach(() => {
  folder = temporaryDirectory();
  dataDir = join(folder, 'data');
});

const protect = () => protectDataFolder(readSettings({ DATA_DIR: dataDir }));
const modeOf = async (path: string) => ((await stat(path)).mode & 0o7777).toString(8);
const asRoot = process.getuid?.() === 0 ? it : it.skip;

it('creates the folder for its owner only, for every umask', async () => {
  const former = process.umask(0o022);
  try {
    await expect(protect()).resolves.toEqual([]);
    expect(await modeOf(dataDir)).toBe('700');
  } finally {
    process.umask(former);
  }
});

it('restricts the permissions of a folder of an earlier release and its database files', async () => {
  await mkdir(dataDir);
  const files = ['events.db', 'events.db-wal', 'events.db-shm', 'state.db', 'read.db'].map((name) =>
    join(dataDir, name),
  );
  for (const file of files) await writeFile(file, '');
  for (const file of files) await chmod(file, 0o644);
  await chmod(dataDir, 0o755);
  await expect(protect()).resolves.toEqual([]);
  expect(await modeOf(dataDir)).toBe('700');
  for (const file of files) expect(await modeOf(file)).toBe('600');
});

it('leaves a folder that is shared by its setgid bit as it is, and reports it', async () => {
  await mkdir(dataDir);
  await chmod(dataDir, 0o2775);
  await expect(protect()).resolves.toEqual([`${dataDir} is open to other users (0775)`]);
  expect(await modeOf(dataDir)).toBe('2775');
});

asRoot('leaves a folder of another owner as it is, and reports it', async () => {
  await mkdir(dataDir);
  await chmod(dataDir, 0o755);
  await chown(dataDir, 12_345, 12_345);
  await expect(protect()).resolves.toEqual([`${dataDir} is open to other users (0755)`]);
  expect(await modeOf(dataDir)).toBe('755');
});
