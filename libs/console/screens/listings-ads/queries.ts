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

/** Queries that are loaded again after a change of the topic `listings`. */
export const LISTINGS = 'listings';
/** Queries that send requests to Google or the shop: loaded only when they are shown, or when a run has ended. */
export const REMOTE = 'listings-remote';
export const SHOP = 'listings-shop';
/** All queries of the module. */
export const ALL_SHOWN = [[LISTINGS], [REMOTE], [SHOP]] as const;

const RUNNING_MS = 1_500;
const IDLE_MS = 15_000;

export const useModule = () => useGet<ListingsModule>('/listings', [LISTINGS, null]);

/** The response of the plane at a path, which is part of the query's key. */
export function usePlaneQuery<Data>(path: string, topic = LISTINGS, options: QueryOptions<Data> = {}) {
  const plane = usePlane();
  return useQuery<Data>({ queryKey: [topic, null, path], queryFn: () => plane.get<Data>(path), ...options });
}

/** One page of a list of the plane. The former page is shown until it is loaded. */
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

/** Rejected while no account is connected. */
export const useMerchant = () => usePlaneQuery<MerchantAccount>('/merchant', REMOTE);

export const useOverview = () => usePlaneQuery<ListingsOverview>('/overview');

/** Polled often during a run. */
export const useSyncStatus = () =>
  usePlaneQuery<SyncStatus>('/sync/status', LISTINGS, {
    refetchInterval: ({ state }) => (state.data?.running === true ? RUNNING_MS : IDLE_MS),
  });

export const useFeedSettings = () => usePlaneQuery<FeedSettings>('/feed/settings');
export const useSyncSettings = () => usePlaneQuery<SyncSettings>('/sync/settings');

/** Loads all queries again when a run has ended. */
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
