import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { temporaryDirectory } from '@sluice/testing';
import { COLLECTS_GARBAGE, heldMemory, residentMemory } from '../load/memory';
import { call, checkUpdate, management } from '../support/http';
import { startProcess, type ServerProcess } from '../support/process';
import { zipOf } from '../support/zip';
import type { Given } from './requests';

/** What the server holds once its garbage is collected. */
export interface Held {
  readonly heapMiB: number;
  readonly residentMiB: number;
  readonly descriptors: number;
}

export interface Installation {
  readonly server: ServerProcess;
  readonly port: number;
  readonly dataDir: string;
  readonly given: Given;
  /** Lines of the log that report a fault of the server itself. */
  faultsLogged(): readonly string[];
  /** Waits until nothing is at work, collects the garbage, and looks. */
  held(): Promise<Held>;
  /** Whether the credentials of the run still work. */
  stillWorks(): Promise<boolean>;
  remove(): Promise<void>;
}

/** The server logs JSON; what Node and libraries write by themselves is none. */
const FAULT = /"level":"?(error|fatal|50|60)\b|^[^{]/;

/** Nothing that the server is asked for leaves this machine. */
const REMOTES = [
  ...['MERCHANT_API_BASE_URL', 'CONTENT_API_BASE_URL', 'OAUTH_AUTHORIZE_URL', 'OAUTH_TOKEN_URL', 'OAUTH_REVOKE_URL'],
  'OAUTH_USERINFO_URL',
];

/** A standalone server on an empty folder with an app, a key and a released build. `env`: settings in addition to its own. */
export async function install(env: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const dataDir = temporaryDirectory();
  const server = await startProcess('standalone', {
    DATA_DIR: dataDir,
    ...{ ENTITLEMENTS: 'listings_ads', MODULE_ENABLED_LISTINGS_ADS: 'true' },
    ...Object.fromEntries(REMOTES.map((name) => [name, 'https://127.0.0.1:1'])),
    // A key is made in a tenth of a second of a core.
    LIMIT_KEY_ACTIONS_PER_HOUR: '200',
    ...COLLECTS_GARBAGE,
    ...env,
  });
  const { address, child } = server;
  const pid = child.pid!;
  const given = await release(address, dataDir);
  const faults: string[] = [];
  // Every change is a line, of which a long run has more than memory.
  const readLog = (): void => {
    faults.push(...(server.log as string[]).splice(0).filter((line) => FAULT.test(line)));
  };
  const reading = setInterval(readLog, 1_000);

  return {
    ...{ server, dataDir, given, port: Number(new URL(address).port) },
    faultsLogged() {
      readLog();
      return faults;
    },
    async held() {
      await pause(2_000);
      return {
        heapMiB: await heldMemory(pid, address),
        residentMiB: residentMemory(pid).now,
        descriptors: readdirSync(`/proc/${pid}/fd`).length,
      };
    },
    async stillWorks() {
      const tokens = await fetch(`${address}/api/public/v1/token`, {
        headers: { Authorization: `Bearer ${given.token}` },
      });
      const owner = await fetch(`${address}/api/dashboard/v1/apps`, {
        headers: { Authorization: `Bearer ${given.ownerKey}` },
      });
      const check = await checkUpdate(address, given.apiKey, 'probe', '0.0.1');
      return tokens.status === 200 && owner.status === 200 && check.status === 200;
    },
    async remove() {
      clearInterval(reading);
      await server.stop();
    },
  };
}

async function release(address: string, dataDir: string): Promise<Given> {
  const ownerKey = (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim();
  const made = await call<{ data: { token: string } }>(`${address}/api/dashboard/v1/tokens`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${ownerKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      ...{ name: 'fuzz', all_apps: true },
      permissions: ['builds.delete', 'apps.delete', 'keys.delete', 'manage_store'],
    }),
  });
  const { token } = made.body.data;
  const api = management(address, token);
  await api.post('/apps', { name: 'Fuzzed', bundle_id: 'com.example.app' });
  const apiKey = (await api.post('/apps/1/api-keys', { name: 'installs' })).body.data['plaintext_key'] as string;
  const bundle = await zipOf({ 'index.html': 'x' });
  await api.upload('/apps/1/builds', bundle, { version: '0.0.2', channel: 'production' });
  while (!(await checkUpdate(address, apiKey, 'probe', '0.0.1')).body.available) await pause(20);
  return { token, ownerKey, apiKey, bundle };
}
