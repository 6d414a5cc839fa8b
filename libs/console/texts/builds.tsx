/** The texts of the screen “Builds”: the list, and the page of a build. */
import type { ReactNode } from 'react';
import { counted } from './shared';

export const channel = 'Channel';
export const status = 'State';
export const all = 'All';
export const upload = 'Upload a build';
export const loading = 'the builds';
export const noMatch = 'No matching builds';
export const noMatchHelp = 'No build has this channel and state.';
export const noBuild = 'No build yet';
export const noBuildHelp =
  'A build is a version of your app in a channel. Its bundle is a zip of your app’s web files. Devices get it after the server has checked it.';
export const newestFirst = 'Builds, newest first';
export const version = 'Version';
export const build = 'Build number';
export const state = 'State';
export const size = 'Size';
export const created = 'Created';
export const actions = 'Actions';
export const mandatoryBadge = 'Mandatory';

export const allBuilds = '← All builds';
export const loadingBuild = 'the build';
export const notFound = (id: number): string => `Build ${id} not found`;
export const notFoundHelp = 'It may have been deleted. The history of a deleted build is kept.';
export const title = (name: string, id: number): string => `${name} (build ${id})`;
export const rollout = 'Rollout';
export const percent = (percentage: number): string => `${percentage}%`;
export const mandatory = 'Mandatory';
export const none = 'none';
export const minNative = 'Minimum native version';
export const nativeRange = 'Native versions';
export const fingerprint = 'Native fingerprint';
export const platform = 'Platform';
export const delivery = 'Bundle';
export const plain = 'Zip, for every update client';
/** `key`: the id of the public key that the app has. */
export const encrypted = (key: string | undefined): string =>
  `Encrypted before the upload, for clients of Capgo alone${key === undefined ? '' : ` that have the key ${key}`}`;
export const details = 'Details';
export const verify = 'Checksum and signature';
export const changed = 'Last changed';
export const source = 'Source';
/** `id`, `recalled`: links to builds. */
export const promotedFrom = (id: ReactNode): ReactNode => <>Promoted from {id}</>;
export const republishedFrom = (id: ReactNode, recalled: ReactNode): ReactNode => (
  <>
    Republished from {id}, because {recalled} is recalled
  </>
);
export const notPromoted = 'Uploaded to this channel';
export const checksum = (algorithm: string | null): string =>
  algorithm === null ? 'Checksum' : `Checksum (${algorithm})`;
export const theChecksum = 'the checksum';
export const signature = 'Signature';
export const theSignature = 'the signature';
export const unsigned = 'None. Apps that require a signature reject this build.';
export const releaseNotes = 'Release notes';
export const edit = 'Edit';
export const noNotes = 'None. Release notes are sent to devices with the update.';

export const metadata = 'Metadata';
export const run = 'CI run';
export const commit = 'Commit';
/** The members that the command line fills in, in this order. */
export const metadataNames: Readonly<Record<string, string>> = {
  commit,
  commit_url: 'Commit page',
  branch: 'Branch',
  tag: 'Tag',
  author: 'Author',
  repository: 'Repository',
  run_url: run,
};

export const check = 'Bundle check';
export const loadingJob = 'the progress of the check';
export const received = 'Received';
export const queued = 'Queued';
export const checking = 'Check';
export const checked = 'Checked';
export const ready = 'Ready';
export const checkFailed = 'Check failed';
export const waitsForWorker = '– waiting to be checked…';
export const waitsForRetry = (attempt: number): string => `– attempt ${attempt} failed, waiting for the next one…`;
export const running = (attempt: number): string => `– attempt ${attempt}…`;
export const attempts = (count: number): string => `after ${counted(count, 'attempt', 'attempts')}`;
export const lastAttempt = (count: number): string =>
  count === 1 ? 'after 1 attempt, ' : `after ${count} attempts, the last one `;
export const notChecked = 'The bundle could not be checked.';
export const afterFailure = (name: string): string =>
  `No device got it. Fix the bundle and upload it again. You can use version ${name} again.`;
export const jobWaiting = 'Waiting to be checked';
export const jobRetrying = (attempt: number): string => `Attempt ${attempt} failed, waiting for the next one`;
export const jobRunning = (attempt: number): string => `Being checked, attempt ${attempt}`;
export const jobFailed = 'Failed';

export const history = 'History';
export const loadingHistory = 'the history';
export const noHistory = 'No entries yet.';
