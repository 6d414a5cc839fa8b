/** The texts of the screen “Device”: the lookup and its result, the export and the deletion of data. */
import type { ReactNode } from 'react';
import type { Explanation } from '@sluice/contracts';
import { counted } from './shared';

export const find = 'Find a device';
export const findHelp =
  'Device IDs are stored only as keyed hashes, so the ID must match exactly, and devices can’t be listed.';
export const findVerb = 'Find device';
export const deviceId = 'Device ID';
export const deviceIdHelp: ReactNode = (
  <>
    The value that the device sends as <code>X-Device-ID</code>.
  </>
);
export const loading = 'the device';

export const lastReport = 'Last report';
export const unknown = 'Sluice has no report from this device.';
export const unknownHelp = 'What to check:';
export const unknownReasons: readonly string[] = [
  'The ID must be exactly the one that the device sends, with the same upper-case and lower-case letters.',
  'Only reports are stored. A device that checks for updates and reports nothing is not listed here.',
  'The data of a device is deleted some time after its last report, and on request.',
  'The device may belong to another app.',
];
export const keyRejected = 'The API key of the device may be wrong, restricted or revoked.';
export const showKeys = 'Show the API keys and blocked requests';
export const time = 'Time';
export const notReported = 'Not reported';
export const native = 'Native version';
export const channelUnknown = 'Unknown, because reports name no channel';
export const apiKey = 'API key';
export const keyOf = (id: number): string => `Key ${id}`;
export const lastOutcome = 'Last download or install';
/** By the report and its status. */
export const outcomes: Readonly<Record<string, string>> = {
  'download/complete': 'Downloaded',
  'download/failed': 'Download failed',
  'install/complete': 'Installed',
  'install/failed': 'Installation failed',
  'install/rollback': 'Rolled back',
};

export const checkNow = 'What an update check returns now';
export const loadingCheck = 'the update check';
export const checkNowHelp =
  'With the values of the last report. Reports contain no fingerprint, no embedded version and no attributes, and the native version only if the client sends X-App-Version with them. Builds that depend on a value that is missing may be offered to the device or not.';

export const defaultChannel = 'The channel of the device is unknown, so this is the result for its default channel.';

export const reports = 'Reports of the device';
export const reported = 'Report';
export const active = 'Active';
/** After a report. */
export const inferred = '(inferred from an update check)';
export const error = 'Error';
export const someReports = (shown: number, all: number): string =>
  `Only ${shown.toLocaleString()} of ${all.toLocaleString()} are shown, not always the newest. Export data saves all of them.`;
export const reportsHelp =
  'Each distinct report once, with the time at which it was first received, newest first. The operator of the server sets how long reports are kept. Reports of active devices are kept for two days.';

export const lookup = 'Test an update check';
export const lookupHelp = 'Shows which build this device would get with other values, and why.';
export const askAsIf = 'Values of the update check';
export const bundleVersion = 'Version';
export const bundleVersionHelp = 'The build version that the device runs, for example 1.4.0.';
export const nativeVersion = 'Native version (optional)';
export const nativeVersionHelp = 'Some builds are for certain native versions only.';
export const fingerprint = 'Native fingerprint (optional)';
export const fingerprintHelp: ReactNode = (
  <>
    The value that the device sends as <code>X-Native-Fingerprint</code>.
  </>
);
export const embedded = 'Embedded version (optional)';
export const embeddedHelp = 'The version of the bundle inside the native app. The device gets newer builds only.';
export const attributes = 'Attributes (optional)';
export const attributesHelp = (names: readonly string[]): string =>
  `Values that the device sends about itself, written as ${names
    .slice(0, 2)
    .map((name) => `${name}=value`)
    .join('&')}.`;
export const platform = 'Platform';
export const unknownPlatform = 'Unknown';
export const channel = 'Channel';
export const check = 'Check';

export const result = 'Result';
export const outdated = 'The input has changed. Press Check for a new result.';
export const noUpdate = (version: string): string => `No update: the device stays on ${version}.`;
export const rollsBack =
  'No build is offered. The device returns to the bundle in its native app, if its client supports this.';
