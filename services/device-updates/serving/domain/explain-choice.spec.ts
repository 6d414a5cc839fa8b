import { parseRange, parseVersion } from '@sluice/kernel';
import { anyCharacter } from '@sluice/testing/any-character';
import fc from 'fast-check';
import { explainChoice } from './explain-choice';
import { compileAudience, selectBuild, type AppPlatform, type DevicePlatform } from './select-build';

const audiences = [
  compileAudience({ attributes: { plan: { in: ['pro', 'team'] } } }),
  compileAudience({ attributes: { plan: { equal: 'free' }, os: { range: '>=17' } } }),
];
const channelAudience = fc.constantFrom(
  undefined,
  ...audiences,
  compileAudience({ pinned_only: true }, { pinned: () => new Set(['former hash']) }),
  compileAudience({ pinned_only: true }, { pinned: () => new Set(['other']) }),
);
const version = fc.tuple(fc.nat(3), fc.nat(3), fc.nat(3)).map((parts) => parseVersion(parts.join('.'))!);
const builds = fc
  .uniqueArray(
    fc.record({
      version,
      minNativeVersion: fc.option(version, { nil: undefined }),
      nativeRange: fc.option(
        version.map((from) => parseRange(`>=${from.version}`)!),
        { nil: undefined, freq: 1 },
      ),
      fingerprint: fc.constantFrom(undefined, undefined, 'f1', 'f2'),
      client: fc.constantFrom(undefined, undefined, 'capgo' as const),
      platform: fc.constantFrom(undefined, undefined, 'ios' as const, 'android' as const),
      rolloutPercentage: fc.oneof(fc.constantFrom(0, 100), fc.nat(100)),
      rolloutEnabled: fc.boolean(),
      mandatory: fc.boolean(),
      active: fc.oneof(fc.constant(true), fc.boolean()),
      isRecalled: fc.constant(false),
      isRepublished: fc.oneof(fc.constant(false), fc.boolean()),
      audience: fc.constantFrom(undefined, undefined, ...audiences),
      rolledBack: fc.constantFrom(undefined, undefined, new Set(['other']), new Set(['other', 'former hash'])),
      pinned: fc.constantFrom(undefined, undefined, new Set(['other']), new Set(['other', 'former hash'])),
    }),
    { selector: (build) => build.version.version, maxLength: 12 },
  )
  .map((all) =>
    all.map((build, index) => ({
      ...{ ...build, buildId: index + 1, seed: String(index + 1) },
      ...(build.isRepublished && { rolloutPercentage: 100, rolloutEnabled: true, mandatory: true }),
    })),
  );
const device = fc.record({
  deviceId: fc.string({ unit: anyCharacter, minLength: 1 }),
  platform: fc.constantFrom<DevicePlatform>('ios', 'android', 'web', 'all'),
  currentVersion: version,
  nativeVersion: fc.option(version, { nil: undefined }),
  fingerprint: fc.constantFrom(undefined, 'f1', 'f2'),
  client: fc.constantFrom(undefined, 'capgo' as const),
  embeddedVersion: fc.option(version, { nil: undefined }),
  hashes: fc.constant(() => ['hash', 'former hash']),
  attribute: fc
    .record({
      plan: fc.constantFrom(undefined, 'pro', 'free'),
      os: fc.option(
        version.map(({ major }) => parseVersion(`${major + 15}`)!),
        { nil: undefined },
      ),
    })
    .map((sent) => (name: string) => sent[name as keyof typeof sent]),
});
const app = fc.constantFrom<AppPlatform>('ios', 'android', 'both');

it('agrees with the choice for any channel and device', () => {
  fc.assert(
    fc.property(
      builds,
      device,
      app,
      fc.boolean(),
      channelAudience,
      (all, asking, appPlatform, isOfRecalledVersion, audience) => {
        const newestFirst = all.filter((build) => build.active).sort((a, b) => b.version.compare(a.version));
        const republished = newestFirst.filter(({ isRepublished }) => isRepublished);
        const ofChannel = { audience, replacementOf: () => (isOfRecalledVersion ? republished : undefined) };
        const { selected, newer, mandatoryBecauseOf } = explainChoice(all, ofChannel, appPlatform, asking);
        const active = newestFirst.filter(({ isRepublished }) => !isRepublished);
        const mandatory = active.filter((build) => build.mandatory);
        expect(selected).toEqual(selectBuild({ all: active, mandatory, ...ofChannel }, appPlatform, asking));

        // The reasons alone lead to the same choice.
        expect(newer.filter(({ whyNot }) => whyNot.length === 0).map(({ build }) => build)).toEqual(
          selected === undefined ? [] : [selected.build],
        );
        const firstWithout = newer.find(({ whyNot }) => whyNot.every((reason) => reason === 'newer_offered'));
        expect(firstWithout?.build).toBe(selected?.build);
        if (selected?.build.isRepublished === true) expect(isOfRecalledVersion).toBe(true);
        expect(mandatoryBecauseOf.length > 0).toBe(selected?.mandatory ?? false);
        for (const { build, whyNot, bucket, isPinned, unmet } of newer) {
          expect(whyNot.includes('audience')).toBe(unmet.length > 0);
          if (isPinned) expect(unmet).toEqual([]);
          if (build.isRepublished) expect(unmet.filter(({ of }) => of === 'channel')).toEqual([]);
          expect(build.version.compare(asking.currentVersion)).toBeGreaterThan(0);
          expect(whyNot.includes('rolled_back')).toBe(build.rolledBack?.has('former hash') ?? false);
          expect(isPinned).toBe(build.pinned?.has('former hash') ?? false);
          const isOut = build.rolloutPercentage < 100 && bucket >= build.rolloutPercentage;
          expect(whyNot.includes('rollout')).toBe(isOut && !isPinned);
        }
        expect(newer).toHaveLength(all.filter((build) => build.version.compare(asking.currentVersion) > 0).length);
      },
    ),
    { numRuns: 1000 },
  );
});

