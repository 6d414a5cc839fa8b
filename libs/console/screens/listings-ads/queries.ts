import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  FeedSettings,
  getMerchantAccount,
  getMerchantConnection,
  getSyncStatus,
  ListingsModule,
  ListingsOverview,
  ReplyOf,
  SyncSettings,
} from '@sluice/contracts';
import { useEffect, useRef } from 'react';
import type { List, Page } from '../../api/client';
import { useGet, type QueryOptions } from '../../api/queries';
import { usePlane } from './plane';

export type MerchantConnection = ReplyOf<typeof getMerchantConnection>;
export type MerchantAccount = ReplyOf<typeof getMerchantAccount>;
export type SyncStatus = ReplyOf<typeof getSyncStatus>;

/** The queries that are repeated after a change of the topic `listings`. */
export const LISTINGS = 'listings';
/** Queries that reach Google or the shop each time: only when a person looks, or a run has ended. */
export const REMOTE = 'listings-remote';
export const STORE = 'listings-store';
/** Whatever is shown of the module. */
export const ALL_SHOWN = [[LISTINGS], [REMOTE], [STORE]] as const;

const RUNNING_MS = 1_500;
const IDLE_MS = 15_000;

export const useModule = () => useGet<ListingsModule>('/listings', [LISTINGS, null]);

/** What the plane answers at a path, by which its query is named. */
export function usePlaneQuery<Answer>(path: string, topic = LISTINGS, options: QueryOptions<Answer> = {}) {
  const plane = usePlane();
  return useQuery<Answer>({ queryKey: [topic, null, path], queryFn: () => plane.get<Answer>(path), ...options });
}

/** One page of a list of the plane; the page before is shown until it is there. */
export function usePlaneList<Item>(path: string) {
  const plane = usePlane();
  return useQuery({
    queryKey: [LISTINGS, null, path],
    queryFn: () => plane.get<{ readonly items: readonly Item[]; readonly meta: Page }>(path),
    select: ({ items, meta }): List<Item> => ({ data: items, meta }),
    placeholderData: keepPreviousData,
  });
}

export const useConnection = () => usePlaneQuery<MerchantConnection>('/connection');

/** Refused while no account is connected. */
export const useMerchant = () => usePlaneQuery<MerchantAccount>('/merchant', REMOTE);

export const useOverview = () => usePlaneQuery<ListingsOverview>('/overview');

/** Polled often during a run. */
export const useSyncStatus = () =>
  usePlaneQuery<SyncStatus>('/sync/status', LISTINGS, {
    refetchInterval: ({ state }) => (state.data?.running === true ? RUNNING_MS : IDLE_MS),
  });

export const useFeedSettings = () => usePlaneQuery<FeedSettings>('/feed/settings');
export const useSyncSettings = () => usePlaneQuery<SyncSettings>('/sync/settings');

/** Requests everything again when a run has ended. */
export function useRunsEnd(): void {
  const client = useQueryClient();
  const running = useSyncStatus().data?.running;
  const before = useRef(running);
  useEffect(() => {
    if (before.current === true && running === false)
      for (const queryKey of ALL_SHOWN) void client.invalidateQueries({ queryKey });
    before.current = running;
  }, [client, running]);
}
