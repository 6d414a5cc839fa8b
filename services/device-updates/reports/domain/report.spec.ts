import fc from 'fast-check';
import {
  ACTIVE,
  addDays,
  beginningWith,
  BUILDS,
  checksMetric,
  daysBetween,
  FURTHER_VERSIONS,
  metricOf,
  NATIVE_VERSIONS,
  OTHER_VERSIONS,
  PLATFORMS,
  readMetric,
  readVersionMetric,
  type Report,
  VERSIONS,
} from './report';

const DAY_MS = 24 * 60 * 60 * 1000;

it('lists the days from one to another, both included', () => {
  expect(daysBetween('2026-02-27', '2026-03-01')).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect(daysBetween('2026-03-01', '2026-03-01')).toEqual(['2026-03-01']);
  expect(daysBetween('2026-03-02', '2026-03-01')).toEqual([]);
});

it('ends at the last day of the calendar too', () => {
  expect(daysBetween('9999-12-31', '9999-12-31')).toEqual(['9999-12-31']);
  expect(daysBetween('9999-12-30', '9999-12-31')).toEqual(['9999-12-30', '9999-12-31']);
});

it('lists as many days as lie between any two', () => {
  const day = fc.integer({ min: Date.UTC(1, 0, 1) / DAY_MS, max: Date.UTC(9999, 11, 31) / DAY_MS });
  fc.assert(
    fc.property(day, fc.integer({ min: -3, max: 400 }), (first, more) => {
      fc.pre(first + more <= Date.UTC(9999, 11, 31) / DAY_MS);
      const from = new Date(first * DAY_MS).toISOString().slice(0, 10);
      const days = daysBetween(from, addDays(from, more));
      expect(days).toHaveLength(Math.max(0, more + 1));
      expect(new Set(days).size).toBe(days.length);
      expect(days.slice().sort()).toEqual(days);
    }),
  );
});

describe('a metric', () => {
  it.each<[Report, string]>([
    [{ kind: 'active', version: '1.2.0', platform: 'ios', nativeVersion: '3.1.0' }, 'version/1.2.0 ios 3.1.0'],
    [{ kind: 'active', version: '1.2.0', platform: 'web' }, 'version/1.2.0 web'],
    [{ kind: 'download', buildId: 5, status: 'complete' }, 'build/5/downloads'],
    [{ kind: 'download', buildId: 5, status: 'failed' }, 'build/5/download_failures'],
    [{ kind: 'install', buildId: 5, status: 'complete' }, 'build/5/installs'],
    [{ kind: 'install', buildId: 5, status: 'failed' }, 'build/5/install_failures'],
    [{ kind: 'install', buildId: 5, status: 'rollback' }, 'build/5/rollbacks'],
  ])('of %j is %s, and is read back', (report, metric) => {
    const { kind, ...reported } = report;
    expect(metricOf(report)).toBe(metric);
    expect(readMetric(metric)).toEqual({ report: kind, ...reported });
  });

  it('of an earlier release holds the version alone', () => {
    expect(readVersionMetric('also/1.3.0')).toEqual({ version: '1.3.0' });
  });

  it.each(['build/5/offers', 'build/', 'build/5'])('%s is no report', (metric) => {
    expect(() => readMetric(metric)).toThrow(`"${metric}" is no metric of a report.`);
  });

  it('of a channel counts checks', () => {
    expect(checksMetric('staging')).toBe('channel/staging/checks');
  });

  it('keeps the names that totals are stored under', () => {
    expect([FURTHER_VERSIONS, ACTIVE, PLATFORMS, NATIVE_VERSIONS, OTHER_VERSIONS]).toEqual([
      ...['also/', 'active', 'platform/', 'native/', 'other'],
    ]);
  });

  it('is found by how it begins', () => {
    expect(beginningWith(VERSIONS)).toEqual({ gte: 'version/', lt: 'version0' });
    expect(beginningWith(BUILDS)).toEqual({ gte: 'build/', lt: 'build0' });
  });
});
