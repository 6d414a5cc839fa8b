import { randomBytes } from 'node:crypto';
import { mkdir, readdir, symlink, truncate, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import { encryptForCapgo, newCapgoKeys } from '../../test/support/capgo-encryption';
import { json, scriptedServer, type Received } from '../../test/support/scripted-server';

const server = scriptedServer();

const { run } = server;

const build = {
  id: 3,
  version: '1.0.0',
  channel: 'production',
  status: 'active',
  rollout_percentage: 100,
  signature: null,
};
/** The parts in the order in which they came; of a file its first four bytes. */
async function parse(headers: IncomingHttpHeaders, body: Buffer): Promise<[string, string][]> {
  const parts: Promise<[string, string]>[] = [];
  const form = new Busboy({ headers: { 'content-type': headers['content-type']! } });
  form.on('field', (name, value) => void parts.push(Promise.resolve([name, value])));
  form.on('file', (name, stream) => {
    parts.push(buffer(stream).then((bytes) => [name, bytes.toString('latin1', 0, 4)]));
  });
  form.end(body);
  await finished(form);
  return Promise.all(parts);
}

describe('upload', () => {
  const accepted = {
    data: { job_id: '01J', status_url: 'http://x/jobs/01J', build: { ...build, status: 'processing' } },
  };
  const job = (status: string, error: string | null = null) => json(200, { data: { id: '01J', status, error } });
  let folder: string;
  const systemTemporary = process.env.TMPDIR;

  beforeEach(async () => {
    process.env.TMPDIR = server.folder;
    folder = join(server.folder, 'app');
    await mkdir(folder);
    await writeFile(join(folder, 'index.html'), randomBytes(300_000));
  });

  afterEach(() => {
    if (systemTemporary === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = systemTemporary;
  });

  const sendZip = (source: string, ...options: string[]) =>
    run([
      ...['upload', source, '--app', '1', '--version', '1.0.0', '--channel', 'production', '--rollout', '100'],
      ...options,
    ]);
  const send = (...options: string[]) => sendZip(folder, ...options);

  it('sends the fields before the zip, with a length known beforehand, and cleans up', async () => {
    server.answer(json(202, accepted));
    const { code, stdout, stderr } = await send('--notes', 'Grüße', '--rollout', '5', '--mandatory', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(accepted.data);
    const [{ line, headers, body }] = server.received as [Received];
    expect(line).toBe('POST /api/public/v1/apps/1/builds');
    expect(headers['content-length']).toBe(String(body.length));
    expect(headers['transfer-encoding']).toBeUndefined();
    const form = await parse(headers, body);
    expect(form).toEqual([
      ['version', '1.0.0'],
      ['channel', 'production'],
      ['release_notes', 'Grüße'],
      ['rollout_percentage', '5'],
      ['mandatory', 'true'],
      ['file', 'PK\u0003\u0004'],
    ]);
    expect(await readdir(server.folder)).toEqual(['app']);
  });

  it('sends the metadata that is given and that the CI states, unless it is switched off', async () => {
    server.answer(json(202, accepted));
    const env = {
      ...{ GITLAB_CI: 'true', CI_COMMIT_BRANCH: 'main', CI_COMMIT_TAG: 'v1.0.0' },
      CI_PROJECT_URL: 'https://ci:secret@git.example.com/shop',
    };
    const sent = async (...options: string[]) => {
      const line = ['upload', folder, '--app', '1', '--version', '1.0.0', '--channel', 'production', ...options];
      expect((await run(line, { env })).code).toBe(0);
      const { headers, body } = server.received.at(-1)!;
      const metadata = (await parse(headers, body)).find(([name]) => name === 'metadata')?.[1];
      return metadata && (JSON.parse(metadata) as unknown);
    };
    const given = ['--metadata', 'ticket=APP-12', '--metadata', 'branch='];
    const repository = 'https://git.example.com/shop';
    expect(await sent()).toEqual({ branch: 'main', tag: 'v1.0.0', repository });
    expect(await sent(...given)).toEqual({ tag: 'v1.0.0', repository, ticket: 'APP-12' });
    expect(await sent(...given, '--no-metadata')).toEqual({ ticket: 'APP-12' });
    expect(await sent('--no-metadata', ...given)).toEqual({ ticket: 'APP-12' });
    expect(await sent('--no-metadata')).toBeUndefined();
  });

  it('sends which native apps can run the bundle, and proposes a range where none is given', async () => {
    server.answer(json(202, accepted), json(202, accepted), json(202, accepted));
    await mkdir(join(server.folder, 'android/app'), { recursive: true });
    await writeFile(join(server.folder, 'android/app/build.gradle'), 'versionName "2.1"\n');
    const { stderr } = await send();
    expect(stderr).toContain('The native app is version 2.1.0 in android/app/build.gradle.');
    expect(stderr).toContain('--native-range ">=2.1.0"');
    expect((await send('--platform', 'ios')).stderr).not.toContain('--native-range');
    const given = ['--native-range', '>=2.1 <3', '--fingerprint', 'f00d', '--platform', 'android'];
    expect((await send(...given)).stderr).not.toContain('The native app');
    const { headers, body } = server.received.at(-1)!;
    expect(await parse(headers, body)).toEqual(
      expect.arrayContaining([
        ['native_range', '>=2.1 <3'],
        ['fingerprint', 'f00d'],
        ['platform', 'android'],
      ]),
    );
    expect((await send('--native-range', '>=2', '--min-native', '2')).code).toBe(2);
  });

  it.each([
    ['--metadata=ticket', 'such as ticket=APP-12'],
    ['--metadata=Ticket=1', 'lower-case letter'],
    ['--metadata=ticket=a\nb', 'without control characters'],
  ])('rejects %j before anything is sent', async (option, message) => {
    const { code, stderr } = await send(option);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) as unknown });
    expect(server.received).toEqual([]);
  });

  it('sends a zip as it is', async () => {
    const bytes = randomBytes(1_000);
    await writeFile(join(server.folder, 'own.zip'), bytes);
    server.answer(json(202, accepted));
    expect((await sendZip(join(server.folder, 'own.zip'))).code).toBe(0);
    expect(server.received[0]!.body.includes(bytes)).toBe(true);
  });

  it.each(['keep-alive', 'close'])('hears an early refusal of a large body (connection: %s)', async (connection) => {
    server.handle((_request, response) => {
      json(413, { error: { code: 'PAYLOAD_TOO_LARGE', message: 'too large' } }, { connection })(response);
    });
    await writeFile(join(server.folder, 'large.zip'), randomBytes(20_000_000));
    const { code, stderr } = await sendZip(join(server.folder, 'large.zip'));
    expect(stderr).toContain('PAYLOAD_TOO_LARGE');
    expect(code).toBe(1);
  });

  it('sends what decrypts a file that was encrypted before, also as the CLI of Capgo prints it', async () => {
    const { file, delivery } = encryptForCapgo(Buffer.from('zip'), newCapgoKeys());
    const [path, json_] = [join(server.folder, 'encrypted.zip'), join(server.folder, 'delivery.json')];
    await writeFile(path, file);
    const { session_key: ivSessionKey, checksum } = delivery.capgo;
    const sent = async (content: unknown) => {
      server.answer(json(202, accepted));
      await writeFile(json_, JSON.stringify(content));
      expect(await sendZip(path, '--delivery-file', json_)).toMatchObject({ code: 0 });
      const { headers, body } = server.received.at(-1)!;
      return JSON.parse((await parse(headers, body)).find(([name]) => name === 'delivery')?.[1] ?? '') as unknown;
    };
    expect(await sent(delivery)).toEqual(delivery);
    const printed = { checksum, filename: 'encrypted.zip', ivSessionKey };
    expect(await sent(printed)).toEqual({ capgo: { session_key: ivSessionKey, checksum } });

    await writeFile(json_, JSON.stringify({ ...printed, checksum: 'none' }));
    expect((await sendZip(path, '--delivery-file', json_)).stderr).toContain('256 bytes of the encrypted checksum');
    await writeFile(json_, '{}');
    expect((await sendZip(path, '--delivery-file', json_)).stderr).toContain('bundle encrypt --json');
    expect(await send('--delivery-file', json_)).toMatchObject({ code: 2 });
    expect(server.received).toHaveLength(2);
  });

  it('never holds the whole zip in memory', async () => {
    server.handle((request, response) => {
      request.resume().once('end', () => json(202, accepted)(response));
    });
    const large = join(server.folder, 'large.zip');
    await writeFile(large, '');
    await truncate(large, 300_000_000);
    const before = process.memoryUsage().rss;
    let peak = before;
    const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 5);
    expect((await sendZip(large)).code).toBe(0);
    clearInterval(watch);
    expect(peak - before).toBeLessThan(150_000_000);
  }, 30_000);

  it('does not follow a redirect', async () => {
    server.answer((response) => response.writeHead(308, { location: 'https://elsewhere.example/' }).end());
    expect((await send()).stderr).toContain('sends us on to another address');
  });

  it('waits for the job, through limits and short absences', async () => {
    server.answer(
      json(202, accepted),
      job('pending'),
      json(429, { error: { code: 'RATE_LIMITED', message: 'slowly' } }, { 'retry-after': '30' }),
      json(503, { error: { code: 'SERVICE_UNAVAILABLE', message: 'restarting' } }),
      (response) => response.destroy(),
      job('processing'),
      job('completed'),
      json(200, { data: build }),
    );
    const { code, stdout, pauses } = await send('--wait', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ job: { status: 'completed' }, build: { status: 'active' } });
    expect(pauses).toEqual([500, 30_000, 2_000, 4_000, 5_000]);
  });

  it('fails with the error of a job that failed', async () => {
    server.answer(json(202, accepted), job('failed', 'entry ../evil leaves the bundle'));
    const { code, stdout, stderr } = await send('--wait');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('JOB_FAILED: entry ../evil leaves the bundle');
  });

  it('rejects a symbolic link before anything is sent', async () => {
    await symlink('index.html', join(folder, 'link.html'));
    expect((await send()).stderr).toContain('link.html is a symbolic link');
    expect(server.received).toEqual([]);
  });
});
