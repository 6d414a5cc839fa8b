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
export const failureRate = 'Failure rate';
export const channel = 'Channel';
export const loadingBuilds = 'the builds';
export const noBuild = (channelName: string): string => `No build in ${channelName} yet`;
export const noBuildHelp = 'Upload a build, or promote one to this channel.';
export const byBuild = 'Reports by build';
export const byBuildHelp =
  'Reports from the selected period, for the newest builds in the selected channel. The failure rate covers the time since a build was created, as on Releases. It is the share of the devices that tried the build on which it failed or was rolled back. To see the errors that devices reported, open a build.';
export const version = 'Version';

/** Describes a chart to people who don’t see it. `counts`: such as `1.0.0: 3, 1.1.0: 5`. */
export const summary = (first: string, last: string, day: string, total: string, counts: string): string =>
  `From ${first} to ${last}. On ${day}: ${total} in total. ${counts}.`;
export const countOf = (series: string, count: number): string => `${series}: ${count}`;
export const countAndShare = (count: string, share: string): string => `${count} (${share})`;
export const dayOf = (chart: string): string => `Day of the chart: ${chart}`;
export const releasedHere = (versions: readonly string[]): string =>
  `Released: ${new Intl.ListFormat('en').format(versions)}`;
export const countsOn = (day: string, counts: string, released: readonly string[]): string =>
  `${day}: ${counts}${released.length === 0 ? '' : `. ${releasedHere(released)}`}`;
export const totalOn = (day: string, total: string): string => `On ${day}: ${total}`;
export const percentage = (share: number): string => `${share}%`;
export const totalsHelp =
  'Each device counts once a day, for the last version that it reported. A dashed line marks the day on which a build became active in the selected channel.';
export const view = 'View';
export const byCount = 'Number of devices';
export const byShare = 'Share of devices (100%)';
export const asTable = 'Table';
export const downloadCsv = 'Download CSV';
export const day = 'Day (UTC)';

export const releases = (channelName: string): string => `Releases in ${channelName}`;
export const noReleases = 'No build became active in this channel in the selected period.';
export const released = 'Released';
export const timeTo = (share: number): string => `Time to ${share}%`;
/** `isOver`: the period ended before today. */
export const daysAfter = (days: number | undefined, isOver: boolean): string =>
  days === undefined
    ? isOver
      ? 'Not in this period'
      : 'Not yet'
    : days === 0
      ? 'The same day'
      : counted(days, 'day', 'days');
export const reachedBy = 'Devices on it or newer';
export const releasesHelp =
  'Time to 50% and 90%: the days from the release to the first day on which that share of the active devices ran the version or a newer one. Devices of all channels count, because reports name no channel.';
