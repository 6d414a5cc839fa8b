/** The texts of the dialogs that upload, promote, roll out, edit, archive or delete a build. */
import type { ReactNode } from 'react';
import { counted } from './shared';

export const channel = 'Channel';
export const version = 'Version';
export const save = 'Save';
export const rollout = 'Rollout';
export const percentage = 'Rollout percentage';
export const percentSign = '%';
export const percent = (share: number): string => `${share}%`;
export const wholeNumber = (min: number): string => `Enter a whole number from ${min} to 100.`;
export const mandatory = 'Mandatory';
export const mandatoryHelp = 'Users must install it before they continue.';
export const releaseNotes = 'Release notes (optional)';
export const releaseNotesHelp = 'Sent to devices with the update.';
export const minNative = 'Minimum native version (optional)';
export const minNativeExample = '2.1';
export const minNativeHelp =
  'Devices with an older native app don’t get this build. Devices that don’t send their native version do.';

export const nativeRange = 'Native versions (optional)';
export const nativeRangeExample = '>=2.1.0 <3.0.0';
export const nativeRangeHelp =
  'A semver range, in place of the minimum. Devices with another native version don’t get this build. Those with an older one learn which version they need.';
export const fingerprint = 'Native fingerprint (optional)';
export const fingerprintHelp: ReactNode = (
  <>
    Only devices that send exactly this value as <code>X-Native-Fingerprint</code> get this build.
  </>
);
export const platform = 'Platform';
export const platformHelp = 'Only devices of this platform get this build. You can’t change it later.';
export const anyPlatform = 'All';

export const retry = 'Offer again';
export const retryTitle = (build: string): string => `Offer ${build} again?`;
export const retryEffect = 'Devices that rolled the build back are offered it again. You can’t undo this.';
export const retried = (build: string): string => `${build} is offered again.`;

export const upload = 'Upload';
export const loadingVersions = 'the versions of the channel';
export const versionHelp = 'Three numbers, for example 1.4.0.';
export const versionAbove = (channelName: string, newest: string): string =>
  `Must be higher than every active version in ${channelName}. The newest build there is ${newest}.`;
export const planTemplate = 'Rollout plan';
export const noPlan = 'None, only a percentage';
export const defaultOf = (channelName: string): string => `The default of the app for ${channelName}.`;
export const planLater = 'To raise it step by step, choose “Rollout plan…” in the menu of the build later.';
export const rolloutHelp = 'Percentage of devices that get the build when it is ready.';
export const more = 'Audience, native compatibility and signature';
export const signature = 'Signature (optional)';
export const signatureHelp =
  'RSA-SHA256 signature of the zip, in Base64. Without one, the server signs the build if the app has a signing key.';
export const effectLater = 'The effect on devices is shown here when the version is valid.';
export const bundle = 'Bundle';
export const chooseZip = 'Choose a zip';
export const chooseOther = 'Choose another';
export const orDrop = 'or drop it here';
export const noStartPage = 'This zip has no index.html. An app that starts with it shows a blank screen.';
export const startPageIn = (folder: string): string =>
  `The index.html of this zip is in the folder ${folder}. An app that expects it at the top level shows a blank screen. Zip the contents of the folder, not the folder.`;

export const coming = (name: string, channelName: string): string => `${name} to ${channelName}`;
export const sending = (what: string): string => `Sending ${what}`;
export const storing = (what: string): string => `${what} sent. The server is storing it…`;
export const sentOf = (sent: string, size: string): string => `${sent} of ${size}`;
export const secondsLeft = (seconds: number): string => `, about ${counted(seconds, 'second', 'seconds')} left`;
export const minutesLeft = (minutes: number): string => `, about ${counted(minutes, 'minute', 'minutes')} left`;
export const cancelUpload = 'Cancel the upload';
export const uploadCancelled = 'Upload cancelled. Nothing was stored.';

const uploaded = (name: string, id: number, what: string): ReactNode => (
  <>
    <strong>{name}</strong> (build {id}) {what}
  </>
);
export const isReady = (name: string, id: number, channelName: string): ReactNode =>
  uploaded(name, id, `is ready. Devices in the rollout get it at their next update check in ${channelName}.`);
export const isRejected = (name: string, id: number, channelName: string): ReactNode =>
  uploaded(name, id, `failed its check. Nothing changes for devices in ${channelName}.`);
export const isChecked = (name: string, id: number, channelName: string): ReactNode =>
  uploaded(
    name,
    id,
    `is uploaded. The server checks it, and signs it if the app has a signing key. After that, devices in the rollout get it in ${channelName}. You can close this dialog.`,
  );
export const viewBuild = 'View build';
export const close = 'Close';

export const promoteTitle = (name: string, from: string): string => `Promote ${name} from ${from}`;
export const promoteTo = (channelName: string): string => `Promote to ${channelName}`;
export const promoted = (name: string, channelName: string): string => `${name} promoted to ${channelName}.`;
export const loadingChannels = 'the channels';
export const targetChannel = 'Target channel';
export const shareHelp = 'Percentage of devices that get the build.';
export const startSmall = 'All devices get the build. To be careful, start with a small percentage.';
/** `version`: the promoted one; `head`: the one that is being rolled out in the target channel. */
export const sameShare = (version: string, head: string, share: number, channelName: string): string =>
  `In ${channelName}, ${head} is rolled out to ${share}% of devices. ${version} also starts with ${share}% in ${channelName}.`;

