import { useQuery } from '@tanstack/react-query';
import type { App, EffectiveSettings } from '@sluice/contracts';
import { api } from '../../api/client';
import { firstCheck } from './first-check';

/** As firstCheck. Undefined while the address is asked for. */
export function useFirstCheck(app: Pick<App, 'platform'>, key: string): string | undefined {
  const settings = useQuery({ queryKey: ['settings', null], queryFn: () => api.get<EffectiveSettings>('/settings') });
  if (settings.isPending) return undefined;
  return firstCheck(settings.data?.device_url ?? null, app, key);
}
