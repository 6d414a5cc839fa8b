import { createHash } from 'node:crypto';
import { type Audience, parseRange, parseVersion } from '@sluice/kernel';
import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import {
  choicesFor,
  compileAudience,
  nativeUpdate,
  selectBuild,
  type ActiveBuilds,
  type AppPlatform,
  type Candidate,
  type DevicePlatform,
} from './select-build';

interface Release {
  buildId: number;
  version: string;
  minNativeVersion?: string;
  nativeRange?: string;
  fingerprint?: string;
  client?: 'capgo' | undefined;
  platform?: 'ios' | 'android';
  rolloutPercentage: number;
  rolloutEnabled: boolean;
  mandatory: boolean;
  rolledBack?: ReadonlySet<string>;
  pinned?: ReadonlySet<string>;
  seed?: string;
  audience?: Audience;
}

interface Asking {
  deviceId: string;
  platform: DevicePlatform;
  currentVersion: string;
  nativeVersion?: string;
  fingerprint?: string;
  client?: 'capgo';
  embeddedVersion?: string;
  hashes?: () => readonly string[];
  attributes?: Readonly<Record<string, string>>;
}

const release = (buildId: number, version: string, more: Partial<Release> = {}): Release => ({
  buildId,
  version,
  rolloutPercentage: 100,
  rolloutEnabled: true,
  mandatory: false,
  ...more,
});

function activeBuilds(releases: readonly Release[]): ActiveBuilds<Candidate> {
  const all = releases
    .map((one) => ({
      ...one,
      rolledBack: one.rolledBack,
      pinned: one.pinned,
      seed: one.seed ?? String(one.buildId),
      audience: compileAudience(one.audience),
      version: parseVersion(one.version)!,
      minNativeVersion: one.minNativeVersion === undefined ? undefined : parseVersion(one.minNativeVersion),
      nativeRange: one.nativeRange === undefined ? undefined : parseRange(one.nativeRange),
    }))
    .sort((left, right) => right.version.compare(left.version));
  return { all, mandatory: all.filter(({ mandatory }) => mandatory), replacementOf: () => undefined };
}

function deviceOf(asking: Partial<Asking>) {
  const device: Asking = { deviceId: 'device', platform: 'ios', currentVersion: '1.0.0', ...asking };
  return {
    hashes: () => [],
    attribute: (name: string) => asking.attributes?.[name],
    ...device,
    currentVersion: parseVersion(device.currentVersion)!,
    nativeVersion: device.nativeVersion === undefined ? undefined : parseVersion(device.nativeVersion),
    embeddedVersion: device.embeddedVersion === undefined ? undefined : parseVersion(device.embeddedVersion),
  };
}

function select(releases: readonly Release[], asking: Partial<Asking> = {}, app: AppPlatform = 'both') {
  const selected = selectBuild(activeBuilds(releases), app, deviceOf(asking));
  return selected && { buildId: selected.build.buildId, mandatory: selected.mandatory };
}

/** 100 × (first 53 bits of SHA-256) / 2^53, in whole-number arithmetic. */
function inRollout(deviceId: string, { buildId, rolloutPercentage }: Release): boolean {
  const digest = createHash('sha256')
    .update(Buffer.from(`${deviceId}:${buildId}`, 'utf8'))
    .digest('hex');
  const first53 = BigInt(`0x${digest.slice(0, 14)}`) >> 3n;
  return first53 * 100n < BigInt(rolloutPercentage) << 53n;
}

/** A device that build 7's rollout of half the devices holds, and one that it does not. */
const half = release(7, '3.0.0', { rolloutPercentage: 50 });
const inside = devices().find((deviceId) => inRollout(deviceId, half))!;
const outside = devices().find((deviceId) => !inRollout(deviceId, half))!;

function devices(): string[] {
  return Array.from({ length: 64 }, (_, index) => `device-${index}`);
}

