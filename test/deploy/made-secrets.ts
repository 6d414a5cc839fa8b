import { execFile } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SEAL_PURPOSES } from '@sluice/contracts';
import type { EngineName } from '@sluice/engines';
import { deriveSealKeys, masterKeyFrom } from '@sluice/vault';
import { buildPipeline } from '../../services/build-pipeline/build-pipeline.service';
import { deviceUpdates } from '../../services/device-updates/device-updates.service';
import { gateway } from '../../services/gateway/gateway.service';
import { keys } from '../../services/keys/keys.service';
import { merchantSync } from '../../services/merchant-sync/merchant-sync.service';
import { registry } from '../../services/registry/registry.service';

export const ROOT = join(__dirname, '..', '..');

/** Copies `deploy` and `k8s` into the folder, as a fresh checkout has them. */
export async function copyWithoutSecrets(folder: string): Promise<void> {
  for (const part of ['deploy', 'k8s']) {
    const filter = (path: string) =>
      !/\.env$|\/deploy\/secrets$|\/deploy\/helm\/secrets\.yaml$/.test(path) || path.endsWith('settings.env');
    await cp(join(ROOT, part), join(folder, part), { recursive: true, filter, verbatimSymlinks: true });
  }
}

/** Copies `deploy` and `k8s` into the folder and makes secrets there, as an operator does. */
export async function copyWithSecrets(folder: string, kind: 'compose' | 'development' | 'helm'): Promise<void> {
  await copyWithoutSecrets(folder);
  await promisify(execFile)(process.execPath, [join(folder, 'deploy', 'make-secrets.mjs'), kind]);
}

/** A file of lines `NAME=value`. */
export async function readEnvFile(path: string): Promise<Record<string, string>> {
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** All services but `standalone`. */
export const DEFINITIONS = [gateway, registry, buildPipeline, deviceUpdates, keys, merchantSync];

/** By service, the engines that it declares. */
export const NEEDS: Readonly<Record<string, readonly EngineName[]>> = Object.fromEntries(
  DEFINITIONS.map(({ name, needs }) => [name, needs]),
);

const SETTING_OF: Readonly<Record<Exclude<EngineName, 'vault'>, string>> = {
  events: 'EVENT_STORE_URL',
  readStore: 'READ_STORE_URL',
  stateStore: 'STATE_STORE_URL',
  objects: 'OBJECT_STORE_URL',
};

/** The settings that hold what opens a service's engines. */
export function credentialsOf(service: string): string[] {
  const own = (NEEDS[service] ?? []).map((engine) => {
    if (engine !== 'vault') return SETTING_OF[engine];
    return service in SEAL_PURPOSES ? 'SEAL_KEYS' : 'MASTER_KEY';
  });
  return ['BUS_URL', ...own].sort();
}

/** The SEAL_KEYS of every service that has them, as they derive from the MASTER_KEY of the service keys. */
export function expectedSealKeys(masterKey: string): Record<string, string> {
  const entries = Object.entries(SEAL_PURPOSES);
  return Object.fromEntries(
    entries.map(([name, purposes]) => [name, deriveSealKeys(masterKeyFrom(masterKey), purposes)]),
  );
}
