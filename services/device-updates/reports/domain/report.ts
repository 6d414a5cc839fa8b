import type { DevicePlatform } from '../../serving/domain/select-build';

/** What a device reported. */
export type Report =
  | {
      readonly kind: 'active';
      /** Of its bundle, in canonical form. */
      readonly version: string;
      readonly platform: DevicePlatform;
      /** Of its native app, in canonical form, if it sends one. */
      readonly nativeVersion?: string | undefined;
    }
  | { readonly kind: 'download'; readonly buildId: number; readonly status: 'complete' | 'failed' }
  | { readonly kind: 'install'; readonly buildId: number; readonly status: 'complete' | 'failed' | 'rollback' };

const OUTCOMES = {
  download: { complete: 'downloads', failed: 'download_failures' },
  install: { complete: 'installs', failed: 'install_failures', rollback: 'rollbacks' },
} as const;

/** What is counted of a build from the reports of devices. */
export const REPORTED = ['downloads', 'download_failures', 'installs', 'install_failures', 'rollbacks'] as const;

/** The metric of an app under which a report counts. */
export function metricOf(report: Report): string {
  switch (report.kind) {
    case 'active':
      return `${VERSIONS}${[report.version, report.platform, report.nativeVersion].filter(Boolean).join(' ')}`;
    case 'download':
      return buildMetric(report.buildId, OUTCOMES.download[report.status]);
    case 'install':
      return buildMetric(report.buildId, OUTCOMES.install[report.status]);
  }
}

/**
 * Begins the metric of the last version that a device reports on a day, so that a device has one of these a day:
 * `version/1.2.0 ios 3.1.0`. In totals `version/1.2.0` counts the devices that reported this version last.
 */
export const VERSIONS = 'version/';
/** Begins the metrics of rows that earlier releases wrote for the further versions of a day. They are never counted. */
export const FURTHER_VERSIONS = 'also/';
/** In totals alone: devices that were active, each once. */
export const ACTIVE = 'active';
/** In totals alone: active devices by platform and by native version, as in their last report of the day. */
export const PLATFORMS = 'platform/';
export const NATIVE_VERSIONS = 'native/';
/** More versions of one app at a time than these are the work of somebody who makes them up. */
export const MAX_LIVE_COUNTS = 5_000;
/** In place of a version: all versions but the most frequent of a closed day. */
export const OTHER_VERSIONS = 'other';
/** Begins the metrics of builds, and of no other thing. */
export const BUILDS = 'build/';

/** What a device reported, as its metric holds it. */
export type ReadMetric =
  | ({ readonly report: 'active' } & ReturnType<typeof readVersionMetric>)
  | { readonly report: 'download' | 'install'; readonly status: Status; readonly buildId: number };
type Status = 'complete' | 'failed' | 'rollback';

export function readMetric(metric: string): ReadMetric {
  if (!metric.startsWith(BUILDS)) return { report: 'active', ...readVersionMetric(metric) };
  const [, buildId = '', outcome = ''] = metric.split('/');
  for (const report of ['download', 'install'] as const) {
    for (const [status, name] of Object.entries(OUTCOMES[report])) {
      if (name === outcome) return { report, status: status as Status, buildId: Number(buildId) };
    }
  }
  throw new Error(`"${metric}" is no metric of a report.`);
}

/** A range of metrics that begin with one of these. */
export function beginningWith(prefix: string): { readonly gte: string; readonly lt: string } {
  const last = prefix.charCodeAt(prefix.length - 1);
  return { gte: prefix, lt: `${prefix.slice(0, -1)}${String.fromCharCode(last + 1)}` };
}

/** What the metric of an active device holds; rows of an earlier release hold the version alone. */
export function readVersionMetric(metric: string): {
  readonly version: string;
  readonly platform: string | undefined;
  readonly nativeVersion: string | undefined;
} {
  const [version = '', platform, nativeVersion] = metric.slice(metric.indexOf('/') + 1).split(' ');
  return { version, platform, nativeVersion };
}

export function buildMetric(buildId: number, outcome: (typeof REPORTED)[number]): string {
  return `${BUILDS}${buildId}/${outcome}`;
}

/** Begins the metrics of a channel. */
export function channelMetrics(channel: string): string {
  return `channel/${channel}/`;
}

/** How often checks came to a channel. */
export function checksMetric(channel: string): string {
  return `${channelMetrics(channel)}checks`;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** The UTC day of a time, `2026-01-31`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** The day so many days after a day, or before it. */
export function addDays(day: string, days: number): string {
  return dayOf(new Date(Date.parse(day) + days * DAY_MS));
}

/**
 * The days from one to another, both included; none when the first is the later one. Counted as numbers:
 * as text, the day after 9999-12-31 is an earlier one.
 */
export function daysBetween(first: string, last: string): string[] {
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MS + 1;
  return Array.from({ length: Math.max(0, days) }, (_, index) => addDays(first, index));
}
