import { useQuery } from '@tanstack/react-query';
import type { OwnedApp } from '@sluice/contracts';
import { listAll } from '../../api/client';

/** Every app that the owner has, by id. */
export function useOwnedApps() {
  return useQuery({
    queryKey: ['owned-apps', null],
    queryFn: ({ signal }) => listAll<OwnedApp>('/apps', signal),
    staleTime: 60_000,
  });
}
