import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const run = (...args: string[]) => server.run(['keystore', ...args, '--app', 'com.example']);
const lines = () => server.received.map((received) => received.line);
const PATH = '/api/public/v1/apps/com.example/keystore';
const kept = (bytes: string) => ({
  ...{ configured: true, original_name: 'k.zip', size_bytes: bytes.length, uploaded_at: '2026-01-01T00:00:00Z' },
  sha256: createHash('sha256').update(bytes).digest('hex'),
});

it('uploads a file under its own name, quotes and all', async () => {
  const path = join(server.folder, 'schlüssel "prod".zip');
  await writeFile(path, 'PK\x03\x04');
  server.answer(json(201, { data: kept('PK\x03\x04') }));
  expect(await run('upload', path)).toMatchObject({ code: 0 });
  expect(lines()).toEqual([`POST ${PATH}`]);
  expect(server.received[0]!.body.toString()).toContain('filename="schlüssel \\"prod\\".zip"');
});

it('downloads what has the right checksum, and never over a file that is there', async () => {
  const path = join(server.folder, 'k.zip');
  const answers = () => server.answer(json(200, { data: kept('["zip"]') }), json(200, ['zip']));
  answers();
  expect(await run('download', path)).toMatchObject({ code: 0 });
  expect(lines()).toEqual([`GET ${PATH}`, `GET ${PATH}/download`]);
  expect(await readFile(path, 'utf8')).toBe('["zip"]');
  answers();
  expect((await run('download', path)).stderr).toContain('EEXIST');
  expect(await readFile(path, 'utf8')).toBe('["zip"]');
});

it('leaves nothing of what has another checksum', async () => {
  const path = join(server.folder, 'k.zip');
  server.answer(json(200, { data: kept('["zip"]') }), json(200, ['piz']));
  expect(await run('download', path)).toMatchObject({ code: 1, stderr: expect.stringContaining('CHECKSUM_MISMATCH') });
  await expect(readFile(path)).rejects.toThrow('ENOENT');
});

it('shows that there is none, and deletes', async () => {
  server.answer(json(200, { data: { configured: false } }), json(200, { data: { deleted: true } }));
  expect((await run('show')).stdout).toContain('no');
  expect((await run('delete', '--yes')).code).toBe(0);
  expect(lines()).toEqual([`GET ${PATH}`, `DELETE ${PATH}`]);
});
