import { useQueries, useQuery } from '@tanstack/react-query';
import type { AppOverview } from '@sluice/contracts';
import { PER_PAGE, query } from '../../api/client';
import { listOf } from '../../api/queries';
import { HEALTH_REFRESH_MS } from '../../api/reports';

const page = (number: number, refetchInterval: number | false) => ({
  ...listOf<AppOverview>(`/overview${query({ page: number, per_page: PER_PAGE })}`, ['overview', null]),
  refetchInterval,
});

/** Every app with its health, by id. `refetchInterval`: false where only names and versions are shown. `data` is undefined until the first page is there, and grows with the others. */
export function useOverview(refetchInterval: number | false = HEALTH_REFRESH_MS) {
  const first = useQuery(page(1, refetchInterval));
  const last = first.data?.meta.last_page ?? 1;
  const others = useQueries({
    queries: Array.from({ length: Math.max(0, last - 1) }, (_, index) => page(index + 2, refetchInterval)),
  });
  return {
    data: first.data && [first, ...others].flatMap(({ data }) => data?.data ?? []),
    total: first.data?.meta.total ?? 0,
    isComplete: others.every(({ isSuccess }) => isSuccess),
    error: first.error ?? others.find(({ error }) => error !== null)?.error ?? null,
    refetch: (): void => {
      for (const each of [first, ...others]) void each.refetch();
    },
  };
}
