import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import decodeQR from 'qr/decode.js';
import { json, scriptedServer } from '../../test/support/scripted-server';

const server = scriptedServer();

const CHANNELS = '/api/public/v1/apps/com.example/channels';
const channel = { name: 'pr-9', id: 'pr-9.1', standard: false, created_at: null, expires_at: '2026-01-08T00:00:00Z' };
const build = { id: 3, version: '1000.0.0', channel: 'pr-9', status: 'active', signature: null };
const key = { id: 7, name: 'preview pr-9', status: 'active' };
const secret = { id: 7, plaintext_key: 'svc_app_aB3' };
const noDescription = json(404, { error: { code: 'NOT_FOUND', message: 'No.' } });
const none = json(200, { data: [], meta: { last_page: 1 } });
const uploaded = [
  json(202, { data: { job_id: '01J', status_url: 'http://x/jobs/01J', build } }),
  json(200, { data: { id: '01J', status: 'completed', error: null } }),
  json(200, { data: build }),
];

async function bundle(): Promise<string> {
  const folder = join(server.folder, 'www');
  await mkdir(folder);
  await writeFile(join(folder, 'index.html'), 'x');
  return folder;
}
const run = (...line: string[]) => server.run([...line, '--app', 'com.example']);
const lines = () => server.received.map((received) => received.line);

/** The text of a QR code that is drawn with half blocks, light ones on a dark background. */
function scan(printed: string): string {
  const rows = printed.split('\n').filter((line) => /^[█▀▄ ]{20,}$/.test(line));
  const pixels = rows.flatMap((row) =>
    ['█▀', '█▄'].map((lit) => Array.from(row, (block) => (lit.includes(block) ? 255 : 0))),
  );
  const scale = 4;
  const [height, width] = [pixels.length * scale, pixels[0]!.length * scale];
  const data = new Uint8Array(width * height * 4);
  for (let at = 0; at < width * height; at += 1) {
    const value = pixels[Math.floor(at / width / scale)]![Math.floor((at % width) / scale)]!;
    data.set([value, value, value, 255], at * 4);
  }
  return decodeQR({ width, height, data });
}

it('prints the address of a new preview, and the same as a QR code', async () => {
  const folder = await bundle();
  const devices = json(200, { servers: [{ url: 'https://updates.example.com/api/v1' }] });
  server.answer(devices, json(201, { data: channel }), none, json(201, { data: { ...key, ...secret } }), ...uploaded);
  const line = ['preview', 'create', folder, '--pr', '9', '--version', '1000.0.0', '--open', 'shop://open'];
  const { code, stdout, stderr } = await run(...line);
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const [address = ''] = /shop:\S+/.exec(stdout)!;
  expect(address).toBe(
    'shop://open#sluice_server=https%3A%2F%2Fupdates.example.com&sluice_channel=pr-9&sluice_key=svc_app_aB3',
  );
  expect(scan(stdout)).toBe(address);
  expect(lines().slice(1, 4)).toEqual([
    `POST ${CHANNELS}`,
    `GET ${CHANNELS}/pr-9/keys?page=1&per_page=50`,
    `POST ${CHANNELS}/pr-9/keys`,
  ]);
});

it('renews a preview that exists, and prints the address that it has', async () => {
  const folder = await bundle();
  const exists = json(409, { error: { code: 'CHANNEL_EXISTS', message: 'The app has a channel pr-9.' } });
  const [keys, revealed] = [json(200, { data: [key], meta: { last_page: 1 } }), json(200, { data: secret })];
  const found = json(200, { data: channel });
  server.answer(noDescription, exists, found, found, keys, revealed, ...uploaded);
  const line = ['preview', 'create', folder, '--pr', '9', '--ttl', '1d', '--version', '1000.0.1', '--json'];
  const { code, stdout } = await run(...line);
  expect(code).toBe(0);
  const { address } = JSON.parse(stdout) as { address: string };
  expect(address).toContain(`sluice_server=${encodeURIComponent(server.address)}&`);
  expect(stdout).not.toContain('█');
  expect(lines().slice(1, 6)).toEqual([
    `POST ${CHANNELS}`,
    `GET ${CHANNELS}/pr-9`,
    `PATCH ${CHANNELS}/pr-9`,
    `GET ${CHANNELS}/pr-9/keys?page=1&per_page=50`,
    `POST ${CHANNELS}/pr-9/keys/7/reveal`,
  ]);
  expect(JSON.parse(server.received[3]!.body.toString())).toEqual({ expires_at: '2026-01-02T00:00:00.000Z' });
});

it('leaves a channel alone that does not expire', async () => {
  const exists = json(409, { error: { code: 'CHANNEL_EXISTS', message: 'The app has a channel beta.' } });
  server.answer(noDescription, exists, json(200, { data: { ...channel, name: 'beta', expires_at: null } }));
  const line = ['preview', 'create', await bundle(), '--name', 'beta', '--version', '1000.0.0'];
  const { code, stderr } = await run(...line);
  expect([code, stderr]).toEqual([1, expect.stringContaining('CHANNEL_EXISTS')]);
  expect(server.received).toHaveLength(3);
});

it('shows the address of a preview again', async () => {
  const [keys, revealed] = [json(200, { data: [key], meta: { last_page: 1 } }), json(200, { data: secret })];
  server.answer(noDescription, json(200, { data: channel }), keys, revealed);
  const { code, stdout } = await run('preview', 'show', 'pr-9');
  expect(code).toBe(0);
  expect(scan(stdout)).toContain('sluice://preview#');
  expect(lines().filter((line) => line.startsWith('POST'))).toEqual([`POST ${CHANNELS}/pr-9/keys/7/reveal`]);
});

it.each([
  [['--pr', '9', '--name', 'x']],
  [[]],
  [['--pr', '9', '--open', 'shop']],
  [['--pr', '9', '--open', 'shop://open#x']],
])('sends nothing when it is called with %j', async (options) => {
  expect((await run('preview', 'create', '.', '--version', '1.0.0', ...options)).code).toBe(2);
  expect(server.received).toEqual([]);
});
