import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stableUuid } from '@sluice/kernel';
import { cpuSeconds, onServerCore } from '../load/bench';
import { writeHistory } from '../load/history';
import { COLLECTS_GARBAGE } from '../load/memory';
import { checkUpdate } from '../support/http';
import { launchProcess, type ServerProcess } from '../support/process';
import { zipOf } from '../support/zip';
import { MEASURED, withPriority } from './child';
import { LARGE_BUNDLE_BYTES, Target, type Scene } from './target';

/** Of the app whose devices check for updates, of the one that is busy, and of the one under attack. */
const BUILDS = [5, 1_000, 3] as const;
const [CHECKED_APP, BUSY_APP, APP] = [1, 2, 3];

/** More than all attacks take in all their rounds, and fewer than an owner may have. */
const TOKENS = 64;

/** An empty setting counts as not set: these are as shipped, although servers of tests have none. */
const LIMITS_AS_SHIPPED = {
  LIMIT_REQUESTS_PER_MINUTE: '',
  LIMIT_OWNER_REQUESTS_PER_MINUTE: '',
  LIMIT_CHANGES_PER_HOUR: '',
  LIMIT_UPLOADS_PER_HOUR: '',
  LIMIT_KEY_ACTIONS_PER_HOUR: '',
  LIMIT_DEVICE_PER_MINUTE: '',
  LIMIT_ADDRESS_PER_MINUTE: '',
};

export interface StartedScene {
  readonly server: ServerProcess;
  readonly pid: number;
  readonly scene: Scene;
  /** Of the app whose devices check for updates. */
  readonly apiKey: string;
}

/** A server on a core and a folder of its own, with three apps, two owners and a bundle to download. */
export async function startScene(folder: string, settings: Readonly<Record<string, string>>): Promise<StartedScene> {
  const dataDir = mkdtempSync(join(folder, 'server-'));
  const { apiKey } = await writeHistory(dataDir, { apps: 3, channels: ['production'], builds: BUILDS, busy: true });
  const env = {
    ...LIMITS_AS_SHIPPED,
    ...COLLECTS_GARBAGE,
    TRUSTED_PROXIES: '127.0.0.1/32',
    ENTITLEMENTS: 'listings_ads',
    MODULE_ENABLED_LISTINGS_ADS: 'true',
    ...settings,
    DATA_DIR: dataDir,
  };
  const server = await onServerCore(() => withPriority(MEASURED, () => launchProcess('standalone', env))).ready;
  process.once('exit', () => server.child.kill('SIGKILL'));
  try {
    return { server, pid: server.child.pid!, scene: await furnish(server.address, dataDir), apiKey };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function furnish(address: string, dataDir: string): Promise<Scene> {
  const operatorKey = readFileSync(join(dataDir, 'owner.key'), 'utf8').trim();
  const build = BUILDS.reduce((sum: number, builds) => sum + builds, 0);
  const bundleId = stableUuid('build', build);
  const known = { address, operatorKey, app: APP, build, bundleId, busyApp: BUSY_APP };
  const target = new Target({ ...known, tokens: [], tenantKey: '', apiKey: '', download: '' }, 0, 0);
  const post = async (bearer: string, path: string, body: object): Promise<Record<string, string>> =>
    (await target.prepared<{ data: Record<string, string> }>({ method: 'POST', path: `/api/${path}`, bearer, body }))
      .data;
  const tokens: string[] = [];
  for (let n = 0; n < TOKENS; n += 1) {
    const { token } = await post(operatorKey, 'dashboard/v1/tokens', { name: `T${n}`, all_apps: true });
    tokens.push(token!);
  }
  const [token = ''] = tokens.splice(0, 1);
  const tenant = await post(operatorKey, 'dashboard/v1/owners', { name: 'Tenant' });
  const keys = `public/v1/apps/${APP}/api-keys`;
  const { plaintext_key: apiKey = '' } = await post(token, keys, { name: 'installs' });
  const file = await zipOf({ 'data.bin': randomBytes(LARGE_BUNDLE_BYTES) });
  const form = { fields: { version: '9.0.0', channel: 'staging' }, file };
  await target.prepared({ method: 'POST', path: `/api/public/v1/apps/${APP}/builds`, bearer: token, form });
  // The first of their kind start what stays: the process that counts reports, and the like.
  await target.prepared({ path: `/api/public/v1/apps/${CHECKED_APP}/adoption`, bearer: token });
  for (;;) {
    const { body } = await checkUpdate(address, apiKey, 'device', '0.9.0', 'staging');
    if (body.available) {
      const { pathname, search } = new URL(body.downloadUrl);
      return { ...known, tokens, tenantKey: tenant['owner_key']!, apiKey, download: pathname + search };
    }
    await delay(50);
  }
}

export interface Descriptors {
  readonly all: number;
  /** Connections of the server's listener. */
  readonly connections: number;
  /** Of bundles and other objects. */
  readonly objects: number;
}

/** What the process has open. Linux alone. */
export function descriptorsOf({ pid, scene }: Pick<StartedScene, 'pid' | 'scene'>): Descriptors {
  const port = Number(new URL(scene.address).port).toString(16).toUpperCase().padStart(4, '0');
  const sockets = new Set<string>();
  for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n').slice(1)) {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    if (local?.endsWith(`:${port}`) && state !== '0A') sockets.add(`socket:[${inode}]`);
  }
  const folder = `/proc/${pid}/fd`;
  const open = readdirSync(folder).map((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`);
    } catch {
      return '';
    }
  });
  return {
    all: open.length,
    connections: open.filter((file) => sockets.has(file)).length,
    objects: open.filter((file) => file.includes('/objects/')).length,
  };
}

const IDLE_SHARE = 0.15;
const LOOK_MS = 200;
const IDLE_PATIENCE_MS = 15_000;

/** Until the process has done what an attack has left it to do; so that this is no part of a quiet round. */
export async function untilIdle(pid: number): Promise<void> {
  const end = performance.now() + IDLE_PATIENCE_MS;
  while (performance.now() < end) {
    const before = cpuSeconds(pid);
    await delay(LOOK_MS);
    if (cpuSeconds(pid) - before <= (IDLE_SHARE * LOOK_MS) / 1_000) return;
  }
}
