import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsServerBinary, startNatsServer } from './nats-server';
import { startProcess, type ServerProcess } from './process';

/** An installation that a test drives from outside, whatever it is made of. */
export interface Deployment {
  readonly dataDir: string;
  /** The key that the first start wrote. */
  ownerKey(): Promise<string>;
  /** Addresses of every process that serves the management plane, and the device plane. */
  readonly gateways: readonly string[];
  readonly devices: readonly string[];
  readonly processes: readonly ServerProcess[];
  /** Stops every process, keeps the data; answers the exit codes. */
  stop(): Promise<(number | null)[]>;
  /** Starts again on the same data. */
  start(): Promise<void>;
  /** Stops whatever runs and deletes the data. */
  destroy(): Promise<void>;
}

export interface DeploymentKind {
  readonly name: string;
  readonly available: boolean;
  deploy(env?: Readonly<Record<string, string>>): Promise<Deployment>;
}

const SERVICES = ['registry', 'keys', 'build-pipeline', 'merchant-sync', 'device-updates', 'gateway'];
const REPLICAS = 2;

export const standalone: DeploymentKind = {
  name: 'standalone',
  available: true,
  deploy: (env = {}) =>
    deploy(
      async (dataDir) => [await startProcess('standalone', { ...env, DATA_DIR: dataDir })],
      () => Promise.resolve(),
    ),
};

export const sixServices: DeploymentKind = {
  name: `six services, ${REPLICAS} replicas of each, over NATS`,
  available: natsServerBinary() !== undefined,
  async deploy(env = {}) {
    const nats = await startNatsServer();
    const common = { ...env, BUS_URL: nats.url };
    return deploy(
      (dataDir) =>
        Promise.all(
          SERVICES.flatMap((name) =>
            Array.from({ length: REPLICAS }, () => startProcess(name, { ...common, DATA_DIR: dataDir })),
          ),
        ),
      () => nats.stop(),
    );
  },
};

async function deploy(
  startAll: (dataDir: string) => Promise<ServerProcess[]>,
  release: () => Promise<unknown>,
): Promise<Deployment> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-e2e-'));
  let processes = await startAll(dataDir);
  const addresses = (service: string) =>
    processes.filter(({ name }) => name === service || name === 'standalone').map(({ address }) => address);
  const stop = () => Promise.all(processes.map((process) => process.stop()));
  return {
    dataDir,
    ownerKey: async () => (await readFile(join(dataDir, 'owner.key'), 'utf8')).trim(),
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
      processes = await startAll(dataDir);
    },
    async destroy() {
      await stop();
      await release();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
