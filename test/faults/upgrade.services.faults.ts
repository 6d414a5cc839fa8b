import { setTimeout as pause } from 'node:timers/promises';
import { SERVICES, type Replica } from '@sluice/contracts';
import { KNOWN_FORMAT } from '@sluice/service-host';
import { eventually, temporaryDirectory } from '@sluice/testing';
import type * as Conformity from '../support/conformity';
import { buildFormerRelease, hasCommit } from '../support/former-release';
import { checkUpdate, management, type UpdateAnswer } from '../support/http';
import { natsServerBinary, startGuardedNats, type NatsServer } from '@sluice/testing/nats-server';
import { launchProcess, sluice, type ServerProcess } from '../support/process';
import { zipOf } from '../support/zip';

/** Members that the previous release does not return, and that the description of this release requires. */
const ADDED_TO_APPS = { default_rollout: {}, attributes: {}, default_channels: {}, channel_aliases: {}, revision: 1 };
const ADDED_TO_BUILDS = {
  metadata: {},
  ring: 'per_build',
  audience: null,
  ...{ recalled_at: null, recall_reason: null, recall_target: null, recall_of: null, republished_from_id: null },
  ...{ native_range: null, fingerprint: null, platform: 'all', delivery: null },
};

const ADDED_TO_KEYS = { revision: 1 };

/** A response as this release would write it. */
const completed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(completed);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, completed(member)]));
  if ('checksum_algorithm' in members) return { ...ADDED_TO_BUILDS, ...members };
  if ('key_preview' in members) return { ...ADDED_TO_KEYS, ...members };
  return 'unique_signatures' in members ? { ...ADDED_TO_APPS, ...members } : members;
};

jest.mock('../support/conformity', () => {
  const { expectDescribed } = jest.requireActual<typeof Conformity>('../support/conformity');
  return {
    expectDescribed: (method: string, url: string, status: number, body: unknown) =>
      expectDescribed(method, url, status, completed(body)),
  };
});

/** The last commit before installation formats existed. */
const FORMER = '72e298f';
/** The last commit before recalls: it supports format 1. */
const BEFORE_RECALLS = 'b0bec7e0';
const APP = '/apps/com.example.shop';

const missing = (commit: string) =>
  hasCommit(commit) ? '' : ` (this clone lacks the commit ${commit}: fetch the whole history)`;
const onServices = (commit: string) => (hasCommit(commit) && natsServerBinary() !== undefined ? it : it.skip);

interface Recalled {
  readonly data: { readonly republished: { readonly version: string } };
  readonly error?: { readonly code: string; readonly message: string; readonly details?: object };
}

/** One replica of each service, or one process of all. */
class Release {
  private constructor(private readonly processes: ReadonlyMap<string, ServerProcess>) {}

  static async start(
    names: readonly string[],
    envOf: (name: string) => Readonly<Record<string, string>>,
    root?: string,
  ): Promise<Release> {
    const launched = names.map((name) => [name, launchProcess(name, envOf(name), root)] as const);
    try {
      const ready = await Promise.all(launched.map(async ([name, { ready }]) => [name, await ready] as const));
      return new Release(new Map(ready));
    } catch (error) {
      await Promise.all(launched.map(([, process]) => process.stop('SIGKILL')));
      throw error;
    }
  }

  addressOf(name: string): string {
    return (this.processes.get(name) ?? this.processes.get('standalone'))!.address;
  }

  async stop(...names: readonly string[]): Promise<void> {
    const stopped = names.length === 0 ? [...this.processes.values()] : names.map((name) => this.processes.get(name)!);
    await Promise.all(stopped.map((process) => process.stop()));
  }
}

/** What a client of one release does, on the store that it shares with the other. */
class Client {
  private constructor(
    private readonly release: Release,
    private readonly dataDir: string,
    private readonly token: string,
    private readonly key: string,
  ) {}

