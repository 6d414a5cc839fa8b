import { randomBytes } from 'node:crypto';
import { readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@sluice/testing';
import { onEachDeployment, type Deployment } from '../support/deployment';
import { embeddedIt } from '../support/engines';
import { call, management, sha256, type Answer } from '../support/http';
import { sluice } from '../support/process';

interface Kept {
  readonly configured: boolean;
  readonly original_name: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly uploaded_at: string;
}
interface Body {
  readonly data: Kept;
  readonly error?: { readonly code: string };
  readonly errors?: Record<string, string[]>;
}

jest.setTimeout(60_000);

const LIMIT = 300_000;
const EMPTY_ZIP = Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]);
const zipOfSize = (size: number) => Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), randomBytes(size - 4)]);

onEachDeployment('the keystore backup, $name', (kind) => {
  let deployment: Deployment;
  let token: string;
  let turn = 0;
  /** Each call goes to the next gateway. */
  const url = (path = '') => {
    const gateway = deployment.gateways[turn++ % deployment.gateways.length]!;
    return `${gateway}/api/public/v1/apps/com.example.shop/keystore${path}`;
  };
  const bearer = () => ({ Authorization: `Bearer ${token}` });
  const show = async () => (await call<Body>(url(), { headers: bearer() })).body.data;
  const upload = (file: Buffer, name = 'release.zip', headers: Record<string, string> = {}) => {
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(file)]), name);
    return call<Body>(url(), { method: 'POST', headers: { ...bearer(), ...headers }, body: form });
  };
  const remove = () => call<Body>(url(), { method: 'DELETE', headers: bearer() });
  const download = () => fetch(url('/download'), { headers: bearer() });
  const codeOf = ({ status, body }: Answer<Body>) => [status, body.error?.code];

  beforeAll(async () => {
    deployment = await kind.deploy({ MAX_KEYSTORE_BYTES: String(LIMIT), LIMIT_UPLOADS_PER_HOUR: '1' });
    const { stdout } = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    ({ token } = JSON.parse(stdout) as { token: string });
    const api = management(deployment.gateways[0]!, token);
    expect((await api.post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' })).status).toBe(201);
  }, 180_000);

  afterAll(() => deployment.destroy(), 60_000);

  it('is not there at first', async () => {
    expect(await show()).toEqual({ configured: false });
    const missing = await download();
    expect([missing.status, ((await missing.json()) as Body).error?.code]).toEqual([404, 'KEYSTORE_NOT_FOUND']);
    expect(codeOf(await remove())).toEqual([404, 'KEYSTORE_NOT_FOUND']);
  });

  it.each([
    ['an empty archive', EMPTY_ZIP, 'empty.zip', 'empty.zip'],
    ['exactly the limit', zipOfSize(LIMIT), 'limit.zip', 'limit.zip'],
    ['whole pieces', zipOfSize(2 * 65_536), 'Schlüssel 🔑 “prod”.zip', 'Schlüssel 🔑 “prod”.zip'],
    ['path parts', zipOfSize(100), '../../etc/key.zip', 'key.zip'],
    ['path parts of Windows', zipOfSize(100), 'C:\\keys\\key.jks', 'key.jks'],
    ['no name but path parts', zipOfSize(100), '../..', 'keystore.zip'],
  ])('gives back %s, named as it was', async (_, file, name, kept) => {
    const stored = await upload(file, name);
    expect(stored.status).toBe(201);
    const data = { configured: true, original_name: kept, size_bytes: file.length, sha256: sha256(file) };
    expect(stored.body.data).toEqual({ ...data, uploaded_at: expect.any(String) });
    expect(await show()).toEqual(stored.body.data);

    const response = await download();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/zip');
    expect(response.headers.get('content-length')).toBe(String(file.length));
    const disposition = response.headers.get('content-disposition')!;
    const told = /filename\*=UTF-8''(.*)$/.exec(disposition)?.[1] ?? /filename="(.*)"$/.exec(disposition)![1]!;
    expect(decodeURIComponent(told)).toBe(kept);
    expect(Buffer.from(await response.arrayBuffer()).equals(file)).toBe(true);
  });

  it('keeps one object, sealed: nothing of the zip lies anywhere in plain', async () => {
    const file = zipOfSize(200_000);
    expect((await upload(file)).status).toBe(201);
    expect(await deployment.objects()).toHaveLength(1);
    const entries = await readdir(deployment.dataDir, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) {
      const bytes = await readFile(join(entry.parentPath, entry.name)).catch(() => Buffer.alloc(0));
      for (let at = 100; at < file.length; at += 10_000) {
        expect([entry.name, bytes.includes(file.subarray(at, at + 16))]).toEqual([entry.name, false]);
      }
    }
  });

  it('rejects what is no zip, too large, missing, or cut off, and keeps what there was', async () => {
    const before = await show();
    expect(codeOf(await upload(Buffer.from('PKCS#12 is no zip')))).toEqual([422, 'KEYSTORE_MUST_BE_ZIP']);
    expect(codeOf(await upload(Buffer.alloc(0)))).toEqual([422, 'KEYSTORE_MUST_BE_ZIP']);
    expect(codeOf(await upload(zipOfSize(LIMIT + 1)))).toEqual([413, 'PAYLOAD_TOO_LARGE']);
    expect((await upload(EMPTY_ZIP, `${'n'.repeat(252)}.zip`)).body.errors).toEqual({ file: [expect.any(String)] });

    const post = (body: string | FormData, headers: Record<string, string> = {}) =>
      call<Body>(url(), { method: 'POST', headers: { ...bearer(), ...headers }, body });
    const noFile = new FormData();
    noFile.set('other', 'x');
    expect((await post(noFile)).body.errors).toEqual({ file: [expect.any(String)] });
    const multipart = { 'Content-Type': 'multipart/form-data; boundary=b' };
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="k.zip"\r\n\r\nPK\x03\x04';
    expect(codeOf(await post(head, multipart))).toEqual([400, 'INVALID_MULTIPART']);
    expect(codeOf(await post('{}', { 'Content-Type': 'application/json' }))).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);

    expect(await show()).toEqual(before);
    expect(await deployment.objects()).toHaveLength(1);
  });

  it('answers the repeat of an upload with the first, and keeps one object of both', async () => {
    const key = { 'Idempotency-Key': 'backup' };
    const file = zipOfSize(1_000);
    const first = await upload(file, 'first.zip', key);
    const again = await upload(file, 'first.zip', key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(codeOf(await upload(zipOfSize(1_000), 'first.zip', key))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await deployment.objects()).toHaveLength(1);
    expect(Buffer.from(await (await download()).arrayBuffer()).equals(file)).toBe(true);
  });

  it('answers a repeated upload with the current state, after a replacement or a deletion', async () => {
    const key = { 'Idempotency-Key': 'replaced' };
    const file = zipOfSize(1_000);
    expect((await upload(file, 'mine.zip', key)).status).toBe(201);
    const other = await upload(zipOfSize(2_000), 'other.zip');
    const replaced = await upload(file, 'mine.zip', key);
    expect([replaced.status, replaced.body]).toEqual([201, other.body]);
    expect(await deployment.objects()).toHaveLength(1);
    expect((await remove()).status).toBe(200);
    const deleted = await upload(file, 'mine.zip', key);
    expect([deleted.status, deleted.body]).toEqual([201, { data: { configured: false } }]);
    expect(await deployment.objects()).toEqual([]);
  });

  const damages = [
    ['altered in its middle', 150_000, 'cut'],
    ['altered at its beginning', 10, 500],
    ['cut short', undefined, 'cut'],
  ] as const;
  for (const [damage, at, outcome] of damages) {
    embeddedIt(`never delivers a keystore that was ${damage} as if it were whole`, async () => {
      expect((await upload(zipOfSize(200_000))).status).toBe(201);
      const [object] = (await deployment.objects()).map((key) => join(deployment.dataDir, 'objects', key));
      const bytes = await readFile(object!);
      if (at === undefined) await truncate(object!, 2 * (65_536 + 16));
      else await writeFile(object!, bytes.with(at, bytes[at]! ^ 1));

      const reports = () =>
        deployment.processes.flatMap(({ log }) => log).filter((line) => line.includes('Delivery of the keystore'))
          .length;
      const before = reports();
      const response = await download();
      const body = await response.arrayBuffer().then(
        () => 'whole',
        () => 'cut',
      );
      if (outcome === 'cut') expect([response.status, body]).toEqual([200, 'cut']);
      else expect(response.status).toBe(outcome);
      await eventually(() => reports() !== before);
      expect(reports()).toBe(before + 1);
    });
  }

  it('serves concurrent uploads and downloads, each complete', async () => {
    const files = Array.from({ length: 6 }, (_, n) => zipOfSize(100_000 + n));
    const answers = await Promise.all([
      ...files.map(async (file, n) => ({ status: (await upload(file, `${n}.zip`)).status })),
      ...files.map(async () => {
        const response = await download();
        if (response.status === 200) await response.arrayBuffer().catch(() => undefined);
        return { status: response.status };
      }),
    ]);
    expect(answers.slice(0, 6).map(({ status }) => status)).toEqual(Array(6).fill(201));
    const kept = await show();
    const last = Buffer.from(await (await download()).arrayBuffer());
    expect(sha256(last)).toBe(kept.sha256);
    expect(files.some((file) => file.equals(last))).toBe(true);
    expect(await deployment.objects()).toHaveLength(1);
  });

  it('deletes it permanently, object included, and shows all of it in the history', async () => {
    expect((await upload(EMPTY_ZIP, 'last.zip')).status).toBe(201);
    expect((await remove()).body).toEqual({ data: { deleted: true } });
    expect(codeOf(await remove())).toEqual([404, 'KEYSTORE_NOT_FOUND']);
    expect(await show()).toEqual({ configured: false });
    expect(await deployment.objects()).toEqual([]);
    const told = await management(deployment.gateways[0]!, token).get<{ data: Record<string, unknown>[] }>(
      '/apps/com.example.shop/history',
    );
    expect(told.body.data.slice(0, 2)).toMatchObject([
      { type: 'KeystoreDeleted', before: { original_name: 'last.zip', size_bytes: 22 }, after: null },
      { type: 'KeystoreStored', after: { original_name: 'last.zip' } },
    ]);
  });
});
