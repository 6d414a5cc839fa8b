import { metrics, newestBuilds } from '@sluice/telemetry';
import type { ServingBuild } from '../serving/serving.projection';
import { MAX_BUILDS, NewestBuildOutcomes } from './build-outcomes';
import type { CountsWanted, ReportCounts } from './report-counts';
import { ServedBuild } from '../serving/served-builds';

type DailyCount = Awaited<ReturnType<ReportCounts['reported']>>[number];

const CHANNELS = ['production', 'staging', 'development'] as const;

function build(appId: number, buildId: number, changes: Partial<ServingBuild> = {}): ServedBuild {
  const facts: ServingBuild = {
    ...{ id: String(buildId), buildId, appId, bundleId: `bundle-${buildId}`, channel: 'production' },
    ...{ version: `1.${buildId}.0`, objectKey: 'o', size: 1, checksum: 'c', signature: null, releaseNotes: null },
    ...{ minNativeVersion: null, rolloutPercentage: 100, mandatory: false, status: 'active', rolloutEnabled: true },
    ...{ manifestRevision: 0, signedByServer: false, ...changes },
  };
  const none = { has: () => false, devicesOf: () => undefined, of: () => undefined, includes: () => false };
  return new ServedBuild(facts, { recalls: none, rollbacks: none, pins: none, groups: none });
}

function reading(apps: ReadonlyMap<number, ServedBuild[]>, counted: readonly DailyCount[] = []) {
  const asked: CountsWanted[] = [];
  let monotonic = 0;
  const outcomes = new NewestBuildOutcomes({
    index: { appIds: () => apps.keys(), builds: { ofApp: (app) => apps.get(app) ?? [] } },
    counts: {
      reported: (wanted) => {
        asked.push(wanted);
        const { in: among } = wanted.metric as { in: string[] };
        return Promise.resolve(counted.filter(({ metric }) => among.includes(metric)));
      },
    },
    clock: { now: () => new Date('2026-01-08T12:00:00Z'), monotonic: () => monotonic },
  });
  return { outcomes, asked, pass: (ms: number) => (monotonic += ms) };
}

describe('the outcomes of the newest builds', () => {
  it('are those of three builds of each channel, summed over seven days', async () => {
    const builds = [1, 4, 2, 5, 3].map((id) => build(7, id));
    const counted = [
      { metric: 'build/5/installs', day: '2026-01-07', count: 3 },
      { metric: 'build/5/installs', day: '2026-01-08', count: 4 },
      { metric: 'build/5/install_failures', day: '2026-01-08', count: 2 },
      { metric: 'build/5/rollbacks', day: '2026-01-08', count: 1 },
    ];
    const { outcomes, asked } = reading(new Map([[7, [...builds, build(7, 6, { channel: 'staging' })]]]), counted);
    const found = await outcomes.read();
    expect(found.map((each) => each.build).sort()).toEqual([3, 4, 5, 6]);
    expect(found.find((each) => each.build === 5)).toEqual({
      ...{ app: 7, channel: 'production', build: 5, version: '1.5.0', inService: true },
      ...{ installs: 7, installFailures: 2, rollbacks: 1 },
    });
    expect(asked).toMatchObject([{ appId: 7, from: '2026-01-02' }]);
  });

  it.each([
    ['live', {}, true],
    ['rolling out', { rolloutPercentage: 1 }, true],
    ['halted', { rolloutEnabled: false }, false],
    ['at 0%', { rolloutPercentage: 0 }, false],
    ['paused', { status: 'paused' }, false],
    ['being checked', { status: 'processing' }, false],
  ] as const)('say of a build that is %s whether devices may be offered it', async (_, changes, inService) => {
    const { outcomes } = reading(new Map([[1, [build(1, 1, changes)]]]));
    expect(await outcomes.read()).toMatchObject([{ inService }]);
  });

  it('make at most 500 series, of the newest builds, whatever tenants create', async () => {
    const apps = new Map(
      Array.from({ length: 60 }, (_, app) => [
        app,
        Array.from({ length: 12 }, (_, n) => build(app, 1 + app + 60 * n, { channel: CHANNELS[n % 3]! })),
      ]),
    );
    const { outcomes } = reading(apps);
    const found = await outcomes.read();
    expect(found).toHaveLength(MAX_BUILDS);
    expect(Math.min(...found.map((each) => each.build))).toBe(60 * 12 - MAX_BUILDS + 1);
    newestBuilds.reports = () => outcomes.read();
    const series = (await metrics.metrics()).split('\n').filter((line) => /^sluice_build_\w+\{/.test(line));
    delete newestBuilds.reports;
    expect(series).toHaveLength(500);
    expect(await metrics.metrics()).not.toMatch(/^sluice_build_\w+\{/m);
  });

  it('are counted once in half a minute, and again right after a fault', async () => {
    const { outcomes, asked, pass } = reading(new Map([[1, [build(1, 1)]]]));
    await Promise.all([outcomes.read(), outcomes.read()]);
    pass(29_999);
    await outcomes.read();
    expect(asked).toHaveLength(1);
    pass(1);
    await outcomes.read();
    expect(asked).toHaveLength(2);
    let away = true;
    const failing = new NewestBuildOutcomes({
      index: { appIds: () => [1], builds: { ofApp: () => [build(1, 1)] } },
      counts: { reported: () => (away ? Promise.reject(new Error('away')) : Promise.resolve([])) },
      clock: { now: () => new Date(), monotonic: () => 0 },
    });
    await expect(failing.read()).rejects.toThrow('away');
    away = false;
    await expect(failing.read()).resolves.toHaveLength(1);
  });
});
