import fc from 'fast-check';
import { beyondRetention, type RetainedBuild } from './retention';

const build = (minor: number, changes: Partial<RetainedBuild> = {}): RetainedBuild => ({
  ...{ buildId: minor, version: `1.${minor}.0`, status: 'active', rolloutPercentage: 100, rolloutEnabled: true },
  ...{ minNativeVersion: null, mandatory: false, ...changes },
});
const gone = (builds: readonly RetainedBuild[], keep: number, unsettled: readonly number[] = []) =>
  beyondRetention(builds, keep, ({ buildId }) => !unsettled.includes(buildId)).map(({ buildId }) => buildId);

describe('the retention of builds', () => {
  it('keeps the newest versions, however they are ordered, and all of them with 0', () => {
    const builds = [3, 1, 10, 2].map((minor) => build(minor));
    expect(gone(builds, 2)).toEqual([2, 1]);
    expect(gone(builds, 4)).toEqual([]);
    expect(gone(builds, 0)).toEqual([]);
  });

  it.each([
    ['is rolled out in part', { rolloutPercentage: 20 }],
    ['is halted', { rolloutEnabled: false }],
    ['needs a native version', { minNativeVersion: '2.0' }],
    ['has a native range', { nativeRange: '>=2' }],
    ['has a fingerprint', { fingerprint: 'f1' }],
    ['has an audience', { audience: { attributes: {} } }],
    ['is paused', { status: 'paused' }],
    ['is archived', { status: 'archived' }],
  ] as const)('keeps what a device may be offered while the newer build %s', (_, changes) => {
    expect(gone([build(5, changes), build(4), build(3), build(2)], 1)).toEqual([3, 2]);
  });

  it('keeps the head of a channel and a build that is being checked', () => {
    const newer = [build(9, { status: 'paused' }), build(8, { status: 'archived' })];
    expect(gone([...newer, build(2), build(1, { status: 'processing' })], 1)).toEqual([8]);
  });

  it('keeps a build that changed just now, and what its newer build has only just covered', () => {
    expect(gone([build(5), build(4), build(3, { status: 'paused' })], 1, [3])).toEqual([4]);
    expect(gone([build(5), build(4), build(3)], 1, [5])).toEqual([3]);
  });

  it('keeps the mandatory build that makes an update over it mandatory', () => {
    const builds = [build(5), build(4), build(3, { mandatory: true }), build(2, { mandatory: true })];
    expect(gone(builds, 1)).toEqual([4, 2]);
    expect(gone([build(6, { mandatory: true }), ...builds], 1)).toEqual([5, 4, 3, 2]);
  });

  it('lets failed builds go with the versions below which nothing is kept', () => {
    const builds = [build(5, { status: 'failed' }), build(4), build(3, { status: 'failed' }), build(2)];
    expect(gone(builds, 1)).toEqual([3, 2]);
    expect(gone(builds, 2)).toEqual([]);
  });

  it('counts and covers the builds of all clients apart from encrypted ones', () => {
    const delivery = { capgo: { session_key: '', checksum: '' } };
    const encrypted = (minor: number) => build(minor, { delivery });
    expect(gone([encrypted(5), encrypted(4), encrypted(3)], 1)).toEqual([4, 3]);
    expect(gone([encrypted(9), build(8), encrypted(7), build(6), build(5)], 1)).toEqual([7, 6, 5]);
    expect(gone([build(9), encrypted(8), build(7)], 1)).toEqual([8, 7]);
  });

  it('counts and covers the builds of each platform apart, those for all of them on every one', () => {
    const on = (minor: number, platform: 'ios' | 'android') => build(minor, { platform });
    const builds = [on(9, 'ios'), on(8, 'ios'), on(7, 'android'), build(6), on(5, 'android'), build(4), build(3)];
    expect(gone(builds, 1)).toEqual([8, 5, 4, 3]);
    expect(gone(builds, 2)).toEqual([5, 3]);
  });

  it('takes nothing that any device is offered, whatever the channel holds', () => {
    const builds = fc.uniqueArray(
      fc.record({
        minor: fc.nat(12),
        status: fc.constantFrom('processing', 'active', 'active', 'paused', 'archived', 'failed'),
        rolloutPercentage: fc.constantFrom(0, 30, 100),
        rolloutEnabled: fc.boolean(),
        minNativeVersion: fc.constantFrom(null, null, '2.0.0'),
        fingerprint: fc.constantFrom(null, null, 'f1'),
        platform: fc.constantFrom('all', 'all', 'ios', 'android'),
        mandatory: fc.boolean(),
      } as const),
      { selector: ({ minor }) => minor, maxLength: 12 },
    );
    const device = fc.record({
      isOld: fc.boolean(),
      bucket: fc.nat(99),
      own: fc.constantFrom('web', 'ios', 'android'),
      print: fc.constantFrom('f1', undefined),
    });
    fc.assert(
      fc.property(builds, fc.integer({ min: 1, max: 4 }), device, (given, keep, { isOld, bucket, own, print }) => {
        const held = given.map(({ minor, platform, ...rest }) =>
          build(minor, { ...rest, ...(platform !== 'all' && { platform }) }),
        );
        const left = held.filter(({ buildId }) => !gone(held, keep).includes(buildId));
        const offer = (of: readonly RetainedBuild[]) => {
          const fitting = of
            .filter(({ status, rolloutEnabled }) => status === 'active' && rolloutEnabled)
            .filter(({ platform = own, fingerprint }) => platform === own && (fingerprint ?? print) === print)
            .filter(
              ({ rolloutPercentage, minNativeVersion }) => bucket < rolloutPercentage && !(isOld && minNativeVersion),
            )
            .sort((one, other) => other.buildId - one.buildId);
          return [fitting[0]?.buildId, fitting.some(({ mandatory }) => mandatory)];
        };
        expect(offer(left)).toEqual(offer(held));
      }),
      { numRuns: 500 },
    );
  });
});