describe('which build', () => {
  it('offers the newest of several newer ones', () => {
    expect(select([release(1, '1.1.0'), release(3, '1.10.0'), release(2, '1.9.0')])).toEqual({
      buildId: 3,
      mandatory: false,
    });
  });

  it('offers nothing older or equal', () => {
    expect(select([release(1, '1.0.0'), release(2, '0.9.0')])).toBeUndefined();
    expect(select([])).toBeUndefined();
  });

  it('counts a prerelease as older than its release', () => {
    expect(select([release(1, '1.0.0')], { currentVersion: '1.0.0-beta.1' })).toMatchObject({ buildId: 1 });
  });

  it('passes over a build whose native version the device does not have', () => {
    const releases = [release(1, '2.0.0'), release(2, '3.0.0', { minNativeVersion: '5' })];
    expect(select(releases, { nativeVersion: '4.9.9' })).toMatchObject({ buildId: 1 });
    expect(select(releases, { nativeVersion: '5.0' })).toMatchObject({ buildId: 2 });
    expect(select(releases)).toMatchObject({ buildId: 2 });
  });

  it.each([
    ['ios', 'ios', true],
    ['ios', 'both', true],
    ['ios', 'android', false],
    ['android', 'ios', false],
    ['web', 'ios', true],
    ['all', 'android', true],
  ] as const)('lets %s ask an app of %s: %s', (platform, app, offered) => {
    expect(select([release(1, '2.0.0')], { platform }, app) !== undefined).toBe(offered);
  });

  it('offers a device left out of a rollout the next older build', () => {
    const releases = [half, release(1, '2.0.0')];
    expect(select(releases, { deviceId: inside })).toMatchObject({ buildId: 7 });
    expect(select(releases, { deviceId: outside })).toMatchObject({ buildId: 1 });
  });

  it('offers a halted release to no device', () => {
    const halted = { ...half, rolloutEnabled: false };
    expect(select([halted, release(1, '2.0.0')], { deviceId: inside })).toMatchObject({ buildId: 1 });
    expect(select([halted], { deviceId: inside, currentVersion: '3.0.0' })).toBeUndefined();
  });
});

describe('mandatory', () => {
  it('carries forward from a skipped build', () => {
    expect(select([release(1, '2.0.0', { mandatory: true }), release(2, '3.0.0')])).toEqual({
      buildId: 2,
      mandatory: true,
    });
  });

  it('does not carry from a build that the device has already, that is halted or out of its reach', () => {
    const newest = release(2, '3.0.0');
    const mandatory = release(1, '2.0.0', { mandatory: true });
    expect(select([newest, mandatory], { currentVersion: '2.0.0' })).toEqual({ buildId: 2, mandatory: false });
    expect(select([newest, { ...mandatory, rolloutEnabled: false }])).toEqual({ buildId: 2, mandatory: false });
    expect(select([newest, { ...mandatory, rolloutPercentage: 0 }])).toEqual({ buildId: 2, mandatory: false });
    expect(select([newest, { ...mandatory, minNativeVersion: '9' }], { nativeVersion: '8' })).toEqual({
      buildId: 2,
      mandatory: false,
    });
  });

  it('does not carry back from a newer build', () => {
    const releases = [{ ...half, mandatory: true }, release(1, '2.0.0')];
    expect(select(releases, { deviceId: outside })).toEqual({ buildId: 1, mandatory: false });
  });
});

