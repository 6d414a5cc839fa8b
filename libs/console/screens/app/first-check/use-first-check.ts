import type { App, Build } from '@sluice/contracts';
import { useSettings } from '../../../api/queries';
import { channelToCheck, firstCheck } from './first-check';

/** As firstCheck, on the channel that has one of these builds. Undefined while the address is loading. */
export function useFirstCheck(
  app: Pick<App, 'platform'>,
  builds: readonly Build[],
  key = 'YOUR_KEY',
): string | undefined {
  const settings = useSettings();
  if (settings.isPending) return undefined;
  return firstCheck(settings.data?.device_url ?? null, app, { key, channel: channelToCheck(builds) });
}
