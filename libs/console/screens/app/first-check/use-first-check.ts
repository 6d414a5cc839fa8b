import type { App, Build } from '@sluice/contracts';
import { useSettings } from '../../../api/queries';
import type { ClientValues } from '../../../texts/clients';
import { channelToCheck, firstCheck, platformToCheck, UNKNOWN_SERVER } from './first-check';

/** The address for devices, the channel that has one of these builds, and the key. Undefined while the address is loading. */
export function useClientValues(
  app: Pick<App, 'id' | 'app_id' | 'platform'>,
  builds: readonly Build[],
  key = 'YOUR_KEY',
): ClientValues | undefined {
  const settings = useSettings();
  if (settings.isPending) return undefined;
  return {
    ...{ id: app.id, bundleId: app.app_id, platform: platformToCheck(app), channel: channelToCheck(builds), key },
    server: settings.data?.device_url ?? UNKNOWN_SERVER,
  };
}

/** As firstCheck, with these values. */
export function useFirstCheck(
  app: Pick<App, 'id' | 'app_id' | 'platform'>,
  builds: readonly Build[],
  key?: string,
): string | undefined {
  const values = useClientValues(app, builds, key);
  return values && firstCheck(values.server, app, values);
}
