import { createHash } from 'node:crypto';
import type { BuildEvent, Channel } from '@sluice/contracts';
import fc from 'fast-check';
import {
  buildFacts,
  openDeviceStores,
  startDevicePlane,
  type DevicePlane,
  type DeviceStores,
} from '../../../test/support/device-plane';
import { call, type UpdateAnswer } from '../../../test/support/http';

jest.setTimeout(120_000);

/** The meaning of a version, apart from its spelling: three numbers, and a prerelease of one number or none. */
interface Meant {
  readonly parts: readonly [number, number, number];
  readonly beta: number | undefined;
}

interface Spelled extends Meant {
  readonly text: string;
}

interface Release {
  readonly channel: Channel;
  readonly version: readonly [number, number, number];
  readonly minNative: Spelled | undefined;
  readonly rolloutPercentage: number;
  readonly halted: boolean;
  readonly mandatory: boolean;
  readonly status: 'active' | 'paused' | 'archived';
}

interface Asking {
  readonly id: string;
  readonly platform: 'ios' | 'android' | 'web' | 'all';
  readonly channel: Channel;
  readonly current: Spelled;
  readonly native: Spelled | 'nonsense' | undefined;
}

const parts = fc.tuple(fc.nat(2), fc.nat(2), fc.nat(2));

/** As devices write them: with a `v`, cut short, with prerelease and build parts. */
const spelled: fc.Arbitrary<Spelled> = fc
  .record({
    parts,
    beta: fc.option(fc.nat(2), { nil: undefined }),
    v: fc.boolean(),
    build: fc.boolean(),
    short: fc.boolean(),
  })
  .map(({ parts: [major, minor, patch], beta, v, build, short }) => {
    const prefix = v ? 'v' : '';
    if (short && patch === 0) {
      const text = minor === 0 ? `${prefix}${major}` : `${prefix}${major}.${minor}`;
      return { text, parts: [major, minor, patch], beta: undefined };
    }
    const text = `${prefix}${major}.${minor}.${patch}${beta === undefined ? '' : `-beta.${beta}`}${build ? '+exp.1' : ''}`;
    return { text, parts: [major, minor, patch], beta };
  });

const channels = fc.constantFrom<Channel>('production', 'staging');
const releases: fc.Arbitrary<Release[]> = fc.uniqueArray(
  fc.record({
    channel: channels,
    version: parts,
    minNative: fc.option(spelled, { nil: undefined }),
    rolloutPercentage: fc.oneof(fc.constantFrom(0, 100), fc.nat(100)),
    halted: fc.boolean(),
    mandatory: fc.boolean(),
    status: fc.constantFrom('active', 'active', 'active', 'paused', 'archived'),
  }),
  { selector: ({ channel, version }) => `${channel} ${version.join('.')}`, maxLength: 12 },
);
const asking: fc.Arbitrary<Asking> = fc.record({
  id: fc.oneof(
    fc.uuid(),
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((id) => id.trim() === id),
  ),
  platform: fc.constantFrom('ios', 'android', 'web', 'all'),
  channel: channels,
  current: spelled,
  native: fc.oneof(spelled, fc.constantFrom('nonsense', undefined)),
});

/** Negative, zero or positive. */
function order(left: Meant, right: Meant): number {
  for (const at of [0, 1, 2] as const) {
    const difference = left.parts[at] - right.parts[at];
    if (difference !== 0) return difference;
  }
  return (left.beta ?? Infinity) === (right.beta ?? Infinity) ? 0 : (left.beta ?? Infinity) - (right.beta ?? Infinity);
}

/** 100 × (first 53 bits of SHA-256 over id:build) / 2^53, in whole numbers. */
function holds(id: string, buildId: number, percentage: number): boolean {
  const digest = createHash('sha256').update(`${id}:${buildId}`, 'utf8').digest('hex');
  return (BigInt(`0x${digest.slice(0, 14)}`) >> 3n) * 100n < BigInt(percentage) << 53n;
}

