import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { SEAL_PURPOSES } from '@sluice/contracts';
import { temporaryDirectory } from '@sluice/testing';
import { deriveSealKeys, masterKeyFrom } from '@sluice/vault';
import { testEngines, type TestEngines } from './engines';
import { natsServerBinary, startGuardedNats } from '@sluice/testing/nats-server';
import { launchProcess, type ServerProcess, type StartingProcess } from './process';

/** An installation that a test drives from outside, whatever it is made of. */
export interface Deployment extends Pick<TestEngines, 'objects' | 'dropReadStore'> {
  readonly dataDir: string;
  /** The settings of its processes. */
  readonly env: Readonly<Record<string, string>>;
  /** OWNER_KEY as it was given, else that of the file in `dataDir`, where commands look for it too. */
  ownerKey(): Promise<string>;
  /** Addresses of every process that serves the management plane, and the device plane. */
  readonly gateways: readonly string[];
  readonly devices: readonly string[];
  readonly processes: readonly ServerProcess[];
  /** Stops every process, keeps the data; answers the exit codes. */
  stop(): Promise<(number | null)[]>;
  /** Starts again on the same data. */
  start(): Promise<void>;
  /**
   * Restarts a process on the same data; it takes the place of one that has ended, or that the caller
   * ends, once it is ready. One that was killed before or after that can be followed by another.
   */
  revive(former: ServerProcess): StartingProcess;
  /** Stops whatever runs and deletes the data. */
  destroy(): Promise<void>;
}

type OfReplica = (service: string, replica: number) => Readonly<Record<string, string>>;

export interface DeploymentKind {
  readonly name: string;
  readonly available: boolean;
  /**
   * On the engines that TEST_* variables name, else on the embedded ones in a folder of its own. With
   * DATA_DIR in `env`: on the embedded ones there, and the data outlives the deployment.
   * @param ofReplica more settings of a process, by its service and its number among the replicas of that, from 0
   */
  deploy(env?: Readonly<Record<string, string>>, ofReplica?: OfReplica): Promise<Deployment>;
}

const SERVICES = ['registry', 'keys', 'build-pipeline', 'merchant-sync', 'device-updates', 'gateway'] as const;
const REPLICAS = 2;

/** Sooner than a hook gives up, which would leave what was started behind. */
const START_MS = 150_000;

/** How many processes run of each service; one, where nothing is said. */
export type Replicas = Readonly<Partial<Record<(typeof SERVICES)[number], number>>>;

export const standalone: DeploymentKind = {
  name: 'standalone',
  available: true,
  deploy: (env = {}) => deploy(['standalone'], env),
};

export const sixServices: DeploymentKind = {
  name: `six services, ${REPLICAS} replicas of each, over NATS`,
  available: natsServerBinary() !== undefined,
  async deploy(env = {}, ofReplica) {
    const nats = await startGuardedNats(SERVICES);
    const replicas = Object.fromEntries(SERVICES.map((name) => [name, REPLICAS]));
    return deploy(processesOf(replicas), env, { urlOf: nats.urlOf, stop: () => nats.stop() }, ofReplica);
  },
};

declare const SIX_SERVICES: boolean | undefined;

/** What the Jest project deploys: one process, or six services in the project `services`. */
export const DEPLOYMENT = typeof SIX_SERVICES === 'undefined' ? standalone : sixServices;

/** Describes tests that every deployment must pass; `$name` is the deployment's. Skipped where it cannot run. */
export function onEachDeployment(name: string, tests: (kind: DeploymentKind) => void): void {
  const describeIt = DEPLOYMENT.available ? describe : describe.skip;
  describeIt(name.replace('$name', DEPLOYMENT.name), () => tests(DEPLOYMENT));
}

/** The six services on the bus that BUS_URL names, which outlives the deployment; otherwise as DeploymentKind.deploy. */
export function deployServices(
  env: Readonly<Record<'BUS_URL', string> & Record<string, string>>,
  replicas: Replicas = {},
): Promise<Deployment> {
  return deploy(processesOf(replicas), env);
}

function processesOf(replicas: Replicas): string[] {
  return SERVICES.flatMap((name) => Array<string>(replicas[name] ?? 1).fill(name));
}

