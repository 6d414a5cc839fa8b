import { eventually } from '@sluice/testing';
import { seededRandom, type Random } from '../faults/random';
import { say } from '../faults/run';
import { standalone, type Deployment } from '../support/deployment';
import { call, management, sha256 } from '../support/http';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';
import { compare, Fleet, type FleetChannel, type FleetDevice, type Rules } from './fleet';

/** `npm run test:long` sets both. */
const DEVICES = Number(process.env['FLEET_DEVICES'] ?? 1_000);
const SEEDS = (process.env['FLEET_SEEDS'] ?? '20261126').split(',').map(Number);
const APP = 'com.example.fleet';
/** Of the devices, in a round; the others check in a later one. */
const MOST = 0.8;

interface Build {
  readonly id: number;
  readonly channel: FleetChannel;
  readonly version: string;
  readonly checksum: string;
  readonly status: string;
  readonly min_native_version: string | null;
  readonly recalled_at: string | null;
  readonly recall_target: number | string | null;
  readonly recall_of: number | null;
  readonly republished_from_id: number | null;
}
interface Refusal {
  readonly error: { readonly code: string };
}
interface RecallStatus {
  readonly target: number | string | null;
  readonly replacement: { readonly id: number; readonly version: string } | null;
  readonly devices: { readonly on_recalled: number; readonly on_replacement: number };
}

/** Where devices of a recalled build go, and the native version that this needs. */
interface Way {
  readonly target: number | string | null;
  readonly least: string | null;
}

/** An app, its operator, and its fleet. */
class Simulation {
  private readonly builds = new Map<number, Build>();
  private readonly deleted = new Set<number>();
  private readonly recalled = new Set<number>();
  /** Not deleted by the way. */
  readonly kept = new Set<number>();
  private minor = 0;
  private readonly rules: Readonly<Record<FleetChannel, { current: Rules }>>;
  readonly done = { rounds: 0, recalls: 0, stayed: 0, refusals: 0 };

  private constructor(
    private readonly deployment: Deployment,
    private readonly token: string,
    readonly fleet: Fleet,
    private readonly random: Random,
    rules: Simulation['rules'],
  ) {
    this.rules = rules;
  }

  static async open(deployment: Deployment, random: Random): Promise<Simulation> {
    const made = await sluice(
      ['token', 'create', '--name', 'ci', '--all-apps', '--permission', 'builds.delete', '--json'],
      { SLUICE_SERVER: deployment.gateways[0]!, DATA_DIR: deployment.dataDir },
    );
    const { token } = JSON.parse(made.stdout) as { token: string };
    const api = management(deployment.gateways[0]!, token);
    await api.post('/apps', { name: 'Fleet', bundle_id: APP });
    const key = await api.post<{ data: { plaintext_key: string } }>(`/apps/${APP}/api-keys`, { name: 'app' });
    const none = () => ({ current: { withdrawn: new Set<string | number>(), recalled: new Set<string>() } });
    const rules = { production: none(), staging: none() };
    const apiKey = key.body.data.plaintext_key;
    const fleet = new Fleet({ devices: DEVICES, random: random.fork(), apiKey, rules });
    await fleet.connect(deployment.devices[0]!);
    await fleet.reportAll();
    return new Simulation(deployment, token, fleet, random, rules);
  }

  /** A new version above all others of both channels, live when it resolves. */
  async upload(channel: FleetChannel, fields: Readonly<Record<string, string>> = {}): Promise<Build> {
    const version = `1.${(this.minor += 1)}.0`;
    const bundle = await zipOf({ 'index.html': `<h1>${version} in ${channel}</h1>` });
    const { status, body } = await this.api.upload(this.path(), bundle, { version, channel, ...fields });
    expect(status).toBe(202);
    const { job_id: job, build } = body.data;
    await eventually(async () => (await this.api.get(`/jobs/${job}`)).body.data['status'] === 'completed');
    const uploaded = await this.read(build.id);
    expect(uploaded.checksum).toBe(sha256(bundle));
    return uploaded;
  }

  async promote({ id }: Build, channel: FleetChannel): Promise<Build> {
    const { status, body } = await this.api.post<{ data: Build }>(this.path(id, 'promote'), {
      target_channel: channel,
    });
    expect(status).toBe(201);
    return this.note(body.data);
  }