describe('the choices of devices of some versions', () => {
  const choices = (...releases: Release[]) =>
    choicesFor(activeBuilds(releases), deviceOf({})).offers.map(({ build, mandatory, mandatoryIf }) => [
      build.buildId,
      mandatory,
      mandatoryIf.map(({ buildId }) => buildId),
    ]);

  it('end at the first build that every device gets, and leave out one that none gets', () => {
    const none = release(4, '4.0.0', { rolloutPercentage: 0 });
    expect(choices(none, half, release(2, '2.0.0'), release(1, '1.5.0'))).toEqual([
      [7, false, []],
      [2, false, []],
    ]);
  });

  it('are mandatory for every device that skips a mandatory build of every device, else for those that it holds', () => {
    const partial = release(3, '2.5.0', { mandatory: true, rolloutPercentage: 30 });
    expect(choices(half, release(2, '2.0.0', { mandatory: true }))).toEqual([
      [7, true, []],
      [2, true, []],
    ]);
    expect(choices(half, partial, release(2, '2.0.0'))).toEqual([
      [7, false, [3]],
      [3, true, []],
      [2, false, []],
    ]);
  });
});

describe('a build with an audience', () => {
  const pro: Audience = { attributes: { plan: { equal: 'pro' } } };

  it('is offered to the devices that meet the rules of all attributes, and passed over by the others', () => {
    const audience = { attributes: { plan: { in: ['pro', 'team'] }, country: { equal: 'at' } } };
    const releases = [release(1, '1.1.0'), release(2, '1.2.0', { audience })];
    const offered = (attributes?: Readonly<Record<string, string>>) =>
      select(releases, attributes && { attributes })?.buildId;
    expect(offered({ plan: 'team', country: 'at' })).toBe(2);
    expect(offered({ plan: 'team', country: 'de' })).toBe(1);
    expect(offered({ plan: 'free', country: 'at' })).toBe(1);
    expect(offered({ plan: 'pro' })).toBe(1);
    expect(offered()).toBe(1);
  });

  it('is offered to the devices of its audience that its rollout includes', () => {
    const releases = [release(7, '3.0.0', { rolloutPercentage: 50, audience: pro })];
    const offered = (deviceId: string, plan: string) => select(releases, { deviceId, attributes: { plan } })?.buildId;
    expect(offered(inside, 'pro')).toBe(7);
    expect(offered(outside, 'pro')).toBeUndefined();
    expect(offered(inside, 'free')).toBeUndefined();
  });

  it('makes a newer build mandatory for its audience alone', () => {
    const releases = [release(1, '1.1.0', { mandatory: true, audience: pro }), release(2, '1.2.0')];
    expect(select(releases, { attributes: { plan: 'pro' } })).toEqual({ buildId: 2, mandatory: true });
    expect(select(releases, { attributes: { plan: 'free' } })).toEqual({ buildId: 2, mandatory: false });
  });

  it('has its attributes read only where it is reached', () => {
    const attribute = jest.fn(() => undefined);
    const older = activeBuilds([release(1, '1.1.0', { audience: pro }), release(2, '1.2.0')]);
    const device = { deviceId: 'd', platform: 'ios', nativeVersion: undefined, hashes: () => [], attribute } as const;
    selectBuild(older, 'both', { ...device, currentVersion: parseVersion('1.0.0')! });
    expect(attribute).not.toHaveBeenCalled();
  });
});

