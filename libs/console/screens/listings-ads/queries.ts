import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type {
  EffectiveSettings,
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
import { api, type Page } from '../../api/client';
import { usePlane } from './plane';

export type MerchantConnection = ReplyOf<typeof getMerchantConnection>;
export type MerchantAccount = ReplyOf<typeof getMerchantAccount>;
export type SyncStatus = ReplyOf<typeof getSyncStatus>;

/** What the server’s hints of the topic `listings` ask for anew. */
export const LISTINGS = 'listings';
/** What the remote side or the store is asked for each time: only when a person looks, or a run has ended. */
export const REMOTE = 'listings-remote';
export const STORE = 'listings-store';

const RUNNING_MS = 1_500;
const IDLE_MS = 15_000;

/** A list as this plane answers it. */
export interface Items<Item> {
  readonly items: readonly Item[];
  readonly meta: Page;
}

export function useModule() {
  return useQuery({ queryKey: [LISTINGS, null, 'module'], queryFn: () => api.get<ListingsModule>('/listings') });
}

/** Where the module's routes lie; a server that is started again may have other settings. */
export function useInstallation() {
  return useQuery({ queryKey: ['settings', null], queryFn: () => api.get<EffectiveSettings>('/settings') });
}

export function useConnection() {
  const plane = usePlane();
  return useQuery({
    queryKey: [LISTINGS, null, 'connection'],
    queryFn: () => plane.get<MerchantConnection>('/connection'),
  });
}

/** Refused while no account is connected. */
export function useMerchant() {
  const plane = usePlane();
  return useQuery({ queryKey: [REMOTE, null, 'merchant'], queryFn: () => plane.get<MerchantAccount>('/merchant') });
}

export function useOverview() {
  const plane = usePlane();
  return useQuery({
    queryKey: [LISTINGS, null, 'overview'],
    queryFn: () => plane.get<ListingsOverview>('/overview'),
  });
}

/** Asked often while a run goes on. */
export function useSyncStatus() {
  const plane = usePlane();
  return useQuery({
    queryKey: [LISTINGS, null, 'status'],
    queryFn: () => plane.get<SyncStatus>('/sync/status'),
    refetchInterval: ({ state }) => (state.data?.running === true ? RUNNING_MS : IDLE_MS),
  });
}

export function useFeedSettings() {
  const plane = usePlane();
  return useQuery({
    queryKey: [LISTINGS, null, 'feed-settings'],
    queryFn: () => plane.get<FeedSettings>('/feed/settings'),
  });
}

export function useSyncSettings() {
  const plane = usePlane();
  return useQuery({
    queryKey: [LISTINGS, null, 'sync-settings'],
    queryFn: () => plane.get<SyncSettings>('/sync/settings'),
  });
}

/** Whatever is shown of the module is asked for anew. */
export function refresh(client: QueryClient): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [topic] }) => [LISTINGS, REMOTE, STORE].includes(String(topic)),
  });
}

/** Asks for everything anew when a run has ended. */
export function useRunsEnd(): void {
  const client = useQueryClient();
  const running = useSyncStatus().data?.running;
  const before = useRef(running);
  useEffect(() => {
    if (before.current === true && running === false) void refresh(client);
    before.current = running;
  }, [client, running]);
}
