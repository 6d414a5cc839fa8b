import type { App, Build, Channel } from '@sluice/contracts';

/** A placeholder for an unknown address. */
export const UNKNOWN_SERVER = 'https://ADDRESS-FOR-DEVICES';

/**
 * The first update check of a device with version 0.0.1, to be pasted into a shell.
 * @param deviceUrl the server for devices, which need not be that of the console; null: unknown
 */
export function firstCheck(
  deviceUrl: string | null,
  app: Pick<App, 'platform'>,
  { key, channel }: { readonly key: string; readonly channel: Channel },
): string {
  return [
    `curl '${deviceUrl ?? UNKNOWN_SERVER}/api/v1/updates/check?channel=${channel}'`,
    `-H 'X-API-Key: ${key}'`,
    `-H 'X-Device-ID: my-phone' -H 'X-Current-Version: 0.0.1' -H 'X-Platform: ${platformToCheck(app)}'`,
  ].join(' \\\n  ');
}

/** A platform whose devices the app has updates for. */
export const platformToCheck = ({ platform }: Pick<App, 'platform'>): 'android' | 'ios' =>
  platform === 'android' ? 'android' : 'ios';

/** The channel that has a build to offer: production, else the channel of the newest build that devices can get. */
export function channelToCheck(builds: readonly Pick<Build, 'status' | 'channel'>[]): Channel {
  const offered = builds.filter(({ status }) => status === 'active');
  if (offered.some(({ channel }) => channel === 'production')) return 'production';
  return (offered[0] ?? builds.find(({ status }) => status !== 'failed'))?.channel ?? 'production';
}