it('names every reason', () => {
  const build = {
    ...{
      buildId: 7,
      seed: '7',
      version: parseVersion('2.0.0')!,
      minNativeVersion: parseVersion('5')!,
      mandatory: true,
    },
    ...{ nativeRange: parseRange('>=5')!, fingerprint: 'f1', platform: 'android' as const, client: 'capgo' as const },
    ...{ rolloutPercentage: 0, rolloutEnabled: false, active: false },
    ...{ isRecalled: false, isRepublished: false, rolledBack: new Set(['hash']), pinned: new Set(['other']) },
    audience: compileAudience({ attributes: { plan: { equal: 'pro' }, os: { range: '>=17' }, tier: { equal: 'a' } } }),
  };
  const asking = {
    deviceId: 'd',
    hashes: () => ['hash'],
    attribute: (name: string) => ({ os: parseVersion('16.4'), tier: 'a' })[name],
    currentVersion: parseVersion('1')!,
    nativeVersion: parseVersion('4')!,
    embeddedVersion: parseVersion('2')!,
  };
  const { selected, newer } = explainChoice([build], { replacementOf: () => undefined }, 'android', {
    ...asking,
    platform: 'ios',
  });
  expect(selected).toBeUndefined();
  expect(newer.map(({ whyNot }) => whyNot)).toEqual([
    [
      ...['status', 'platform', 'build_platform', 'native_version', 'native_range', 'fingerprint', 'client'],
      'embedded_version',
      ...['halted', 'audience', 'rollout', 'rolled_back'],
    ],
  ]);
  expect(newer[0]?.unmet.map((rule) => 'name' in rule && rule.name)).toEqual(['plan', 'os']);
});

it('names the newer build as the reason against one that it would be offered otherwise', () => {
  const build = (buildId: number, version: string) => ({
    ...{
      buildId,
      seed: String(buildId),
      version: parseVersion(version)!,
      minNativeVersion: undefined,
      mandatory: false,
    },
    ...{ rolloutPercentage: 100, rolloutEnabled: true, active: true },
    ...{ isRecalled: false, isRepublished: false, rolledBack: undefined, pinned: undefined, audience: undefined },
  });
  const asking = {
    deviceId: 'd',
    hashes: () => [],
    attribute: () => undefined,
    platform: 'ios',
    currentVersion: parseVersion('1')!,
    nativeVersion: undefined,
  } as const;
  const { newer } = explainChoice(
    [build(1, '2.0.0'), build(2, '3.0.0')],
    { replacementOf: () => undefined },
    'ios',
    asking,
  );
  expect(newer.map(({ build: { buildId }, whyNot }) => [buildId, whyNot])).toEqual([
    [2, []],
    [1, ['newer_offered']],
  ]);
});

it('distinguishes a recalled build from a paused one, and a republished one from what is offered to every device', () => {
  const build = (buildId: number, version: string, more: { isRecalled?: boolean; isRepublished?: boolean }) => ({
    ...{
      buildId,
      seed: String(buildId),
      version: parseVersion(version)!,
      minNativeVersion: undefined,
      mandatory: false,
    },
    ...{ rolloutPercentage: 100, rolloutEnabled: true, active: more.isRecalled !== true },
    ...{ isRecalled: false, isRepublished: false, rolledBack: undefined, pinned: undefined, audience: undefined },
    ...more,
  });
  const builds = [build(2, '1.1.0', { isRecalled: true }), build(3, '1.1.1', { isRepublished: true })];
  const asking = {
    ...{ deviceId: 'd', hashes: () => [], attribute: () => undefined },
    ...({ platform: 'ios', nativeVersion: undefined } as const),
  };
  const reasons = (current: string, replacements: typeof builds | 'embedded' | undefined) => {
    const device = { ...asking, currentVersion: parseVersion(current)! };
    const { newer, rollBackToEmbedded } = explainChoice(builds, { replacementOf: () => replacements }, 'ios', device);
    return { newer: newer.map(({ build: { buildId }, whyNot }) => [buildId, whyNot]), rollBackToEmbedded };
  };
  expect(reasons('1.0.0', undefined)).toEqual({
    newer: [
      [3, ['recall_only']],
      [2, ['recalled']],
    ],
    rollBackToEmbedded: false,
  });
  expect(reasons('1.1.0', builds.slice(1))).toEqual({ newer: [[3, []]], rollBackToEmbedded: false });
  expect(reasons('1.1.0', 'embedded')).toEqual({ newer: [[3, ['recall_only']]], rollBackToEmbedded: true });
});