  async patch(id: number, change: object, what = ''): Promise<void> {
    const { status, body } = await this.api.patch<{ data: Build }>(this.path(id, what), change);
    expect(status).toBe(200);
    this.note(body.data);
  }

  async delete({ id }: Build): Promise<void> {
    const path = `${this.deployment.gateways[0]!}/api/public/v1${this.path(id)}`;
    const { status } = await call(path, { method: 'DELETE', headers: { Authorization: `Bearer ${this.token}` } });
    expect(status).toBe(200);
    this.deleted.add(id);
  }

  /** To its default target where it has one. */
  async recall({ id }: Build, body: object = {}): Promise<Build> {
    const wish = { reason: 'White screen.', ...body };
    interface Answer extends Refusal {
      readonly data: { build: Build; republished: Build | null; also_recalled: { id: number }[] };
    }
    let answer = await this.api.post<Answer>(this.path(id, 'recall'), wish);
    if (answer.status === 409) {
      expect(answer.body.error.code).toBe('RECALL_TARGET_MISSING');
      answer = await this.api.post<Answer>(this.path(id, 'recall'), { ...wish, to: 'embedded' });
    }
    expect(answer.status).toBe(200);
    const { build, republished, also_recalled: copies } = answer.body.data;
    if (republished !== null) this.note(republished);
    this.withdraw(this.note(build));
    for (const copy of copies) {
      this.withdraw(await this.read(copy.id));
      const { replacement } = await this.status(copy.id);
      if (replacement !== null) await this.read(replacement.id);
    }
    await this.expectNoDownloads();
    return build;
  }

  /** The build stays paused. */
  async unrecall({ id, channel, checksum }: Build): Promise<void> {
    const rules = this.rules[channel];
    const { withdrawn, recalled } = rules.current;
    // Republished builds with its bundle may return; the build itself may not before it is resumed.
    rules.current = { withdrawn: without(withdrawn, checksum), recalled: without(recalled, checksum) };
    this.recalled.delete(id);
    expect((await this.api.post(this.path(id, 'unrecall'))).status).toBe(200);
  }

  async resume({ id, channel }: Build): Promise<void> {
    const rules = this.rules[channel];
    rules.current = { ...rules.current, withdrawn: without(rules.current.withdrawn, id) };
    await this.patch(id, { status: 'active' });
  }