describe('a channel with an audience', () => {
  const channel = compileAudience(
    { attributes: { plan: { equal: 'pro' } } },
    { pinned: () => new Set(['in channel']) },
  );
  const [pro, free] = [{ attributes: { plan: 'pro' } }, { attributes: { plan: 'free' } }];
  const pinnedInChannel = { ...free, hashes: () => ['in channel'] };
  const offered = (releases: readonly Release[], asking: Partial<Asking>, audience = channel) => {
    const selected = selectBuild({ ...activeBuilds(releases), audience }, 'both', deviceOf(asking));
    return selected && { buildId: selected.build.buildId, mandatory: selected.mandatory };
  };

  it('offers its builds to this audience and to the devices that are pinned in it, and their percentages stay', () => {
    const releases = [release(1, '2.0.0'), release(2, '3.0.0', { rolloutPercentage: 0 })];
    expect(offered(releases, pro)?.buildId).toBe(1);
    expect(offered(releases, pinnedInChannel)?.buildId).toBe(1);
    expect(offered(releases, free)).toBeUndefined();
    expect(offered(releases, {})).toBeUndefined();
  });

  it('offers a build that has one, too, to the devices of both', () => {
    const audience = { attributes: { os: { equal: 'new' } } };
    const releases = [release(1, '2.0.0'), release(2, '3.0.0', { audience })];
    expect(offered(releases, { attributes: { plan: 'pro', os: 'new' } })?.buildId).toBe(2);
    expect(offered(releases, { attributes: { plan: 'pro' } })?.buildId).toBe(1);
    expect(offered(releases, { attributes: { os: 'new' } })).toBeUndefined();
  });

  it('offers a build to the devices that are pinned to it, also an older one, and makes it mandatory for no skipped one', () => {
    const pinned = new Set(['to build']);
    const releases = [
      ...[release(1, '2.0.0', { mandatory: true }), release(2, '3.0.0', { pinned }), release(3, '4.0.0')],
    ];
    const asking = { ...free, hashes: () => ['to build'] };
    expect(offered(releases, asking)).toEqual({ buildId: 2, mandatory: false });
    expect(offered(releases, pro)).toEqual({ buildId: 3, mandatory: true });
  });

  it('has only pinned devices where its rules say so', () => {
    const only = compileAudience({ pinned_only: true }, { pinned: () => new Set(['in channel']) });
    const releases = [release(1, '2.0.0')];
    expect(offered(releases, pinnedInChannel, only)?.buildId).toBe(1);
    expect(offered(releases, pro, only)).toBeUndefined();
    expect(offered(releases, pinnedInChannel, compileAudience({ pinned_only: true }))).toBeUndefined();
  });

  it('is not asked by a recall', () => {
    const [replacement] = activeBuilds([release(5, '9.0.0')]).all;
    const builds = { all: [], mandatory: [], audience: channel, replacementOf: () => [replacement!] };
    expect(selectBuild(builds, 'both', deviceOf(free))?.build.buildId).toBe(5);
  });

  it('asks no device outside of it to update its native app', () => {
    const builds = { ...activeBuilds([release(1, '2.0.0', { nativeRange: '>=5' })]), audience: channel };
    const minimum = (asking: Partial<Asking>) => {
      const device = deviceOf({ nativeVersion: '4.0', ...asking });
      return nativeUpdate(choicesFor(builds, device), undefined, device)?.minimum;
    };
    expect([minimum(pro), minimum(pinnedInChannel), minimum(free)]).toEqual(['5.0.0', '5.0.0', undefined]);
  });

  it('is asked once for all builds of a check, and needs no hash where its rules let the device in', () => {
    let reads = 0;
    const audience = compileAudience({ attributes: { plan: { equal: 'pro' } } });
    const releases = Array.from({ length: 20 }, (_, n) => release(n + 1, `2.${n}.0`, { rolloutPercentage: 1 }));
    const builds = { ...activeBuilds(releases), audience };
    const attribute = () => {
      reads += 1;
      return 'free';
    };
    expect(selectBuild(builds, 'both', { ...deviceOf({}), attribute })).toBeUndefined();
    expect(reads).toBe(1);
    const hashes = () => {
      throw new Error('The hash is computed.');
    };
    expect(offered([release(1, '2.0.0')], { ...pro, hashes })?.buildId).toBe(1);
  });
});