export const update = (version: string, id: number): string => `The device gets ${version} (build ${id}).`;
export const updateIf = (version: string, id: number, rule: ReactNode): ReactNode => (
  <>
    The native version is unknown. The device gets {version} (build {id}) only if its update checks send {rule}, or no
    native version.
  </>
);
export const minimumRule = (minimum: string): string => `native version ${minimum} or newer`;
export const rangeRule = (range: string): ReactNode => (
  <>
    a native version in <code>{range}</code>
  </>
);
export const dependsOnNative = (rule: ReactNode): ReactNode => (
  <>It depends on the native version, which is unknown: it requires {rule}, or none in the update check.</>
);
export const optional = 'The update is optional.';
export const mandatory = (skipped: readonly number[]): string =>
  skipped.length === 0
    ? 'The update is mandatory.'
    : `The update is mandatory because the device skips the mandatory ${skipped.length === 1 ? 'build with the ID' : 'builds with the IDs'} ${new Intl.ListFormat('en').format(skipped.map(String))}.`;
export const runs = (device: string, version: string, on: string, checks: string): ReactNode => (
  <>
    Device <code>{device}</code> runs {version} on {on} and checks for updates in the {checks} channel.
  </>
);
export const channelFrom: Readonly<Partial<Record<Explanation['channel_from'], string>>> = {
  self_assigned: 'The device has chosen this channel.',
  default: 'It is the default channel of the app for this platform.',
};
export const noNative =
  'Its native version is unknown. The result is that of an update check without a native version.';
export const nativeIs = (version: string): string => `Its native version is ${version}.`;
export const noNewer = (version: string): string => `The channel has no build newer than ${version}.`;
export const newer = (count: number, isMore: boolean): string =>
  `The channel has ${isMore ? 'at least ' : ''}${counted(count, 'newer build', 'newer builds')}. Sluice offers the newest one that matches the device, if any:`;
export const offered = 'Offered';
export const notOffered = 'Not offered';
export const toEvery = 'It matches the device, and its rollout includes every device.';
const fixedPosition = (ring: Explanation['newer'][number]['ring']): string =>
  ring === 'stable'
    ? 'A device has the same rollout position, from 0% to 100%, for all builds of the app with a stable ring.'
    : 'A device has a fixed rollout position, from 0% to 100%, for each build.';
export const inRollout = (percentage: number, position: string, ring: Explanation['newer'][number]['ring']): string =>
  `It matches the device, and its rollout of ${percentage}% includes this device. ${fixedPosition(ring)} The position of this one is ${position}%.`;
export const pinned = 'It matches the device, and the device is pinned to it.';
export const inState = (state: string): string =>
  `It is ${state}. Only live builds and builds that are rolling out are offered.`;
export const otherPlatform = (ofApp: string, ofDevice: string): string =>
  `The app is for ${ofApp}, and the device runs ${ofDevice}.`;
export const needsNative = (minimum: string, ofDevice: string): string =>
  `It requires native version ${minimum} or newer. The device has ${ofDevice}.`;
export const needsRange = (range: string, ofDevice: string): ReactNode => (
  <>
    It requires a native version in <code>{range}</code>. The device has {ofDevice}.
  </>
);
export const encrypted = 'It is encrypted, and only clients of Capgo can decrypt it.';
export const needsFingerprint = (fingerprint: string, ofDevice: string | null): ReactNode => (
  <>
    It requires the native fingerprint <code>{fingerprint}</code>. The device has{' '}
    {ofDevice === null ? 'none' : <code>{ofDevice}</code>}.
  </>
);
export const forPlatform = (ofBuild: string, ofDevice: string): string =>
  `It is for ${ofBuild}, and the device runs ${ofDevice}.`;
export const notAboveEmbedded = (embedded: string): string =>
  `It is not newer than ${embedded}, the bundle inside the native app.`;
