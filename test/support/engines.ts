import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { newCredential } from '@sluice/contracts';
import { storeAddress } from '@sluice/object-store/minio';
import { Client } from 'minio';
import { testDatabase } from '@sluice/testing/mongodb';

/** The empty engines of a deployment. */
export interface TestEngines {
  readonly env: Readonly<Record<string, string>>;
  /** The key of everything in the object store; of unfinished uploads a name that ends in ~. */
  readonly objects: () => Promise<string[]>;
  /** Deletes the read store. No process may run. */
  readonly dropReadStore: () => Promise<unknown>;
  /** Deletes what lies outside of DATA_DIR. */
  readonly drop: () => Promise<unknown>;
}

const NAMED = ['TEST_EVENT_STORE_URL', 'TEST_MONGODB_URL', 'TEST_OBJECT_STORE_URL'];

/** Whether deployments keep their data in DATA_DIR alone. */
export const embedded = NAMED.every((name) => process.env[name] === undefined);

/** For what reaches into the files of an embedded engine, or changes them. */
export const embeddedIt = (name: string, test: () => Promise<void>, timeout?: number): void =>
  embedded ? it(name, test, timeout) : it.skip(`${name} (embedded engines only)`, test, timeout);

/** The engines that TEST_* variables name if they are `wanted`, else the embedded ones in `dataDir`. */
export function testEngines(dataDir: string, wanted: boolean): TestEngines {
  const [events, mongodb, s3] = NAMED.map((name) => (wanted ? process.env[name] : undefined));
  const [read, state] = mongodb === undefined ? [] : [testDatabase(mongodb), testDatabase(mongodb)];
  const bucket = s3 === undefined ? undefined : testBucket(s3);
  return {
    env: {
      ...(events !== undefined && {
        EVENT_STORE_URL: events,
        EVENT_STORE_PREFIX: `t${randomBytes(6).toString('hex')}_`,
        OWNER_KEY: newCredential('svc_own_'),
      }),
      ...(read && state && { READ_STORE_URL: read.url, STATE_STORE_URL: state.url }),
      ...(bucket && { OBJECT_STORE_URL: bucket.url }),
      ...(wanted && !embedded && { MASTER_KEY: randomBytes(32).toString('hex') }),
    },
    objects: bucket?.objects ?? (() => filesIn(join(dataDir, 'objects'))),
    dropReadStore: () =>
      read?.drop() ??
      Promise.all(['', '-wal', '-shm'].map((suffix) => rm(join(dataDir, `read.db${suffix}`), { force: true }))),
    drop: () => Promise.all([read?.drop(), state?.drop(), bucket?.drop()]),
  };
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .map((path) => (path.startsWith('staging~') ? `${path}~` : path));
}

/** A bucket in addition to the one that the address names. */
function testBucket(address: string) {
  const url = address.replace(/(\?|$)/, `-${randomBytes(6).toString('hex')}$1`);
  const { host, port, tls, bucket, ...keys } = storeAddress(url);
  const client = new Client({ endPoint: host, ...(port && { port }), useSSL: tls, ...keys });
  const finished = async () => {
    const objects = (await client.listObjectsV2(bucket, '', true).toArray()) as { readonly name: string }[];
    return objects.map(({ name }) => name);
  };
  return {
    url,
    objects: async () => {
      const { uploads } = await client.listIncompleteUploadsQuery(bucket, '', '', '', '');
      return [...(await finished()), ...uploads.map(({ key }) => `${key}~`)];
    },
    drop: async () => {
      if (!(await client.bucketExists(bucket))) return;
      await client.removeObjects(bucket, await finished());
      await client.removeBucket(bucket);
    },
  };
}
