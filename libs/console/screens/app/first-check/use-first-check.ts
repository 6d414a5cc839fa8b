import { useQuery } from '@tanstack/react-query';
import type { App, Build, EffectiveSettings } from '@sluice/contracts';
import { api } from '../../../api/client';
import { channelToCheck, firstCheck } from './first-check';

/** As firstCheck, on the channel that has one of these builds. Undefined while the address is asked for. */
export function useFirstCheck(
  app: Pick<App, 'platform'>,
  builds: readonly Build[],
  key = 'YOUR_KEY',
): string | undefined {
  const settings = useQuery({ queryKey: ['settings', null], queryFn: () => api.get<EffectiveSettings>('/settings') });
  if (settings.isPending) return undefined;
  return firstCheck(settings.data?.device_url ?? null, app, { key, channel: channelToCheck(builds) });
}
