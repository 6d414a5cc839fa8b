import { Pool } from 'undici';
import type { Random } from '../faults/random';
import { sha256, type UpdateAnswer } from '../support/http';

export type FleetChannel = 'production' | 'staging';

/** What clients of one channel may be offered and may run, as far as the server has acknowledged it. */
export interface Rules {
  /** Checksums, and ids of builds. */
  readonly withdrawn: ReadonlySet<string | number>;
  /** Checksums of recalled builds. */
  readonly recalled: ReadonlySet<string>;
}

export interface FleetDevice {
  readonly id: string;
  readonly channel: FleetChannel;
  readonly platform: 'ios' | 'android' | 'web';
  readonly native: string | undefined;
  /** As a trusted proxy sends it. */
  readonly address: string;
  version: string;
  /** Of the bundle that it runs; undefined: the one in its native app. */
  checksum: string | undefined;
}

/** What was counted so far. */
export interface Tally {
  checks: number;
  offers: number;
  returns: number;
  installs: number;
  reports: number;
  downloads: number;
  refusedDownloads: number;
  failures: number;
}

export interface FleetOptions {
  readonly devices: number;
  readonly random: Random;
  readonly apiKey: string;
  /** By channel; another object after each change. By default no build is recalled. */
  readonly rules?: Readonly<Record<FleetChannel, { current: Rules }>>;
  /** Of all devices; by default a fifth is in staging. */
  readonly channel?: FleetChannel;
  /** One device of so many downloads what it installs; by default 16. */
  readonly downloading?: number;
  /** Of installations that fail or are rolled back. */
  readonly failureRate?: number;
}

const none = { current: { withdrawn: new Set<string>(), recalled: new Set<string>() } };
const NO_RULES = { production: none, staging: none };

/** The bundle in every native app. */
export const EMBEDDED = '1.0.0';
const CONNECTIONS = 32;
const DOWNLOADING = 16;

/** A response that no device should get. */
export class WrongResponse extends Error {}

/** Devices that check for updates once in a round, install what they are offered and report it. */
export class Fleet {
  readonly devices: readonly FleetDevice[];
  readonly tally: Tally = {
    ...{ checks: 0, offers: 0, returns: 0, installs: 0, reports: 0 },
    ...{ downloads: 0, refusedDownloads: 0, failures: 0 },
  };
  /** By build, the path of its bundle in the newest response that offered it. */
  readonly downloads = new Map<number, string>();
  /** By channel and version, the checksum in responses that offered it. */
  readonly offered = new Map<string, { readonly checksum: string; readonly mandatory: boolean }>();
  private pool: Pool | undefined;

  constructor(private readonly options: FleetOptions) {
    const { devices, random, channel } = options;
    this.devices = Array.from({ length: devices }, (_, n) => ({
      id: `fleet-${n}-${random.below(1e9)}`,
      channel: channel ?? (random.chance(0.8) ? 'production' : 'staging'),
      platform: random.pick(['ios', 'ios', 'android', 'web'] as const),
      native: random.chance(0.3) ? random.pick(['4.0.0', '5.0.0', '6.1.0']) : undefined,
      address: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
      version: EMBEDDED,
      checksum: undefined,
    }));
  }

  /** To the device plane of a server that was started, or started again. */
  async connect(address: string): Promise<void> {
    await this.close();
    this.pool = new Pool(address, { connections: CONNECTIONS, pipelining: 1 });
  }

  async close(): Promise<void> {
    await this.pool?.close();
    this.pool = undefined;
  }

  /** Each device reports what it runs. */
  reportAll(): Promise<void> {
    return this.each([...this.devices], (device) => this.reportActive(device));
  }

  /**
   * Every device, or a share of them, checks once, in random order; `meanwhile` begins at a random moment. Returns those
   * that stay on a recalled build.
   * @throws WrongResponse
   */
  async round(share: number, meanwhile: () => Promise<unknown> = () => Promise.resolve()): Promise<FleetDevice[]> {
    const { random } = this.options;
    const asking = shuffled(
      this.devices.filter(() => random.chance(share)),
      random,
    );
    return this.check(asking, meanwhile);
  }