export const rolloutTitle = (build: string): string => `Rollout of ${build}`;
export const apply = 'Apply';
export const rolloutHalted = 'Rollout halted';
export const haltedHelp =
  'While it is halted, no more devices get the build. It keeps its percentage and stays active.';
export const rolloutChanged = (build: string, share: number): string => `The rollout of ${build} is now at ${share}%.`;
export const halted = (build: string): string => `${build} halted.`;
export const willHalt =
  'The rollout is halted. Devices that run this build keep it. Other devices get the next older build, if there is one. The build stays active, so the next version must be higher. To upload a lower version, pause the build instead.';
export const willBeZero = 'At 0%, no device gets it. Devices that run it keep it.';
export const willGrow = (from: number, to: number): string =>
  `From ${from}% to ${to}% of devices. Devices that are already included stay included.`;
export const willShrink = (from: number, to: number): string =>
  `From ${from}% to ${to}% of devices. Devices that already run it keep it.`;
export const willResume = (share: number): string => `${share}% of devices get it again.`;
export const willStay = 'Nothing changes.';

export const editTitle = (build: string): string => `Edit ${build}`;
export const saved = (build: string): string => `${build} saved.`;

export const archive = 'Archive';
export const archiveTitle = (build: string): string => `Archive ${build}?`;
export const archiveFailed =
  'It stays in the list as an archived build, which keeps its version: you can use that version again only after you delete this build.';
export const archiveUnready = 'Its check is cancelled, and devices can never get it.';
export const archived = (build: string): string => `${build} archived.`;
export const deletePermanently = 'Delete permanently';
export const deleteTitle = (build: string): string => `Delete ${build}?`;
export const deleteEffect = (recalled: boolean): string =>
  `You can’t undo this. Devices can no longer download it. ${
    recalled ? 'Its version stays taken until its recall ends.' : 'You can use its version again.'
  } Builds promoted from it keep working. Its history is kept.`;
export const deleted = (build: string): string => `${build} deleted.`;

export const status = 'State';
export const recalled = 'Recalled';
export const minNativeName = 'Minimum native version';
export const nativeRangeName = 'Native versions';
export const fingerprintName = 'Native fingerprint';
export const releaseNotesName = 'Release notes';
export const none = 'none';
export const quoted = (text: string): string => `“${text}”`;

export const effect = 'Effect on devices';
export const effectIn = (channelName: string): string => `What happens in ${channelName}`;
export const loadingActive = 'the active builds';
export const versionInUse = (build: string, id: number, state: string): string =>
  `${build} already exists (build ${id}, ${state}). You can use the version again after you delete that build.`;
export const versionRecalled = (build: string): string =>
  `${build} is recalled, so its version stays in use, even if you delete that build. Choose a higher version.`;
export const versionOfReplacement = (build: string): string =>
  `${build} is an older build, republished for a recall. Choose a higher version.`;
export const notHigher = (channelName: string, head: string): string =>
  `Must be higher than ${head}, the newest active version in ${channelName}.`;
export const noneAtZero = (name: string): string => `At 0%, no device gets ${name} until you increase its rollout.`;
export const noneBehind = (name: string, head: string): string =>
  `No device gets ${name}, because ${head} is newer and serves all devices.`;
const eitherOf = (versions: readonly string[]): string =>
  new Intl.ListFormat('en', { type: 'disjunction' }).format(versions);
/** `newer`: versions that serve some of the devices first; `older`: versions that the devices get now. */
export const whoGets = (
  name: string,
  share: number,
  { newer, older, limits }: { newer: readonly string[]; older: readonly string[]; limits: readonly string[] },
): readonly string[] => {
  const devices = share === 100 ? 'All devices' : `${share}% of devices`;
  return [
    `${devices} with an older version get ${name} at their next update check.`,
    ...(older.length === 0 ? [] : [`At present, these devices get ${eitherOf(older)}.`]),
    ...limits.map((words) => `Only these devices get ${name}: ${words}.`),
    ...(newer.length === 0 ? [] : [`Devices that get ${eitherOf(newer)} are not affected.`]),
  ];
};
/** `recalled`: its version, or the number of a build that no longer exists. */
export const recalledGet = (recalled: string, replacement: string): string =>
  `At present, devices on the recalled ${recalled} get ${replacement}.`;
export const othersGetNothing = 'Other devices get no update.';
export const othersContinue = (older: readonly string[]): string => `Other devices continue to get ${eitherOf(older)}.`;
export const isMandatory = 'The update is mandatory: users must install it before they continue.';
export const onlyActive = (channelName: string): string => `No other build is active in ${channelName}.`;
export const noDowngrade = 'Devices with a newer version are not downgraded.';
