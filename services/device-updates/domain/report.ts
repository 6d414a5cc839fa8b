/** What a device told of itself. */
export type Report =
  | { readonly kind: 'active'; readonly version: string }
  | { readonly kind: 'download'; readonly buildId: number; readonly status: 'complete' | 'failed' }
  | { readonly kind: 'install'; readonly buildId: number; readonly status: 'complete' | 'failed' | 'rollback' };

/** What is counted of a build from the reports of devices. */
export type ReportedOutcome = 'downloads' | 'download_failures' | 'installs' | 'install_failures' | 'rollbacks';

const OUTCOMES = {
  'download/complete': 'downloads',
  'download/failed': 'download_failures',
  'install/complete': 'installs',
  'install/failed': 'install_failures',
  'install/rollback': 'rollbacks',
} as const satisfies Record<string, ReportedOutcome>;

/** The metric of an app under which a report counts. */
export function metricOf(report: Report): string {
  switch (report.kind) {
    case 'active':
      return `version/${report.version}`;
    case 'download':
      return `build/${report.buildId}/${OUTCOMES[`${report.kind}/${report.status}`]}`;
    case 'install':
      return `build/${report.buildId}/${OUTCOMES[`${report.kind}/${report.status}`]}`;
  }
}

/** The UTC day of a time, `2026-01-31`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
