import type { App } from '@sluice/contracts';

/** Stands for an address that the server could not tell. */
const UNKNOWN_SERVER = 'https://SERVER-THAT-DEVICES-ASK';

/**
 * The first update check of a device with version 0.0.1, to be pasted into a shell.
 * @param deviceUrl the server that devices ask, which need not be the one of the console; null: not known
 */
export function firstCheck(deviceUrl: string | null, app: Pick<App, 'platform'>, key: string): string {
  return [
    `curl '${deviceUrl ?? UNKNOWN_SERVER}/api/v1/updates/check?channel=production'`,
    `-H 'X-API-Key: ${key}'`,
    `-H 'X-Device-ID: my-phone' -H 'X-Current-Version: 0.0.1' -H 'X-Platform: ${app.platform === 'android' ? 'android' : 'ios'}'`,
  ].join(' \\\n  ');
}
