/** The texts of the screen “Releases”: channels, builds with their menus, and the first steps of an app. */
import type { DevicePlatform } from '@sluice/contracts';
import type { ReactNode } from 'react';
import { type AudienceWords, pinnedDevices, pinnedOnlyWords } from './audience';
import { counted } from './shared';

export const dropHelp =
  'Drop a zip onto a channel to upload it. Drag a build to another channel to promote it, or use its menu.';

export const boardAt = 'Show the releases as of';
export const now = 'Now';
export const backToNow = 'Back to now';
export const boardAsOf = (time: string): string =>
  `The active builds at ${time}, in the channels that exist now. Nothing can be changed here.`;

export const firstSteps = 'First steps';
export const uploadStep = (
  <>
    Upload a build: a zip of your app’s web files<span className="by-mouse">, dropped onto a channel below</span>.
  </>
);
export const uploadFirst = 'Upload a build…';
export const keyStep = 'Create an API key and add it to your app. Devices need it for update checks.';
export const createKey = 'Create an API key';
export const newKey = 'New API key';
export const theKey = 'the key';
/** `keys`: a link to the API keys. */
export const checkStep = (channel: string, keys: ReactNode): ReactNode => (
  <>
    Send an update check for the {channel} channel
    {keys !== undefined && <>, with your key from {keys}</>}:
  </>
);
export const apiKeys = 'API keys';
export const theCommand = 'the command';
export const received = (time: ReactNode): ReactNode => <>First update check received {time}.</>;
const askers: Readonly<Record<DevicePlatform, string>> = {
  ios: 'A device on iOS',
  android: 'A device on Android',
  web: 'A web page',
  all: 'A device',
};
/** `version`: null if it got no update. */
export const firstGot = (platform: DevicePlatform, time: string, version: string | null): string =>
  `${askers[platform]} asked at ${time} and got ${version ?? 'no update. Its channel may have no newer build than the one that it runs'}.`;
export const waiting = 'Waiting for the first update check…';
export const notReceived = 'The first update check is shown here when it arrives.';
export const done = 'Done';

export const upload = 'Upload';
export const uploadTo = (channel: string): string => `Upload a build to ${channel}`;
export const loadingActive = 'the active builds';
export const othersKeep = 'All other devices keep their version.';
export const allKeep = 'Devices keep their version.';
/** `lowest`: the version that serves every device which no newer one serves. */
export const olderBuilds = (count: number, lowest: string): string =>
  `${counted(count, 'older active build', 'older active builds')}. Devices get ${count === 1 ? 'it' : 'them'} only while ${lowest} is stopped.`;
export const allBuilds = (channel: string): string => `All ${channel} builds`;
export const noBuild = 'No build yet';
export const noneServed = 'No active build';
export const firstChecked = 'The first build is being checked. Devices get it when it is ready.';
export const resumeOrUpload = 'Resume a paused build, or upload a newer one.';
export const firstInProduction = (
  <>
    <span className="by-mouse">Drop a zip here, or press</span>
    <span className="by-touch">Press</span> Upload, or promote a build that you tested in staging.
  </>
);
export const firstElsewhere = (
  <>
    <span className="by-mouse">Drop a zip here, or press</span>
    <span className="by-touch">Press</span> Upload. Devices that check this channel get the build.
  </>
);
export const dropZip = (channel: string): string => `Drop the zip to upload it to ${channel}`;
export const dropBuild = (version: string, channel: string): string => `Drop ${version} to promote it to ${channel}`;
export const alreadyThere = (version: string, channel: string): string => `${version} is already in ${channel}`;

export const mandatory = 'Mandatory';
export const number = (id: number): string => `Build ${id}`;
export const notServed = 'No device gets it.';
export const reachHalted = 'Rollout halted: no more devices get it';
export const reachNone = 'At 0%, no device gets it';
export const reachPinned = (pins: number): string =>
  `At 0%, only ${pinnedDevices(pins)} ${pins === 1 ? 'gets' : 'get'} it`;
/** `isFirst`: no newer build serves any of the devices. */
export const reach = (
  percentage: number,
  isFirst: boolean,
  { devices, limits, pinnedOnly }: AudienceWords,
  pins: number,
): string => {
  if (pinnedOnly) return `Offered to ${pinnedOnlyWords(pins)}`;
  const whole = isFirst ? `all ${devices} with an older version` : `all other ${devices} with an older version`;
  const share = `${percentage}% of ${isFirst ? '' : 'the other '}${devices}`;
  const pinned = pins === 0 ? '' : `; also to ${pinnedDevices(pins)}`;
  return `Offered to ${[percentage === 100 ? whole : share, ...limits].join(', ')}${pinned}`;
};

export const actionsFor = (build: string): string => `Actions for ${build}`;
export const uploading = 'The upload is not complete.';
export const processing = 'The check is not complete.';
export const failed = 'Its check failed, so devices can’t get it.';
export const promote = 'Promote…';
export const changeRollout = 'Change rollout…';
export const resumeAtZero = 'At 0%, no device gets it. Increase its rollout.';
export const resumeHelp = (percentage: number): string => `Devices get it again, with a rollout of ${percentage}%.`;
export const haltRollout = 'Halt rollout';
export const haltHelp =
  'No more devices get it until you resume the rollout at the same percentage. It stays active, so the next version must be higher.';
export const haltAtZero = 'It is at 0%, so no device gets it.';
export const resumeRollout = 'Resume rollout';
export const resumeBuild = 'Resume build';
export const pause = 'Pause build';
export const pauseHelp =
  'Takes it out of the channel until you resume it. It is no longer active, so the next version may be lower.';
export const edit = 'Edit…';
export const archive = 'Archive';
export const archiveHelp = 'As Pause, and no longer shown under “Releases”. “Builds” still lists it.';
export const archiveUnready = 'Archive…';
export const notUndoable = 'You can’t undo this.';
export const alreadyArchived = 'It is already archived.';
export const deleteBuild = 'Delete…';

export const halted = (build: string): string => `${build} halted.`;
export const paused = (build: string): string => `${build} paused.`;
export const archived = (build: string): string => `${build} archived.`;
export const resumed = (build: string): string => `${build} resumed.`;
export const notDone = (build: string, reason: string): string => `${build}: ${reason}`;
