/** The texts of the health of builds: on cards, in lists and on the overview. */
import type { BuildHealth, Health } from '@sluice/contracts';
import { build as nameOf, counted } from './shared';

export const words: Readonly<Record<Health, string>> = {
  healthy: 'Healthy',
  watch: 'Needs watching',
  failing: 'Failing',
  unknown: 'Unknown',
};

export const running = (count: number): string => `${counted(count, 'device runs', 'devices run')} it`;
export const inShort = (count: number): string => `${running(count)}.`;
export const channelDevices = (count: number): string => counted(count, 'device', 'devices');
export const installed = (count: number): string => `${count.toLocaleString()} installed`;
export const failed = (count: number): string => `${count.toLocaleString()} failed`;
export const rolledBack = (count: number): string => `${count.toLocaleString()} rolled back`;

const percent = (value: number): string => `${value.toLocaleString(undefined, { maximumFractionDigits: 1 })}%`;

type Judged = Pick<BuildHealth, 'health' | 'attempts' | 'failed_attempts' | 'failed_percent' | 'limit_percent'>;

/** For example `21 of 53 devices that tried it failed (39.6%). The limit is 2%.` */
export const rate = (build: Judged): string => {
  const { attempts, failed_attempts: bad, failed_percent: share, limit_percent: limit, health } = build;
  if (share === null) return 'No device has reported an installation.';
  const of = `${bad.toLocaleString()} of ${counted(attempts, 'device that tried it', 'devices that tried it')} failed (${percent(share)}).`;
  if (health === 'unknown') return `${of} These are too few to judge it.`;
  return bad === 0 ? of : `${of} The limit is ${percent(limit)}.`;
};

export const reached = (count: number, all: number, target: number): string =>
  `${count.toLocaleString()} of ${counted(all, 'device', 'devices')} ${count === 1 ? 'runs' : 'run'} it. Target: ${target}%.`;

export const seeReports = 'See what went wrong';
export const seeReportsOf = (build: string): string => `See what went wrong with ${build}`;
/** Describes the small chart of the last days, the newest last. */
export const trend = (days: BuildHealth['days']): string => {
  const told = days.filter((day) => day.installed + day.failed + day.rolled_back > 0);
  if (told.length === 0) return 'No reports in the last 7 days.';
  const each = told.map(
    ({ day, installed: good, failed: bad, rolled_back: back }) =>
      `${day}: ${[installed(good), failed(bad), rolledBack(back)].join(', ')}`,
  );
  return `Last 7 days. ${each.join('. ')}.`;
};

/** Of the whole day of a time in the past. */
export const ofDay = (day: string, good: number, bad: number, back: number): string =>
  good + bad + back === 0
    ? `On ${day} (UTC), no device reported an installation of it.`
    : `On ${day} (UTC): ${[installed(good), failed(bad), rolledBack(back)].join(', ')}.`;

export const failingReleases = 'Failing releases';
export const areFailing = (count: number): string => counted(count, 'release is failing', 'releases are failing');
/** For example `1.1.0 in production: failing, 39.6% of 53 devices` */
export const sign = (build: BuildHealth | Omit<BuildHealth, 'days'>): string =>
  `${nameOf(build)}: ${words[build.health].toLowerCase()}${build.failed_percent === null ? '' : `, ${percent(build.failed_percent)} of ${counted(build.attempts, 'device', 'devices')}`}`;
export const more = (count: number): string => `and ${count.toLocaleString()} more`;