/** The rule of the device plane's specification ("Which build"), word by word. */
function expected(all: readonly (Release & { buildId: number })[], app: string, device: Asking) {
  const native = device.native;
  const own = all.filter(
    (release) =>
      release.channel === device.channel &&
      release.status === 'active' &&
      order({ parts: release.version, beta: undefined }, device.current) > 0 &&
      (device.platform === 'web' || device.platform === 'all' || app === 'both' || app === device.platform) &&
      (native === undefined ||
        native === 'nonsense' ||
        release.minNative === undefined ||
        order(native, release.minNative) >= 0) &&
      !release.halted &&
      holds(device.id, release.buildId, release.rolloutPercentage),
  );
  own.sort((a, b) => order({ parts: b.version, beta: undefined }, { parts: a.version, beta: undefined }));
  const [offered] = own;
  if (offered === undefined) return { available: false };
  return { available: true, version: offered.version.join('.'), mandatory: own.some(({ mandatory }) => mandatory) };
}

describe('which build a device is offered', () => {
  let stores: DeviceStores;
  let plane: DevicePlane;
  let apps = 0;
  let builds = 0;

  beforeAll(async () => {
    stores = await openDeviceStores();
    plane = await startDevicePlane(stores, { limitDevicePerMinute: 1_000_000, limitAddressPerMinute: 1_000_000 });
    await plane.index.open();
  });

  afterAll(async () => {
    await plane.close();
    await stores.close();
  });

  it('is what the specification says, for any channel and any device', async () => {
    const seen = { available: 0, mandatory: 0, nothing: 0 };
    const platforms = fc.constantFrom('ios', 'android', 'both');
    await fc.assert(
      fc.asyncProperty(
        releases,
        platforms,
        fc.array(asking, { minLength: 1, maxLength: 8 }),
        async (all, app, devices) => {
          const appId = ++apps;
          await stores.registerApp(appId, app);
          const key = await stores.createKey(appId, appId);
          const numbered = all.map((release) => ({ ...release, buildId: ++builds }));
          for (const release of numbered) await publish(appId, release);
          const { position } = await stores.append(`apiKeys-${appId}`, {
            type: 'ApiKeyDeprecated',
            data: { id: appId },
          });
          await stores.members.applied(`apiKeys-${appId}`, position);

          for (const device of devices) {
            const headers = {
              'X-API-Key': key,
              'X-Device-ID': Buffer.from(device.id, 'utf8').toString('latin1'),
              'X-Platform': device.platform,
              'X-Current-Version': device.current.text,
              ...(device.native !== undefined && {
                'X-App-Version': device.native === 'nonsense' ? 'nonsense' : device.native.text,
              }),
            };
            const url = `${plane.address}/api/v1/updates/check?channel=${device.channel}`;
            const { status, body } = await call<UpdateAnswer>(url, { headers });
            expect(status).toBe(200);
            const wanted = expected(numbered, app, device);
            expect(body).toMatchObject(wanted);
            seen[wanted.available ? (wanted.mandatory === true ? 'mandatory' : 'available') : 'nothing'] += 1;
          }
        },
      ),
      { numRuns: 100 },
    );
    // A generator that never offers anything would prove nothing.
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });

  async function publish(appId: number, release: Release & { buildId: number }): Promise<void> {
    const { buildId, channel, version, minNative, rolloutPercentage, mandatory } = release;
    const facts = buildFacts(buildId, version.join('.'), {
      ...{ appId, channel, rolloutPercentage, mandatory },
      minNativeVersion: minNative?.text ?? null,
    });
    await stores.publish(facts);
    const more: BuildEvent[] = [];
    if (release.halted) more.push({ type: 'RolloutChanged', data: { buildId, rolloutPercentage, enabled: false } });
    if (release.status === 'paused') more.push({ type: 'BuildPaused', data: { buildId } });
    if (release.status === 'archived') more.push({ type: 'BuildArchived', data: { buildId } });
    if (more.length > 0) await stores.append(`channel-${appId}-${channel}`, ...more);
  }
});
