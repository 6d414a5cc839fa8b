/** What a device told of itself. */
export type Report =
  | { readonly kind: 'active'; readonly version: string }
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
      return versionMetric(report.version);
    case 'download':
      return buildMetric(report.buildId, OUTCOMES.download[report.status]);
    case 'install':
      return buildMetric(report.buildId, OUTCOMES.install[report.status]);
  }
}

/** Begins the metrics of versions, and of no other thing. */
export const VERSIONS = 'version/';
/** In place of a version: all versions but the most frequent of a closed day. */
export const OTHER_VERSIONS = 'other';
/** Begins the metrics of builds, and of no other thing. */
export const BUILDS = 'build/';

/** A range of metrics that begin with one of these. */
export function beginningWith(prefix: string): { readonly gte: string; readonly lt: string } {
  const last = prefix.charCodeAt(prefix.length - 1);
  return { gte: prefix, lt: `${prefix.slice(0, -1)}${String.fromCharCode(last + 1)}` };
}

export function versionMetric(version: string): string {
  return `${VERSIONS}${version}`;
}

export function buildMetric(buildId: number, outcome: (typeof REPORTED)[number]): string {
  return `${BUILDS}${buildId}/${outcome}`;
}

/** How often checks were offered a build. */
export function offersMetric(buildId: number): string {
  return `${BUILDS}${buildId}/offers`;
}

/** How often checks came to a channel. */
export function checksMetric(channel: string): string {
  return `channel/${channel}/checks`;
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