async function deploy(
  names: readonly string[],
  given: Readonly<Record<string, string>>,
  bus?: { readonly urlOf: (service: string) => string; readonly stop: () => Promise<unknown> },
  ofReplica: OfReplica = () => ({}),
): Promise<Deployment> {
  const kept = given['DATA_DIR'];
  const dataDir = kept ?? temporaryDirectory();
  const engines = testEngines(dataDir, kept === undefined);
  const env: Readonly<Record<string, string>> = { ...engines.env, ...given, DATA_DIR: dataDir };
  const ownerKey = engines.env['OWNER_KEY'];
  // Which only the embedded event store makes itself.
  if (ownerKey !== undefined) await writeFile(join(dataDir, 'owner.key'), ownerKey, { mode: 0o600 });
  const sealed = names.includes('standalone') ? undefined : await masterKeyOf(env, dataDir);
  const launch = (name: string, replica = 0) =>
    launchProcess(name, {
      ...env,
      ...ofReplica(name, replica),
      ...(bus && { BUS_URL: bus.urlOf(name) }),
      ...(sealed !== undefined && sealKeysOf(name, sealed)),
    });
  const startAll = async () => {
    const launched = names.map((name, at) => launch(name, at - names.indexOf(name)));
    const late = new AbortController();
    try {
      const started = Promise.all(launched.map(({ ready }) => ready));
      return await Promise.race([started, tooLate(names, late.signal)]);
    } catch (error) {
      await Promise.all(launched.map((process) => process.stop('SIGKILL')));
      throw error;
    } finally {
      late.abort();
    }
  };
  const release = async () => {
    await bus?.stop();
    await engines.drop();
  };
  const starting = new Set<StartingProcess>();
  /** Of those that had a successor, and of successors. */
  const places = new WeakMap<ServerProcess, number>();
  let processes = await startAll().catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const addresses = (service: string) =>
    processes.filter(({ name }) => name === service || name === 'standalone').map(({ address }) => address);
  const stop = () => Promise.all(processes.map((process) => process.stop()));
  return {
    ...{ dataDir, env, objects: engines.objects, dropReadStore: engines.dropReadStore },
    ownerKey: async () => given['OWNER_KEY'] ?? (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim(),
    get gateways() {
      return addresses('gateway');
    },
    get devices() {
      return addresses('device-updates');
    },
    get processes() {
      return processes;
    },
    stop,
    async start() {
      processes = await startAll();
    },
    revive(former) {
      const successor = launch(former.name);
      starting.add(successor);
      const place = places.get(former) ?? processes.indexOf(former);
      const ready = successor.ready
        .then((process) => {
          places.set(process, place).set(former, place);
          processes = processes.with(place, process);
          return process;
        })
        .finally(() => starting.delete(successor));
      ready.catch(() => undefined);
      return { ...successor, ready };
    },
    async destroy() {
      await Promise.all([stop(), ...[...starting].map((process) => process.stop('SIGKILL'))]);
      await release();
    },
  };
}

/** That of `env`, else of the file in `dataDir`, which is made where there is none. */
async function masterKeyOf(env: Readonly<Record<string, string>>, dataDir: string): Promise<string> {
  if (env['MASTER_KEY'] !== undefined) return env['MASTER_KEY'];
  const path = join(dataDir, 'master.key');
  const made = randomBytes(32).toString('hex');
  await writeFile(path, made, { mode: 0o600, flag: 'wx' }).catch(() => undefined);
  return readFile(path, 'utf8');
}

/** In place of the master key, for the services that do without it. */
function sealKeysOf(name: string, masterKey: string): Record<string, string> {
  const purposes = SEAL_PURPOSES[name];
  if (purposes === undefined) return {};
  return { MASTER_KEY: '', SEAL_KEYS: deriveSealKeys(masterKeyFrom(masterKey), purposes) };
}

async function tooLate(names: readonly string[], signal: AbortSignal): Promise<never> {
  await delay(START_MS, undefined, { signal });
  throw new Error(`${names.join(', ')} were not ready within ${START_MS / 1_000} s.`);
}
