/** The texts of the screen “Adoption”: active devices, failures and rollbacks. */
import { counted } from './shared';

export const period = 'Period';
export const last7 = 'Last 7 days';
export const last30 = 'Last 30 days';
export const last90 = 'Last 90 days';
export const lastYear = 'Last year';
export const otherDays = 'Other days…';
export const from = 'From';
export const to = 'To';
export const show = 'Show';

export const activeDevices = 'Active devices by version';
export const activeByDay = 'Active devices by version and day';
export const activeUnit = (count: number): string => counted(count, 'active device', 'active devices');
export const loading = 'the reports';
export const noData = 'No data for this period';
export const noDataHelp = 'Devices report their version once a day, with an API key of this app.';
export const others = 'Other versions';
export const nativeVersion = (version: string | null): string =>
  version === null ? 'Other native versions' : `Native version ${version}`;
export const platformsOn = (day: string): string => `Platforms and native versions on ${day} (UTC)`;
export const platform = 'Platform or native version';
export const devices = 'Devices';

export const failures = 'Failures and rollbacks';
export const failuresByDay = 'Failures and rollbacks by day';
export const failuresUnit = (count: number): string => counted(count, 'failure or rollback', 'failures and rollbacks');
export const noFailures = 'No failures or rollbacks were reported in this period.';
export const channel = 'Channel';
export const loadingBuilds = 'the builds';
export const noBuild = (channelName: string): string => `No build in ${channelName} yet`;
export const noBuildHelp = 'Upload a build, or promote one to this channel.';
export const byBuild = 'Reports by build';
export const byBuildHelp =
  'Reports from the selected period, for the newest builds in this channel. To see the errors that devices reported, open a build.';
export const version = 'Version';

/** Describes a chart to people who don’t see it. `counts`: such as `1.0.0: 3, 1.1.0: 5`. */
export const summary = (first: string, last: string, day: string, total: string | undefined, counts: string): string =>
  `From ${first} to ${last}. On ${day}: ${total === undefined ? '' : `${total} in total. `}${counts}.`;
export const countOf = (series: string, count: number): string => `${series}: ${count}`;
export const dayOf = (chart: string): string => `Day of the chart: ${chart}`;
export const countsOn = (day: string, counts: string): string => `${day}: ${counts}`;
export const totalOn = (day: string, total: string): string => `On ${day}: ${total}`;
export const percent = (share: number): string => `(${share}%)`;
export const totalsHelp =
  'Each column shows the devices that were active on that day. Each device counts once a day, for the last version that it reported.';
export const showChart = 'Show as chart';
export const showTable = 'Show as table';
export const day = 'Day (UTC)';