describe('a build that the device rolled back', () => {
  const rolledBack = new Set(['a', 'b']);
  const asHash = (hash: string) => ({ hashes: () => ['newer hash', hash] });

  it('is passed over for the next older one, under each hash of the device', () => {
    const releases = [release(1, '1.1.0'), release(2, '1.2.0', { rolledBack })];
    expect(select(releases, asHash('a'))).toEqual({ buildId: 1, mandatory: false });
    expect(select(releases, asHash('c'))).toEqual({ buildId: 2, mandatory: false });
    expect(select(releases.slice(1), asHash('b'))).toBeUndefined();
    expect(select(releases, { ...asHash('a'), currentVersion: '1.1.0' })).toBeUndefined();
  });

  it('makes a newer one mandatory for other devices alone', () => {
    const releases = [release(1, '1.1.0', { mandatory: true, rolledBack }), release(2, '1.2.0')];
    expect(select(releases, asHash('a'))).toEqual({ buildId: 2, mandatory: false });
    expect(select(releases, asHash('c'))).toEqual({ buildId: 2, mandatory: true });
  });

  it('is not offered by a recall either', () => {
    const replaced = activeBuilds([release(3, '1.1.1', { rolledBack }), release(2, '1.1.2', { rolledBack })]).all;
    const builds = { ...activeBuilds([]), replacementOf: () => replaced };
    const device = {
      ...({ deviceId: 'd', platform: 'ios', nativeVersion: undefined, attribute: () => undefined } as const),
      ...asHash('a'),
    };
    const currentVersion = parseVersion('1.1.0')!;
    expect(selectBuild(builds, 'both', { ...device, currentVersion })).toBeUndefined();
    expect(selectBuild(builds, 'both', { ...device, currentVersion, ...asHash('c') })).toMatchObject({
      ...{ build: { buildId: 2 }, mandatory: true },
    });
  });

  it('needs no hash of devices where no build was rolled back', () => {
    const hashes = () => {
      throw new Error('A hash is computed.');
    };
    expect(select([release(1, '1.1.0', { rolledBack }), release(2, '1.2.0')], { hashes })).toMatchObject({
      buildId: 2,
    });
  });
});

describe('a stable ring', () => {
  const devices = Array.from({ length: 1_000 }, (_, n) => `device-${n}`);
  const offered = (buildId: number, rolloutPercentage: number, seed?: string) =>
    devices.filter((deviceId) => {
      const more = { rolloutPercentage, ...(seed !== undefined && { seed }) };
      return select([release(buildId, '1.1.0', more)], { deviceId }) !== undefined;
    });

  it('selects the same devices first for each build, and others than the rings per build', () => {
    const first = offered(1, 10, 'app-7');
    expect(offered(2, 10, 'app-7')).toEqual(first);
    expect(offered(2, 20, 'app-7')).toEqual(expect.arrayContaining(first));
    expect(offered(1, 10)).not.toEqual(first);
    expect(offered(1, 10, 'app-8')).not.toEqual(first);
  });

  it('orders devices by SHA-256 of the device id, a colon and the seed', () => {
    const isFirst = (id: string) => {
      const digest = createHash('sha256').update(`${id}:app-7`, 'utf8').digest('hex');
      return (BigInt(`0x${digest.slice(0, 14)}`) >> 3n) * 100n < 10n << 53n;
    };
    expect(offered(1, 10, 'app-7')).toEqual(devices.filter(isFirst));
  });
});

