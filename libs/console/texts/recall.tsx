/** The texts of recalls: the dialog, the menu, and what is shown of a recalled build and of the one that replaces it. */
import type { ReactNode } from 'react';
import { counted } from './shared';

const devices = (count: number): string => counted(count, 'device', 'devices');

export const recall = 'Recall…';
export const recallHelp = 'Stops offering it, and gives the devices that run it another version.';
export const unrecall = 'Unrecall…';
export const unrecallHelp = 'Ends the recall. The build stays paused.';
export const isRecalled = 'It is recalled. Unrecall it first.';
export const isReplacement = (recalled: number): string => `It replaces the recalled build ${recalled}.`;

export const recalledState = 'Recalled';
export const replacementState = 'Replacement';
export const recalledMeaning = 'No device gets it. Devices that run it get another version.';
export const replacementMeaning = 'Only devices that run the recalled version get it.';
export const withdrawn = 'Republished for a recall that no longer needs it. No device gets it.';
export const replacementFor = (recalled: number): string => `For devices of the recalled build ${recalled}`;
/** `source`: the version that is republished, if its build still exists. */
export const republished = (source: string | null, recalled: string, id: number, why: string): string =>
  `${source ?? 'An older build'} republished, because ${recalled} (build ${id}) is recalled: ${why}`;
export const onlyFor = (version: string): string => `Only devices that run ${version} get it, as a mandatory update.`;
export const getReplacement = (replacement: string, source: string | null): string =>
  `Devices that run it get ${replacement}, which is ${source === null ? 'an older build' : source} republished.`;
export const getEmbedded =
  'Devices that run it return to the bundle in their native app, if their client supports this.';
export const keep = 'Devices that run it keep it until a newer build is live.';
/** `left`: still on the recalled version; `moved`: on the replacement. */
export const progress = (left: number, moved: number, version: string, replacement: string | null): string => {
  if (left + moved === 0) return `No device last reported ${version}.`;
  const still = `${devices(left)} last reported ${version}.`;
  if (replacement === null) return still;
  if (left === 0)
    return `No device last reported ${version}. ${devices(moved)} now ${moved === 1 ? 'runs' : 'run'} ${replacement}; devices that got a newer build since are not counted.`;
  return `${moved.toLocaleString()} of ${devices(left + moved)} now run ${replacement}. ${still}`;
};

/** What happens to whom, in one line. `target`: null if devices keep it. */
export const goBack = (count: number, version: string, target: string | null): string => {
  const which = `${devices(count)} on ${version}`;
  if (target === null) return `${which} ${count === 1 ? 'keeps' : 'keep'} it.`;
  return `${which} ${count === 1 ? 'goes' : 'go'} back to ${target}.`;
};
export const nativeBundle = 'the bundle in the native app';
export const recallTitle = (build: string): string => `Recall ${build}?`;
export const loading = 'what the recall does';
export const run = (count: number, version: string): string =>
  count === 0 ? `No device has reported version ${version}.` : `${devices(count)} last reported version ${version}.`;
export const getsBuild = (target: string, replacement: string): string =>
  `At their next update check, these devices get ${target} as a mandatory update. ${target} is published again as version ${replacement}, because devices install higher versions only.`;
export const getsEmbedded =
  'At their next update check, the response asks these devices to return to the bundle in their native app. Clients that can’t do this keep the version.';
export const getsNothing = 'These devices keep the version until a newer build is live.';
export const fromNowOn = 'From now on, no device is offered this build.';
export const reason = 'Reason';
export const reasonHelp = 'What is wrong with the build, for your team. The reason is not sent to devices.';
export const target = 'Devices that run it get';
export const older = (version: string): string => `${version}, the newest older build`;
export const olderHelp = 'The newest older build that every device of this one can run.';
export const noOlder = 'No older build can run on every device that can run this one.';
export const embedded = 'The bundle in their native app';
export const nothing = 'No update';
export const everywhere = (channels: string): string => `Also recall the same bundle in ${channels}`;
export const verb = 'Recall';
export const recalled = (build: string): string => `${build} recalled.`;

export const unrecallTitle = (build: string): string => `Unrecall ${build}?`;
export const unrecallEffect =
  'The recall ends and the build stays paused. Devices that got another version keep it. Resume the build to offer it again.';
export const unrecallVerb = 'Unrecall';
export const unrecalled = (build: string): string => `${build} unrecalled.`;

export const section = 'Recall';
export const loadingProgress = 'the recall';
/** Heads the section on the page of the build that replaces the recalled one. */
export const replaces = (recalled: ReactNode): ReactNode => <>This build replaces {recalled}, which is recalled.</>;
export const since = 'Recalled';
export const devicesGet = (version: string): string => `Devices that run ${version} get`;
export const version = (version: string, source: ReactNode): ReactNode => (
  <>
    version {version}, which is {source} republished
  </>
);
export const newerFirst = 'If a newer build is live for a device, the device gets that build instead.';
export const alsoRecalled = 'Also recalled';
export const alsoIn = 'Same bundle, not recalled';
export const ofDeleted = 'The build was deleted. Its recall is still in force.';
export const inForceBelow = (count: number): string =>
  `${counted(count, 'recalled build', 'recalled builds')}. A newer build is offered to the devices that run ${count === 1 ? 'it' : 'them'}.`;
