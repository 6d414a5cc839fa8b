import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { openMinioObjectStore } from '@sluice/object-store/minio';
import { temporaryDirectory } from '@sluice/testing';
import { NEEDS } from '../deploy/made-secrets';
import { ENGINES } from './engines';
import { installed, startOwnEngine, type OwnEngine } from './start-engine';

const SCRIPT = join(__dirname, '..', '..', 'deploy', 'engines', 'minio-users.sh');
const engine = ENGINES.find(({ name }) => name === 'object store')!;
const missing = [engine.program!.name, 'mc'].filter((name) => installed(name) === undefined);
const suite = missing.length > 0 ? describe.skip : describe;

const USERS = Object.keys(NEEDS).filter((name) => NEEDS[name]!.includes('objects'));

/** By prefix, the services that may read its objects, and those that may write and delete them. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  bundles: ['gateway', 'build-pipeline', 'device-updates'],
  keystores: ['gateway', 'keys'],
  feeds: ['gateway', 'merchant-sync'],
  groups: ['device-updates'],
  'group-lists': ['gateway', 'device-updates'],
};
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  bundles: ['gateway', 'build-pipeline'],
  keystores: ['gateway', 'keys'],
  feeds: ['merchant-sync'],
  groups: ['device-updates'],
  'group-lists': ['gateway', 'device-updates'],
};

suite(`the users of MinIO${missing.map((name) => ` (no ${name})`).join('')}`, () => {
  let server: OwnEngine;
  let folder: string;
  const passwords = Object.fromEntries(USERS.map((name) => [name, randomBytes(16).toString('hex')]));
  const addressOf = (user: string, password = passwords[user]) =>
    `minio://${user}:${password!}@127.0.0.1:${server.port}/sluice`;

  const makeUsers = () => {
    const variables = USERS.map((name) => [`MINIO_${name.toUpperCase().replace('-', '_')}_PASSWORD`, passwords[name]!]);
    return promisify(execFile)('sh', [SCRIPT], {
      env: {
        PATH: `${dirname(installed('mc')!)}:${process.env['PATH']!}`,
        ...{ HOME: folder, MC_CONFIG_DIR: folder, MINIO_URL: `http://127.0.0.1:${server.port}` },
        ...engine.program!.environment,
        ...Object.fromEntries(variables),
      },
    });
  };

  beforeAll(async () => {
    folder = temporaryDirectory();
    server = await startOwnEngine(engine);
    await makeUsers();
  }, 120_000);

  afterAll(() => server.stop());

  it.each(USERS)('gives %s the objects that it needs and no others', async (name) => {
    const { user, password } = storeOwner();
    const owner = await openMinioObjectStore({ url: addressOf(user, password) });
    const store = await openMinioObjectStore({ url: addressOf(name) });
    const allowed = { reads: [] as string[], writes: [] as string[] };
    for (const prefix of Object.keys(READERS)) {
      await owner.put(`${prefix}/there`, Readable.from(Buffer.from('bytes')));
      const read = store.get(`${prefix}/there`).then((bytes) => bytes.resume());
      if (await succeeds(read)) allowed.reads.push(prefix);
      // Large enough to be sent in parts.
      const large = Readable.from(Array.from({ length: 12 }, () => Buffer.alloc(1_048_576)));
      const written = await succeeds(store.put(`${prefix}/new`, large));
      if (written && (await succeeds(store.delete(`${prefix}/new`)))) allowed.writes.push(prefix);
    }
    await store.put('diagnostics/try', Readable.from(Buffer.from('bytes')));
    await expect(store.delete('diagnostics/try')).resolves.toBe(true);
    await store.close();
    await owner.close();
    const of = (table: typeof READERS) => Object.keys(table).filter((prefix) => table[prefix]!.includes(name));
    expect(allowed).toEqual({ reads: of(READERS), writes: of(WRITERS) });
  });

  it('makes them again without a complaint, with the passwords that are given then', async () => {
    passwords['keys'] = randomBytes(16).toString('hex');
    await makeUsers();
    const store = await openMinioObjectStore({ url: addressOf('keys') });
    await expect(store.ping()).resolves.toBeUndefined();
    await store.close();
  });

  function storeOwner(): { user: string; password: string } {
    const { username, password } = new URL(server.url.replace(/^minio:/, 'http:'));
    return { user: username, password };
  }
});

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