describe('a build that devices are pinned to', () => {
  const pinned = new Set(['a', 'b']);
  const asHash = (hash: string) => ({ hashes: () => ['newer hash', hash] });

  it('is offered to these whatever its percentage, under each hash of the device', () => {
    const releases = [release(1, '1.1.0'), release(2, '1.2.0', { pinned, rolloutPercentage: 0 })];
    expect(select(releases, asHash('a'))).toEqual({ buildId: 2, mandatory: false });
    expect(select(releases, asHash('b'))).toEqual({ buildId: 2, mandatory: false });
    expect(select(releases, asHash('c'))).toEqual({ buildId: 1, mandatory: false });
  });

  it('is passed over for a newer one that the device is offered', () => {
    const releases = [release(1, '1.1.0', { pinned, rolloutPercentage: 0 }), release(2, '1.2.0')];
    expect(select(releases, asHash('a'))).toEqual({ buildId: 2, mandatory: false });
  });

  it.each([
    ['whose rollout is halted', { rolloutEnabled: false }],
    ['that needs a newer native version', { minNativeVersion: '9' }],
    ['that the device rolled back', { rolledBack: new Set(['a']) }],
    ['that is not newer', { version: '1.0.0' }],
  ])('is not offered one %s', (_, more) => {
    const releases = [release(1, '1.1.0', { pinned, rolloutPercentage: 0, ...more })];
    expect(select(releases, { ...asHash('a'), nativeVersion: '1' })).toBeUndefined();
  });

  it('makes a newer one mandatory for the pinned devices alone', () => {
    const releases = [release(1, '1.1.0', { mandatory: true, pinned, rolloutPercentage: 0 }), release(2, '1.2.0')];
    expect(select(releases, asHash('a'))).toEqual({ buildId: 2, mandatory: true });
    expect(select(releases, asHash('c'))).toEqual({ buildId: 2, mandatory: false });
  });

  it('needs no hash of devices that get it anyway', () => {
    const hashes = () => {
      throw new Error('A hash is computed.');
    };
    expect(select([release(1, '1.1.0', { pinned })], { hashes })).toMatchObject({ buildId: 1 });
  });
});

describe('a rollout', () => {
  const PERCENTAGES = [1, 10, 25, 50, 90];
  const DEVICES = 100_000;

  it('holds as large a part of 100,000 devices as it says, within one point, and keeps each when it is raised', () => {
    const counts = PERCENTAGES.map(() => 0);
    let lost = 0;
    const builds = PERCENTAGES.map((rolloutPercentage) => activeBuilds([release(42, '2.0.0', { rolloutPercentage })]));
    const currentVersion = parseVersion('1.0.0')!;
    for (let n = 0; n < DEVICES; n += 1) {
      const device = {
        ...({ deviceId: `install-${n}`, platform: 'ios', currentVersion, nativeVersion: undefined } as const),
        hashes: () => [],
        attribute: () => undefined,
      };
      let held = false;
      for (const [at, one] of builds.entries()) {
        const holds = selectBuild(one, 'both', device) !== undefined;
        if (held && !holds) lost += 1;
        held = holds;
        if (holds) counts[at]! += 1;
      }
    }
    expect(lost).toBe(0);
    for (const [at, percentage] of PERCENTAGES.entries()) {
      expect(Math.abs((100 * counts[at]!) / DEVICES - percentage)).toBeLessThan(1);
    }
  });

  it('holds the same devices on every machine', () => {
    const held = devices().filter((deviceId) => select([half], { deviceId }) !== undefined);
    expect(createHash('sha256').update(held.join()).digest('hex').slice(0, 16)).toMatchInlineSnapshot(
      `"3bdfb8259381da87"`,
    );
  });
});

describe('any channel and device', () => {
  const versions = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map((parts) => parts.join('.'));
  const releases = fc
    .uniqueArray(
      fc.record(
        {
          version: versions,
          minNativeVersion: versions,
          rolloutPercentage: fc.oneof(fc.constantFrom(0, 100), fc.nat(100)),
          rolloutEnabled: fc.boolean(),
          mandatory: fc.boolean(),
        },
        { requiredKeys: ['version', 'rolloutPercentage', 'rolloutEnabled', 'mandatory'] },
      ),
      { selector: ({ version }) => version, maxLength: 12 },
    )
    .map((all) => all.map((one, index): Release => ({ buildId: index + 1, ...one })));
  const asking = fc.record(
    {
      deviceId: fc.string({ unit: anyCharacter, minLength: 1 }),
      platform: fc.constantFrom<DevicePlatform>('ios', 'android', 'web', 'all'),
      currentVersion: versions,
      nativeVersion: versions,
    },
    { requiredKeys: ['deviceId', 'platform', 'currentVersion'] },
  );
  const platforms = fc.constantFrom<AppPlatform>('ios', 'android', 'both');

  it('is answered as the specification reads', () => {
    fc.assert(
      fc.property(releases, asking, platforms, (all, device, app) => {
        expect(select(all, device, app)).toEqual(asSpecified(all, device, app));
      }),
      { numRuns: 1000 },
    );
  });

  it('never loses a device by raising a percentage', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(100), asking, (one, other, device) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const offered = (rolloutPercentage: number) => select([release(1, '9.0.0', { rolloutPercentage })], device);
        if (offered(low) !== undefined) expect(offered(high)).toBeDefined();
      }),
    );
  });
});

