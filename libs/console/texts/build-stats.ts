/** The texts of the page of a build about what devices reported. */
import type { BuildStats } from '@sluice/contracts';
import { counted } from './shared';

export const results = 'Device reports';
export const resultsHelp =
  'Each stage counts devices, each of them once, since the build was created. “Offered” is an estimate, exact to about 2%. “Running” counts the devices whose last report is of this build.';
export const loading = 'the reports';
export const neverActive = 'This build was never active, so no device got it.';
export const funnel = 'How many devices got how far';
export const offered = 'Offered (approx.)';
export const downloaded = 'Downloaded';
export const installed = 'Installed';
export const running = 'Running now';

/** Such as 12%. Rounded down, so that half is not reached below 50%, but never to nothing. */
export const percentOf = (part: number, whole: number): string => {
  if (whole === 0) return '–';
  const percent = (100 * Math.min(part, whole)) / whole;
  if (percent > 0 && percent < 1) return 'under 1%';
  if (percent < 100 && percent > 99) return 'over 99%';
  return `${Math.floor(percent)}%`;
};
export const percentOfStage = (part: number, whole: number, stage: string): string =>
  `${percentOf(part, whole)} of ${stage.replace(' (approx.)', '').toLowerCase()}`;

export const failedDownloads = (count: number): string => counted(count, 'failed download', 'failed downloads');
export const failedInstalls = (count: number): string => counted(count, 'failed install', 'failed installs');
export const rollbacks = (count: number): string => counted(count, 'rollback', 'rollbacks');
export const noLonger = (count: number): string =>
  `${count.toLocaleString()} now on another build, or without a recent report`;

export const rolledBack = (count: number): string =>
  count === 1
    ? '1 device rolled this build back and is no longer offered it.'
    : `${count.toLocaleString()} devices rolled this build back and are no longer offered it.`;
export const retry = 'Offer again…';

export const errors = 'Errors on devices';
export const errorsHelp =
  'Reports of the last 30 days. For downloads, the share is of the devices that reported a download, failed or not. For installs and rollbacks, it is of the devices that reported an install, a failed install or a rollback.';
/** The errors of one phase. */
export const errorsOf: Readonly<Record<BuildStats['errors'][number]['report'], string>> = {
  download: 'Only errors of downloads are shown.',
  install: 'Only errors of installs are shown.',
  rollback: 'Only errors of rollbacks are shown.',
};
export const showAll = 'Show all errors';
export const errorsLabel = 'Errors, most frequent first';
export const error = 'Error';
export const during = 'Phase';
export const devices = 'Devices';
export const share = 'Share';
export const first = 'First report';
export const last = 'Last report';
export const unknown = 'unknown';