  /** Registers the app. */
  static async create(release: Release, dataDir: string): Promise<Client> {
    const env = { SLUICE_SERVER: release.addressOf('gateway'), DATA_DIR: dataDir };
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], env);
    const { token } = JSON.parse(made.stdout) as { token: string };
    const api = management(release.addressOf('gateway'), token);
    await api.post('/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    const { body } = await api.post<{ data: { plaintext_key: string } }>(`${APP}/api-keys`, { name: 'app' });
    return new Client(release, dataDir, token, body.data.plaintext_key);
  }

  on(release: Release): Client {
    return new Client(release, this.dataDir, this.token, this.key);
  }

  /** Returns the id of the build, once it is active. */
  async ship(version: string): Promise<number> {
    const bundle = await zipOf({ 'index.html': `<h1>${version}</h1>` });
    const answer = await this.api.upload(`${APP}/builds`, bundle, { version, channel: 'production' });
    expect(answer.status).toBe(202);
    const { id } = answer.body.data.build;
    while ((await this.api.get(`${APP}/builds/${id}`)).body.data['status'] !== 'active') await pause(50);
    return id;
  }

  async setStatus(build: number, status: 'active' | 'paused'): Promise<void> {
    expect((await this.api.patch(`${APP}/builds/${build}`, { status })).status).toBe(200);
  }

  recall(build: number, body: object = {}) {
    return this.api.post<Recalled>(`${APP}/builds/${build}/recall`, { reason: 'White screen.', ...body });
  }

  async history(): Promise<unknown> {
    return (await this.api.get<{ data: unknown }>(`${APP}/history?per_page=100`)).body.data;
  }

  async builds(): Promise<unknown> {
    return completed((await this.api.get<{ data: unknown }>(`${APP}/builds`)).body.data);
  }

  /** The device plane learns of a change over the bus, so a device can get the former build for a moment. */
  async waitUntilOffered(version: string | undefined, device: string, current?: string): Promise<UpdateAnswer> {
    return eventually(async () => {
      const offer = await this.offer(device, current);
      return offer.version === version && offer;
    });
  }

  /** Without the URL, which names the replica, and its expiry, which moves in steps of 18 s. */
  async offer(device: string, current = '0.1.0'): Promise<UpdateAnswer> {
    const address = this.release.addressOf('device-updates');
    const { body } = await checkUpdate(address, this.key, device, current);
    return { ...body, ...{ downloadUrl: '', expiresAt: '' } };
  }

  command(...args: readonly string[]) {
    const env = { SLUICE_SERVER: this.release.addressOf('gateway'), DATA_DIR: this.dataDir };
    return sluice([...args, '--json'], env);
  }

  async finishUpgrade(): Promise<{ format?: number; code?: string; blockedBy?: readonly Replica[] }> {
    const { code, stdout, stderr } = await this.command('upgrade', 'finish');
    if (code === 0) return JSON.parse(stdout) as { format: number };
    const { error } = JSON.parse(stderr) as {
      error: { code: string; message: string; details: { replicas: Replica[] } };
    };
    for (const { service, name } of error.details.replicas) expect(error.message).toContain(`${service} (${name})`);
    return { code: error.code, blockedBy: error.details.replicas };
  }

  async warnings(): Promise<readonly string[]> {
    const { stdout } = await this.command('doctor', '--devices', this.release.addressOf('device-updates'));
    const checks = JSON.parse(stdout) as { check: string; status: string; message: string }[];
    return checks.flatMap(({ check, status, message }) => (check === 'upgrade' ? [`${status}: ${message}`] : []));
  }

  private get api() {
    return management(this.release.addressOf('gateway'), this.token);
  }
}

let dataDir: string;
let nats: NatsServer | undefined;
let running: Release[];

const start = async (...given: Parameters<typeof Release.start>): Promise<Release> => {
  const release = await Release.start(...given);
  running.push(release);
  return release;
};

beforeEach(() => {
  running = [];
  dataDir = temporaryDirectory();
});
afterEach(async () => {
  await Promise.all(running.map((release) => release.stop()));
  await nats?.stop();
  nats = undefined;
}, 60_000);