/** The rules again, in the specification's order and with nothing shared but the hash's definition. */
function asSpecified(all: readonly Release[], device: Asking, app: AppPlatform) {
  const rank = (version: string) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
  const suitsApp = !(
    (device.platform === 'ios' && app === 'android') ||
    (device.platform === 'android' && app === 'ios')
  );
  const eligible = all.filter(
    (one) =>
      suitsApp &&
      rank(one.version) > rank(device.currentVersion) &&
      !(
        one.minNativeVersion !== undefined &&
        device.nativeVersion !== undefined &&
        rank(device.nativeVersion) < rank(one.minNativeVersion)
      ) &&
      one.rolloutEnabled &&
      inRollout(device.deviceId, one),
  );
  if (eligible.length === 0) return undefined;
  const offered = eligible.reduce((best, one) => (rank(one.version) > rank(best.version) ? one : best));
  return { buildId: offered.buildId, mandatory: eligible.some(({ mandatory }) => mandatory) };
}

describe('a native app', () => {
  const older = release(1, '2.0.0');

  it('is offered a build whose native range it is in, and one without its version any', () => {
    const releases = [older, release(2, '3.0.0', { nativeRange: '>=5 <6 || ^7.1.0' })];
    const offered = (nativeVersion?: string) =>
      select(releases, nativeVersion === undefined ? {} : { nativeVersion })?.buildId;
    expect(['4.9', '5', '5.9-beta', '6', '7.0', '7.1', '8'].map(offered)).toEqual([1, 2, 2, 1, 1, 2, 1]);
    expect(offered()).toBe(2);
  });

  it('is offered an encrypted build only if its client decrypts it, whatever else the channel has', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ client: fc.constantFrom(undefined, 'capgo' as const), mandatory: fc.boolean() })),
        (found) => {
          const releases = found.map((more, index) => release(index + 1, `2.0.${index}`, more));
          const plain = releases.filter(({ client }) => client === undefined);
          expect(select(releases)).toEqual(select(plain));
          expect(select(releases, { client: 'capgo' })?.buildId).toBe(releases.at(-1)?.buildId);
        },
      ),
    );
  });

  it('is offered a build with a fingerprint only if it is exactly its own', () => {
    const releases = [older, release(2, '3.0.0', { fingerprint: 'f1' })];
    expect(select(releases, { fingerprint: 'f1' })?.buildId).toBe(2);
    expect(select(releases, { fingerprint: 'F1' })?.buildId).toBe(1);
    expect(select(releases)?.buildId).toBe(1);
  });

  it('is offered builds of its platform and of all; a device of another kind those of all', () => {
    const releases = [older, release(2, '3.0.0', { platform: 'ios' }), release(3, '4.0.0', { platform: 'android' })];
    const offered = (platform: DevicePlatform) => select(releases, { platform })?.buildId;
    expect((['ios', 'android', 'web', 'all'] as const).map(offered)).toEqual([2, 3, 1, 1]);
  });

  it('is offered nothing that is as old as the bundle inside it', () => {
    const releases = [older, release(2, '3.0.0', { mandatory: true }), release(3, '4.0.0')];
    expect(select(releases, { embeddedVersion: '3.9' })).toEqual({ buildId: 3, mandatory: false });
    expect(select(releases, { embeddedVersion: '2.0.0' })).toEqual({ buildId: 3, mandatory: true });
    expect(select(releases, { embeddedVersion: '4.0.0' })).toBeUndefined();
    expect(select(releases, { embeddedVersion: '0.1' })).toEqual({ buildId: 3, mandatory: true });
  });

  it('is not sent by a recall to a build that does not suit it, or is as old as the bundle inside it', () => {
    const republished = (rules: Partial<Candidate>) => ({
      ...activeBuilds([release(5, '9.0.0')]).all[0]!,
      ...{ republishedVersion: parseVersion('2.0.0')!, ...rules },
    });
    const offered = (build: Candidate, asking: Partial<Asking>) =>
      selectBuild({ all: [], mandatory: [], replacementOf: () => [build] }, 'both', deviceOf(asking))?.build.buildId;
    expect(offered(republished({}), { embeddedVersion: '1.9' })).toBe(5);
    expect(offered(republished({}), { embeddedVersion: '2.0' })).toBeUndefined();
    expect(offered(republished({ platform: 'android' }), {})).toBeUndefined();
    expect(offered(republished({ fingerprint: 'f1' }), {})).toBeUndefined();
    expect(offered(republished({ nativeRange: parseRange('^5')! }), { nativeVersion: '4' })).toBeUndefined();
  });
});

