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

  it('takes nothing that any device is offered, whatever the channel holds', () => {
    const builds = fc.uniqueArray(
      fc.record({
        minor: fc.nat(12),
        status: fc.constantFrom('processing', 'active', 'active', 'paused', 'archived', 'failed'),
        rolloutPercentage: fc.constantFrom(0, 30, 100),
        rolloutEnabled: fc.boolean(),
        minNativeVersion: fc.constantFrom(null, null, '2.0.0'),
        mandatory: fc.boolean(),
      } as const),
      { selector: ({ minor }) => minor, maxLength: 12 },
    );
    fc.assert(
      fc.property(builds, fc.integer({ min: 1, max: 4 }), fc.boolean(), fc.nat(99), (given, keep, isOld, bucket) => {
        const held = given.map(({ minor, ...rest }) => build(minor, rest));
        const left = held.filter(({ buildId }) => !gone(held, keep).includes(buildId));
        const offer = (of: readonly RetainedBuild[]) => {
          const fitting = of
            .filter(({ status, rolloutEnabled }) => status === 'active' && rolloutEnabled)
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