  async expectRecalledBundle({ id }: Build, channel: FleetChannel): Promise<void> {
    const refused = await this.api.post<Refusal>(this.path(id, 'promote'), { target_channel: channel });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'BUILD_RECALLED']);
    this.done.refusals += 1;
  }

  /** Something that has nothing to do with a recall. */
  async change(): Promise<void> {
    const { random } = this;
    const channel = random.pick(['production', 'production', 'staging'] as const);
    const held = [...this.builds.values()].filter((build) => {
      return build.channel === channel && !this.deleted.has(build.id) && !this.recalled.has(build.id);
    });
    const own = held.filter(({ republished_from_id: from }) => from === null);
    const build = random.pick(own.slice(-4));
    const kind = random.pick(['upload', 'upload', 'rollout', 'rollout', 'status', 'promote', 'delete'] as const);
    if (kind === 'rollout') {
      const rollout = { rollout_percentage: random.pick([0, 10, 50, 100]), enabled: random.chance(0.8) };
      return this.patch(build.id, rollout, 'rollout');
    }
    if (kind === 'status') return this.patch(build.id, { status: random.pick(['active', 'paused']) });
    if (kind === 'delete' && own.length > 3 && !this.kept.has(build.id)) return this.delete(build);
    const other = channel === 'production' ? 'staging' : 'production';
    if (kind === 'promote' && !this.holds(other, build.version)) {
      if (this.rules[other].current.withdrawn.has(build.checksum)) return this.expectRecalledBundle(build, other);
      await this.promote(build, other);
      return;
    }
    await this.upload(channel, {
      rollout_percentage: random.pick(['10', '50', '100']),
      mandatory: String(random.chance(0.2)),
      ...(random.chance(0.2) && { min_native_version: '5.0.0' }),
    });
  }

  /** Most devices check, while the operator does something. */
  async round(meanwhile?: () => Promise<unknown>): Promise<void> {
    await this.check(MOST, meanwhile);
  }

  /** All devices check: afterwards none runs a recalled build that has a way out. */
  async settle(): Promise<void> {
    await this.check(1);
    const staying = (device: FleetDevice) =>
      device.checksum !== undefined && this.rules[device.channel].current.recalled.has(device.checksum);
    this.expectNoWayOut(this.fleet.devices.filter(staying), [await this.ways()]);
    await this.expectNoDownloads();
    await this.expectProgress();
  }

  async restart(): Promise<void> {
    expect(await this.deployment.stop()).toEqual([0]);
    await this.deployment.start();
    await this.fleet.connect(this.deployment.devices[0]!);
    await this.expectNoDownloads();
  }

  /** Every read model, while devices check. */
  async rebuild(): Promise<void> {
    const { code, stderr } = await sluice(['projections', 'rebuild', '--json'], {
      SLUICE_SERVER: this.deployment.gateways[0]!,
      OWNER_KEY: await this.deployment.ownerKey(),
    });
    expect([code, stderr]).toEqual([0, expect.any(String)]);
    await this.expectNoDownloads();
  }

  /** Offered versions are those of builds, and republished ones are mandatory. */
  expectKnownOffers(): void {
    for (const [name, { checksum, mandatory }] of this.fleet.offered) {
      const [channel, version] = name.split(' ');
      const build = [...this.builds.values()].find((each) => each.channel === channel && each.version === version);
      expect({ name, checksum: build?.checksum }).toEqual({ name, checksum });
      if (typeof build?.republished_from_id === 'number')
        expect({ name, mandatory }).toEqual({ name, mandatory: true });
    }
  }

  /** @throws Error when the recall has none */
  async targetOf({ id }: Build): Promise<Build> {
    const { target } = await this.status(id);
    if (typeof target !== 'number') throw new Error(`Build ${id} is recalled to ${target}.`);
    return this.read(target);
  }

  private async check(share: number, meanwhile?: () => Promise<unknown>): Promise<void> {
    this.done.rounds += 1;
    const before = await this.ways();
    const staying = await this.fleet.round(share, meanwhile);
    this.expectNoWayOut(staying, [before, await this.ways()]);
  }

  /** The devices stay on recalled builds: a recall has no target, or its target needs a newer native app. */
  private expectNoWayOut(devices: readonly FleetDevice[], ways: readonly ReadonlyMap<string, Way>[]): void {
    for (const { channel, native = '', version, checksum } of devices) {
      const possible = ways.flatMap((of) => of.get(`${channel} ${checksum}`) ?? []);
      const isTooOld = ({ least }: Way) => native !== '' && least !== null && compare(native, least) < 0;
      const stays = possible.some((way) => way.target === 'none' || isTooOld(way));
      expect({ channel, native, version, possible, stays }).toMatchObject({ stays: true });
      this.done.stayed += 1;
    }
  }

  /** By channel and checksum of the recalled builds. */
  private async ways(): Promise<ReadonlyMap<string, Way>> {
    const found = new Map<string, Way>();
    for (const id of this.recalled) {
      const { channel, checksum } = this.builds.get(id)!;
      const { target, replacement } = await this.status(id);
      const { min_native_version: least = null } = this.builds.get(replacement?.id ?? 0) ?? {};
      found.set(`${channel} ${checksum}`, { target, least });
    }
    return found;
  }

  private async expectNoDownloads(): Promise<void> {
    for (const build of this.builds.values()) {
      const { id, channel, checksum } = build;
      if (!this.fleet.downloads.has(id) || !this.rules[channel].current.recalled.has(checksum)) continue;
      const found = { build: `${id}, ${channel} ${build.version}`, status: await this.fleet.download(id) };
      expect(found).toEqual({ ...found, status: this.deleted.has(id) ? 404 : 403 });
      this.fleet.tally.refusedDownloads += 1;
    }
  }

  /** Devices report each version that they run, so the server counts what the fleet counts. */
  private async expectProgress(): Promise<void> {
    for (const id of this.recalled) {
      const { version } = this.builds.get(id)!;
      const { replacement, devices } = await this.status(id);
      const on = (wanted: string | undefined) => this.fleet.count((device) => device.version === wanted);
      expect({ id, version, ...devices }).toEqual({
        ...{ id, version, on_recalled: on(version), on_replacement: on(replacement?.version) },
      });
    }
  }

  private withdraw({ id, channel, checksum }: Build): void {
    const rules = this.rules[channel];
    const { withdrawn, recalled } = rules.current;
    rules.current = {
      withdrawn: new Set([...withdrawn, checksum, id]),
      recalled: new Set([...recalled, checksum]),
    };
    this.recalled.add(id);
    this.done.recalls += 1;
  }

  private async read(id: number): Promise<Build> {
    return this.note((await this.api.get<{ data: Build }>(this.path(id))).body.data);
  }

  private note(build: Build): Build {
    this.builds.set(build.id, build);
    return build;
  }

  private holds(channel: FleetChannel, version: string): boolean {
    return [...this.builds.values()].some((build) => build.channel === channel && build.version === version);
  }

  private async status(id: number): Promise<RecallStatus> {
    return (await this.api.get<{ data: RecallStatus }>(this.path(id, 'recall'))).body.data;
  }

  private get api() {
    return management(this.deployment.gateways[0]!, this.token);
  }

  private path(id?: number, what = ''): string {
    return `/apps/${APP}/builds${id === undefined ? '' : `/${id}`}${what && `/${what}`}`;
  }
}