describe(`the release before installation formats and this one${missing(FORMER)}`, () => {
  /** Its folder. */
  let former: string;

  beforeAll(async () => {
    if (hasCommit(FORMER)) former = await buildFormerRelease(FORMER);
  }, 300_000);

  onServices(FORMER)(
    'serve the same builds from one store, and the upgrade is finished when the former one is gone (six services)',
    async () => {
      const bus = (nats = await startGuardedNats(SERVICES));
      const envOf = (name: string) => ({ DATA_DIR: dataDir, BUS_URL: bus.urlOf(name) });
      const before = await start(SERVICES, envOf, former);
      const old = await Client.create(before, dataDir);
      const first = await old.ship('1.0.0');

      const present = old.on(await start(SERVICES, envOf));
      /** Both releases decide alike. */
      const offered = async (version: string) => {
        const [formerly, now] = await Promise.all(
          [old, present].map((client) => client.waitUntilOffered(version, version)),
        );
        expect(now).toEqual(formerly);
        expect(await present.builds()).toEqual(await old.builds());
      };
      await offered('1.0.0');
      const second = await present.ship('1.1.0');
      await offered('1.1.0');
      await old.setStatus(second, 'paused');
      await offered('1.0.0');
      await present.setStatus(first, 'paused');
      await old.setStatus(second, 'active');
      await offered('1.1.0');

      const unfinished = `warning: The upgrade is not finished: the installation has format 0, this release supports ${KNOWN_FORMAT}.`;
      expect(await present.warnings()).toEqual([unfinished]);
      const blocked = await present.finishUpgrade();
      expect(blocked.code).toBe('UPGRADE_BLOCKED');
      expect(blocked.blockedBy!.map(({ service }) => service).sort()).toEqual([...SERVICES].sort());

      await before.stop('gateway', 'registry', 'build-pipeline', 'merchant-sync');
      expect(await present.finishUpgrade()).toMatchObject({
        code: 'UPGRADE_BLOCKED',
        blockedBy: [
          { service: 'device-updates', name: expect.stringMatching(/^[0-9A-Z]{26}$/), format: null },
          { service: 'keys', name: expect.stringMatching(/^started 20/), format: null },
        ],
      });
      await before.stop('device-updates');
      expect((await present.finishUpgrade()).blockedBy).toMatchObject([{ service: 'keys' }]);
      expect(await present.warnings()).toEqual([unfinished]);

      await before.stop('keys');
      const finishing = await Promise.all([present.finishUpgrade(), present.finishUpgrade()]);
      expect(finishing).toEqual([{ format: KNOWN_FORMAT }, { format: KNOWN_FORMAT }]);
      expect(await present.warnings()).toEqual([]);
      expect((await present.offer('last')).version).toBe('1.1.0');
      await present.ship('1.2.0');
      await present.waitUntilOffered('1.2.0', 'last');
    },
    300_000,
  );

  (hasCommit(FORMER) ? it : it.skip)(
    'run one after the other on one DATA_DIR, and a single process finishes the upgrade by itself',
    async () => {
      const env = () => ({ DATA_DIR: dataDir });
      const before = await start(['standalone'], env, former);
      const old = await Client.create(before, dataDir);
      await old.ship('1.0.0');
      const offer = await old.waitUntilOffered('1.0.0', 'a');
      const builds = await old.builds();
      await before.stop();

      const after = await start(['standalone'], env);
      const present = old.on(after);
      expect([await present.builds(), await present.offer('a')]).toEqual([builds, offer]);
      expect(await present.warnings()).toEqual([]);
      expect(await present.finishUpgrade()).toEqual({ format: KNOWN_FORMAT });
      await present.ship('1.1.0');
      await present.waitUntilOffered('1.1.0', 'a');
    },
    120_000,
  );
});

describe(`the release before recalls and this one${missing(BEFORE_RECALLS)}`, () => {
  let former: string;

  beforeAll(async () => {
    if (hasCommit(BEFORE_RECALLS)) former = await buildFormerRelease(BEFORE_RECALLS);
  }, 300_000);

  onServices(BEFORE_RECALLS)(
    'offer the same builds from one store, and no build is recalled before the upgrade is finished (six services)',
    async () => {
      const bus = (nats = await startGuardedNats(SERVICES));
      const envOf = (name: string) => ({ DATA_DIR: dataDir, BUS_URL: bus.urlOf(name) });
      const before = await start(SERVICES, envOf, former);
      const old = await Client.create(before, dataDir);
      const good = await old.ship('1.0.0');
      const bad = await old.ship('1.1.0');
      const present = old.on(await start(SERVICES, envOf));

      /** Of devices of each version, by either release. */
      const offered = async (...versions: readonly (string | undefined)[]) => {
        for (const client of [old, present]) {
          for (const [at, current] of ['0.1.0', '1.0.0', '1.1.0'].entries()) {
            await client.waitUntilOffered(versions[at], `runs-${current}`, current);
          }
        }
      };
      await offered('1.1.0', '1.1.0', undefined);
      const [builds, history] = [await present.builds(), await present.history()];
      for (const body of [{}, { to: good }, { to: 'embedded' }, { to: 'none' }, { everywhere: true }]) {
        expect(await present.recall(bad, body)).toMatchObject({
          status: 409,
          body: {
            error: {
              code: 'UPGRADE_NOT_FINISHED',
              message: expect.stringContaining('sluice upgrade finish') as string,
              details: { format: 1, required_format: 2 },
            },
          },
        });
      }
      expect([await present.builds(), await present.history()]).toEqual([builds, history]);
      await offered('1.1.0', '1.1.0', undefined);

      // What both releases know stops the build on both.
      await present.setStatus(bad, 'paused');
      await offered('1.0.0', undefined, undefined);

      const { code, blockedBy } = await present.finishUpgrade();
      expect(code).toBe('UPGRADE_BLOCKED');
      expect(blockedBy!.map(({ service, format }) => [service, format]).sort()).toEqual(
        [...SERVICES].sort().map((service) => [service, 1]),
      );
      await before.stop();
      expect(await present.finishUpgrade()).toEqual({ format: KNOWN_FORMAT });

      const { status, body } = await present.recall(bad);
      expect([status, body.data.republished.version]).toEqual([200, '1.1.1']);
      const answers = await Promise.all(['0.1.0', '1.0.0', '1.1.0'].map((current) => present.offer('last', current)));
      expect(answers.map(({ version, mandatory }) => [version, mandatory])).toEqual([
        ['1.0.0', false],
        [undefined, undefined],
        ['1.1.1', true],
      ]);
      // It would offer the recalled build, or send its devices nowhere.
      await expect(Release.start(['device-updates'], envOf, former)).rejects.toThrow('supports formats up to 1');
    },
    300_000,
  );
});
