import { useQuery } from '@tanstack/react-query';
import type { OwnedApp } from '@sluice/contracts';
import { api, query, type List } from '../../api/client';

const PER_PAGE = 50;

/** Every app that the owner has, by id. */
export function useOwnedApps() {
  return useQuery({
    queryKey: ['owned-apps', null],
    queryFn: async ({ signal }) => {
      const pageOf = (page: number): Promise<List<OwnedApp>> =>
        api.list<OwnedApp>(`/apps${query({ page, per_page: PER_PAGE })}`, signal);
      const first = await pageOf(1);
      const others = Array.from({ length: first.meta.last_page - 1 }, (_, index) => pageOf(index + 2));
      return [first, ...(await Promise.all(others))].flatMap(({ data }) => data);
    },
    staleTime: 60_000,
  });
}