export const nativeUpdate = (minimum: string): string =>
  `A native app of version ${minimum} or newer would get a newer build. The response of the update check says so.`;
export const atZero = 'Its rollout is at 0%, so only pinned devices get it.';
export const halted = 'Its rollout is halted, so no device gets it.';
export const outsideRollout = (
  percentage: number,
  position: string,
  ring: Explanation['newer'][number]['ring'],
): string =>
  `Its rollout is at ${percentage}% and does not include this device yet. ${fixedPosition(ring)} The position of this one is ${position}%, so it gets the build when the rollout is above that.`;
export const recalled = (reason: string | null): string =>
  reason === null ? 'It is recalled.' : `It is recalled: ${reason}`;
export const recallOnly = 'It was republished for a recall. Only devices that run the recalled version get it.';
export const replaces = (recalled: string): string => `It replaces ${recalled}, which is recalled.`;
/** `named`: the target, if it is a build. */
export const versionRecalled = (
  version: string,
  target: NonNullable<Explanation['recalled']>['target'],
  named: string,
): string =>
  `${version} is recalled. ${
    target === 'embedded'
      ? 'If no newer build is offered, the device returns to the bundle in its native app, if its client supports this.'
      : target === 'none'
        ? 'The device keeps it until a newer build is offered.'
        : `If no other newer build is offered, the device gets ${named}, republished under a higher version, if it can run it.`
  }`;
export const rolledBack =
  'The device rolled it back, so it is not offered it again. “Offer again” on the page of the build changes that.';
export const newerOffered = 'A newer build is offered instead.';
export const pinnedInVain = 'The device is pinned to it, but the pin does not change this.';

export const pinTitle = 'Pins and groups';
export const pinHelp =
  'A device that is pinned to a build is offered it whatever its rollout percentage and audience. One that is pinned in a channel is in the audience of the channel. Its ID is stored only as a keyed hash.';
export const pinTo = 'Pin to';
export const aBuild = 'A build';
export const theChannel = (channelName: string): string => `Channel ${channelName}`;
export const pinBuild = 'Number of the build';
export const pinBuildHelp = '“Releases” and “Builds” show it, for example 4 for build 4.';
export const pinFor = 'Valid for';
export const pinDays: readonly (readonly [string, string])[] = [
  ['1', '1 day'],
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', '365 days'],
];
export const pinVerb = 'Pin device';
export const pinnedTo = (build: number): string => `The device is pinned to build ${build}.`;
export const pinsOf = 'Pins of the device';
export const groupsOf = (groups: readonly string[]): string =>
  groups.length === 0
    ? 'The device is in no group.'
    : `Groups of the device: ${new Intl.ListFormat('en').format(groups)}.`;
export const noPins = 'The device is not pinned.';
export const pinnedIn = (channelName: string): string => `The device is pinned in ${channelName}.`;
export const pinnedInUntil = (channelName: string): string => `Pinned in ${channelName} until`;
export const unpinFrom = (channelName: string): string => `Unpin from ${channelName}`;
export const pinnedUntil = (build: string): string => `Pinned to ${build} until`;
export const unpin = (build: number): string => `Unpin from build ${build}`;

export const dataTitle = 'Data of the device';
export const exportHelp =
  'Saves all data of a device as JSON: its last reported state, its pins and its reports. Daily totals are not included because they contain no device IDs.';
export const exportData = 'Export data';
export const noData = 'No data is stored for this device.';
export const exported = (count: number): string => `${counted(count, 'report', 'reports')} exported.`;

export const deleteHelp =
  'Deletes all data of a device, for example when its user requests it. Daily totals are kept because they contain no device IDs.';
export const deleteData = 'Delete data…';
export const confirmDelete = 'Delete the data of this device?';
export const deletePermanently = 'Delete permanently';
export const deleteEffect = (id: string): ReactNode => (
  <>
    All reports of <code>{id}</code>, its last state, its pins and its places in groups are deleted. You can’t undo
    this.
  </>
);
export const deleted = (count: number): string => `${counted(count, 'report', 'reports')} deleted.`;
