/** Words that several screens share. */
import type { Build, BuildStatus } from '@sluice/contracts';

export const counted = (count: number, one: string, many: string): string =>
  `${count.toLocaleString()} ${count === 1 ? one : many}`;

export const yesOrNo = (is: boolean): string => (is ? 'yes' : 'no');

/** Of an app and of a device. */
export const platforms = {
  both: 'iOS and Android',
  ios: 'iOS',
  android: 'Android',
  web: 'Web',
  all: 'any platform',
} as const;

/** Which native apps can run a build, in a few words each. A server of an earlier release returns the first member alone. */
export const nativeWords = ({
  min_native_version: minimum,
  native_range: range,
  fingerprint,
  platform = 'all',
}: Pick<Build, 'min_native_version'> & Partial<Pick<Build, 'native_range' | 'fingerprint' | 'platform'>>): string[] => [
  ...(platform === 'all' ? [] : [`${platforms[platform]} only`]),
  ...(typeof minimum === 'string' ? [`native version ${minimum} or newer`] : []),
  ...(typeof range === 'string' ? [`native version ${range}`] : []),
  ...(typeof fingerprint === 'string' ? [`fingerprint ${fingerprint}`] : []),
];

/** The state as the command line shows it, for example `rolling out 20%`. */
export const state = ({ state: name, rollout_percentage: percentage }: Pick<Build, 'state' | 'rollout_percentage'>) =>
  name === 'rolling_out' ? `rolling out ${percentage ?? 100}%` : name;

/** What each state means. */
export const stateMeanings: Readonly<Record<Build['state'], string>> = {
  processing: 'The server checks the bundle. No device gets it yet.',
  live: 'Offered to every device that it fits, unless a newer build is offered instead.',
  rolling_out: 'Offered to a percentage of the devices that it fits, unless a newer build is offered instead.',
  stopped: 'Halted, at 0% or paused. No more devices get it.',
  failed: 'The check failed. No device gets it.',
  archived: 'No more devices get it.',
};

/** Of the filter by status, which is coarser than the state. */
export const statuses: Readonly<Partial<Record<BuildStatus, string>>> = {
  active: 'Active: live, rolling out, halted or at 0%',
  paused: 'Paused or recalled',
  processing: 'Processing',
  failed: 'Failed',
  archived: 'Archived',
};

/** A build, such as `1.4.0 in staging`. */
export const build = ({ version, channel }: Pick<Build, 'version' | 'channel'>): string => `${version} in ${channel}`;
export const buildId = (id: number): string => `build ${id}`;
/** Such as `1.4.0 (build 7)`. */
export const versionOf = (version: string | undefined, id: number): string =>
  version === undefined ? buildId(id) : `${version} (${buildId(id)})`;

// What devices reported of a build.
export const offered = 'Offered (approx.)';
export const downloads = 'Downloads';
export const failedDownloads = 'Failed downloads';
export const installs = 'Installs';
export const failedInstalls = 'Failed installs';
export const rollbacks = 'Rollbacks';
