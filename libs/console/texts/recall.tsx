/** The texts of recalls: the dialog, the menu, and the section of the build page. */
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
export const replacementState = 'For a recall';
export const onlyFor = (recalled: number): string => `Only for devices that run the recalled build ${recalled}`;

export const recallTitle = (build: string): string => `Recall ${build}?`;
export const loading = 'what the recall does';
export const run = (count: number, version: string): string =>
  count === 0 ? `No device has reported version ${version}.` : `${devices(count)} last reported version ${version}.`;
export const getsBuild = (target: string, replacement: string): string =>
  `At their next update check, these devices get ${target} as a mandatory update. It is published again as version ${replacement}, because devices install higher versions only.`;
export const getsEmbedded =
  'At their next update check, the response asks these devices to return to the bundle in their native app. Clients that can’t do this keep the version.';
export const getsNothing = 'These devices keep the version until a newer build is live.';
export const fromNowOn = 'No device is offered the build any more.';
export const reason = 'Reason';
export const reasonHelp = 'What is wrong with the build. The history shows it.';
export const target = 'These devices get';
export const older = (version: string): string => `Version ${version}, the newest build below it`;
export const embedded = 'The bundle in their native app';
export const nothing = 'Nothing';
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
export const since = 'Recalled';
export const devicesGet = 'Devices get';
export const version = (version: string, source: ReactNode): ReactNode => (
  <>
    version {version}, which is {source}
  </>
);
export const stillRun = 'Still report it';
export const moved = 'Report the replacement';
export const progress = (share: number): string => `${share}% of these devices have the replacement`;