function without<Item>(set: ReadonlySet<Item>, item: Item): ReadonlySet<Item> {
  return new Set([...set].filter((each) => each !== item));
}

describe.each(SEEDS)('a fleet whose builds are recalled (seed %i)', (seed) => {
  let deployment: Deployment;
  let simulation: Simulation | undefined;

  beforeAll(async () => {
    // Bundles that no build needs are deleted during the test.
    deployment = await standalone.deploy({ OBJECT_GRACE_SECONDS: '1', LIMIT_DOWNLOADS_PER_ADDRESS: '100000' });
  }, 180_000);

  afterAll(async () => {
    await simulation?.fleet.close();
    await deployment.destroy();
  }, 60_000);

  it(
    `is never offered a recalled build, and leaves it within one round (${DEVICES} devices)`,
    async () => {
      const begin = performance.now();
      const random = seededRandom(seed);
      const fleet = (simulation = await Simulation.open(deployment, random));
      const changes = async (most: number) => {
        for (let left = 1 + random.below(most); left > 0; left -= 1) await fleet.round(() => fleet.change());
      };
      for (const channel of ['production', 'staging', 'production', 'staging'] as const) {
        await fleet.upload(channel);
        await fleet.round();
      }
      await changes(2);

      // Some devices that run the bad build can't run the one below it.
      await fleet.upload('production', { min_native_version: '5.0.0' });
      const bad = await fleet.upload('production');
      await fleet.round();
      await fleet.round(() => fleet.recall(bad));
      await fleet.settle();
      const target = await fleet.targetOf(bad);
      fleet.kept.add(target.id);
      await changes(3);

      await fleet.round(() => fleet.recall(target));
      await fleet.settle();
      await fleet.round(() => fleet.delete(bad));
      await fleet.restart();
      await fleet.settle();
      await changes(2);
      await fleet.round(() => fleet.rebuild());
      await fleet.settle();

      await fleet.round(() => fleet.unrecall(target));
      await fleet.settle();
      await fleet.round(() => fleet.resume(target));
      await changes(2);

      const copy = await fleet.upload('staging');
      const promoted = await fleet.promote(copy, 'production');
      await fleet.round();
      await fleet.round(() => fleet.recall(promoted));
      await fleet.settle();
      await fleet.expectRecalledBundle(copy, 'production');
      await fleet.round(() => fleet.recall(promoted, { everywhere: true }));
      await fleet.settle();

      const worse = await fleet.upload('production');
      await fleet.round();
      await fleet.round(() => fleet.recall(worse, { to: 'embedded' }));
      await fleet.settle();
      await changes(2);
      await fleet.restart();
      await fleet.settle();

      const fix = await fleet.upload('production');
      await fleet.settle();
      const { devices, tally } = fleet.fleet;
      const onFix = devices.filter(({ channel, version }) => channel === 'production' && version === fix.version);
      expect(onFix).toHaveLength(devices.filter(({ channel }) => channel === 'production').length);
      fleet.expectKnownOffers();
      const seconds = Math.round((performance.now() - begin) / 1_000);
      say(`${devices.length} devices, seed ${seed}, ${seconds} s: ${JSON.stringify({ ...fleet.done, ...tally })}`);
    },
    120_000 + DEVICES * 100,
  );
});