describe('the native update that a device needs', () => {
  const needed = (releases: readonly Release[], asking: Partial<Asking>) => {
    const [builds, device] = [activeBuilds(releases), deviceOf(asking)];
    return nativeUpdate(choicesFor(builds, device), selectBuild(builds, 'both', device)?.build, device)?.minimum;
  };
  const old = { nativeVersion: '4.0' };
  const ranged = (more: Partial<Release> = {}) => release(2, '3.0.0', { nativeRange: '>=5.1 <6 || >=7', ...more });

  it('is the lowest version that can run a newer build than the one that it is offered', () => {
    expect(needed([release(1, '2.0.0'), ranged()], old)).toBe('5.1.0');
    expect(needed([ranged()], { nativeVersion: '6.2' })).toBe('7.0.0');
    expect(needed([release(3, '4.0.0', { nativeRange: '>=8' }), ranged()], old)).toBe('8.0.0');
    expect(needed([release(3, '4.0.0'), ranged()], old)).toBeUndefined();
  });

  it('is none where it would change nothing: the build suits, is too old, or is for earlier native versions', () => {
    expect(needed([ranged()], { nativeVersion: '5.1' })).toBeUndefined();
    expect(needed([ranged()], {})).toBeUndefined();
    expect(needed([ranged()], { ...old, currentVersion: '3.0.0' })).toBeUndefined();
    expect(needed([ranged()], { ...old, embeddedVersion: '3.0.0' })).toBeUndefined();
    expect(needed([release(2, '3.0.0', { nativeRange: '<4' })], old)).toBeUndefined();
  });

  it('is none for a minimum, which responses have never told', () => {
    expect(needed([release(2, '3.0.0', { minNativeVersion: '5' })], old)).toBeUndefined();
  });

  it('is none for a build that the device would not be offered', () => {
    expect(needed([ranged({ rolloutEnabled: false })], old)).toBeUndefined();
    expect(needed([ranged({ platform: 'android' })], old)).toBeUndefined();
    expect(needed([ranged({ rolledBack: new Set(['hash']) })], old)).toBe('5.1.0');
    expect(needed([ranged({ rolledBack: new Set(['hash']) })], { ...old, hashes: () => ['hash'] })).toBeUndefined();
    const part = release(7, '3.0.0', { nativeRange: '>=5', rolloutPercentage: 50 });
    expect(needed([part, release(1, '2.0.0', { nativeRange: '>=4.5' })], { ...old, deviceId: outside })).toBe('4.5.0');
    expect(needed([part], { ...old, deviceId: inside })).toBe('5.0.0');
  });
});
