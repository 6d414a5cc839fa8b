import type { App, Build, Channel } from '@sluice/contracts';

/** The update check of a device, as a command for a shell. `key`: what stands in its place where it is not known. */
export function firstCheck(app: App, channel: Channel, key = 'YOUR_KEY'): string {
  return [
    `curl '${location.origin}/api/v1/updates/check?channel=${channel}'`,
    `-H 'X-API-Key: ${key}'`,
    "-H 'X-Device-ID: my-phone'",
    `-H 'X-Platform: ${app.platform === 'android' ? 'android' : 'ios'}'`,
    "-H 'X-Current-Version: 0.0.1'",
  ].join(' \\\n  ');
}

/** Where that check finds something: production, else the channel of the newest build that devices can get. */
export function channelToCheck(builds: readonly Build[]): Channel {
  const offered = builds.filter(({ status }) => status === 'active');
  if (offered.some(({ channel }) => channel === 'production')) return 'production';
  return (offered[0] ?? builds.find(({ status }) => status !== 'failed'))?.channel ?? 'production';
}