  /** As a round of these devices, in this order. @throws WrongResponse */
  async check(
    asking: readonly FleetDevice[],
    meanwhile: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<FleetDevice[]> {
    let until = this.options.random.below(asking.length);
    let running: Promise<unknown> | undefined;
    const staying: FleetDevice[] = [];
    await this.each(asking, async (device) => {
      if (until-- === 0) (running = meanwhile()).catch(() => undefined);
      if (!(await this.checkOne(device))) staying.push(device);
    });
    await running;
    return staying;
  }

  /** The status of a download of the build from the path of an earlier response. */
  async download(buildId: number): Promise<number> {
    return (await this.get(this.downloads.get(buildId)!, {})).status;
  }

  count(matches: (device: FleetDevice) => boolean): number {
    return this.devices.filter(matches).length;
  }

  /** Returns false for a device that stays on a recalled build. */
  private async checkOne(device: FleetDevice): Promise<boolean> {
    const { channel, id, platform, native, version } = device;
    const rules = (this.options.rules ?? NO_RULES)[channel];
    const sent = rules.current;
    const { status, body } = await this.get(`/api/v1/updates/check?channel=${channel}`, {
      ...this.headers(device),
      'X-Current-Version': version,
    });
    this.tally.checks += 1;
    const wrong = (why: string) =>
      new WrongResponse(`${id} (${channel}, ${platform}, ${native}) runs ${version}: ${why}: ${status} ${body}`);
    if (status !== 200) throw wrong('no response');
    const answer = JSON.parse(body) as UpdateAnswer;
    const had = device.checksum;
    const holds = (set: 'withdrawn' | 'recalled', value: string | number | undefined) =>
      value !== undefined && [sent, rules.current].every((rule) => (rule[set] as ReadonlySet<unknown>).has(value));
    if (answer.available) {
      const buildId = Number(/\/bundles\/(\d+)\//.exec(answer.downloadUrl)?.[1]);
      if (holds('withdrawn', answer.checksum) || holds('withdrawn', buildId)) throw wrong('offered a recalled build');
      if (compare(answer.version!, version) <= 0) throw wrong('offered a version that is not higher');
      this.tally.offers += 1;
      await this.install(device, buildId, answer);
      return true;
    }
    if (answer.rollBackToEmbedded === true) {
      if (had === undefined) throw wrong('sent back to the bundle that it runs');
      this.tally.returns += 1;
      device.version = EMBEDDED;
      device.checksum = undefined;
      await this.reportActive(device);
      return true;
    }
    return !holds('recalled', had);
  }

  private async install(device: FleetDevice, buildId: number, answer: UpdateAnswer): Promise<void> {
    const { pathname, search } = new URL(answer.downloadUrl);
    this.downloads.set(buildId, pathname + search);
    const name = `${device.channel} ${answer.version}`;
    const { checksum, mandatory } = answer;
    const before = this.offered.get(name);
    if (before !== undefined && before.checksum !== checksum) throw new WrongResponse(`${name} has two checksums.`);
    this.offered.set(name, { checksum, mandatory: mandatory && before?.mandatory !== false });
    if (
      this.tally.offers % (this.options.downloading ?? DOWNLOADING) === 0 &&
      !(await this.fetchBundle(pathname + search, answer))
    )
      return;
    const report = (status: 'complete' | 'failed' | 'rollback') =>
      this.post('/api/v1/analytics/install', this.headers(device), { bundle_id: answer.bundleId, status });
    const { random, failureRate = 0 } = this.options;
    if (failureRate > 0 && random.chance(failureRate)) {
      this.tally.failures += 1;
      // Half of them start once, and roll back.
      const responses = random.chance(0.5)
        ? [await report('complete'), await report('rollback')]
        : [await report('failed')];
      if (responses.every((status) => status === 200)) return;
      throw new WrongResponse(`The reports of a failure had the responses ${responses.join()}.`);
    }
    device.version = answer.version!;
    device.checksum = checksum;
    this.tally.installs += 1;
    const status = await report('complete');
    // Deleted since the check.
    if (status === 404) await this.reportActive(device);
    else if (status !== 200) throw new WrongResponse(`The report of an install had the response ${status}.`);
  }

  /** Returns false for a build that was recalled or deleted since the check. */
  private async fetchBundle(path: string, { checksum, size }: UpdateAnswer): Promise<boolean> {
    const { status, bytes } = await this.get(path, {});
    this.tally.downloads += 1;
    if (status === 403 || status === 404) {
      this.tally.refusedDownloads += 1;
      return false;
    }
    if (status === 200 && bytes.length === size && sha256(bytes) === checksum) return true;
    throw new WrongResponse(
      `${path} had the response ${status} with ${bytes.length} bytes, not ${size} of ${checksum}.`,
    );
  }

  private async reportActive(device: FleetDevice): Promise<void> {
    const headers = { ...this.headers(device), 'X-Bundle-Version': device.version };
    const status = await this.post('/api/v1/analytics/mau', headers);
    if (status !== 200) throw new WrongResponse(`The report of an active device had the response ${status}.`);
  }

  private headers({ id, platform, native, address }: FleetDevice): Record<string, string> {
    return {
      ...{ 'X-API-Key': this.options.apiKey, 'X-Device-ID': id, 'X-Platform': platform, 'X-Forwarded-For': address },
      ...(native !== undefined && { 'X-App-Version': native }),
    };
  }

  private async get(path: string, headers: Record<string, string>) {
    const { statusCode, body } = await this.pool!.request({ method: 'GET', path, headers });
    const bytes = new Uint8Array(await body.arrayBuffer());
    return { status: statusCode, bytes, body: new TextDecoder().decode(bytes) };
  }

  private async post(path: string, headers: Record<string, string>, json?: object): Promise<number> {
    const { statusCode, body } = await this.pool!.request({
      ...{ method: 'POST', path },
      headers: { ...headers, ...(json && { 'Content-Type': 'application/json' }) },
      ...(json && { body: JSON.stringify(json) }),
    });
    await body.dump();
    this.tally.reports += 1;
    return statusCode;
  }

  /** As many at a time as there are connections. */
  private async each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const waiting = items.values();
    const hand = async (): Promise<void> => {
      for (const item of waiting) await work(item);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, hand));
  }
}

/** Of versions with three numbers. */
export function compare(one: string, other: string): number {
  const [a, b] = [one, other].map((version) => version.split('.').map(Number));
  for (const part of [0, 1, 2]) if (a![part] !== b![part]) return a![part]! - b![part]!;
  return 0;
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    [all[at], all[other]] = [all[other]!, all[at]!];
  }
  return all;
}
