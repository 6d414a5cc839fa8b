import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import type { EffectiveSettings } from '@sluice/contracts';
import { api, type List } from './client';

export type QueryOptions<Answer> = Pick<
  UseQueryOptions<Answer>,
  'enabled' | 'placeholderData' | 'refetchInterval' | 'staleTime'
>;

/** What the dashboard plane answers at a path. */
export const useGet = <Answer>(path: string, queryKey: QueryKey, options: QueryOptions<Answer> = {}) =>
  useQuery<Answer>({ queryKey, queryFn: ({ signal }) => api.get<Answer>(path, signal), ...options });

/** One page of a list of the dashboard plane, with its `meta`. */
export const useList = <Item>(path: string, queryKey: QueryKey, options: QueryOptions<List<Item>> = {}) =>
  useQuery<List<Item>>({ queryKey, queryFn: ({ signal }) => api.list<Item>(path, signal), ...options });

/** What the server runs with, and where the listings module’s routes lie; a server that is started again may have other settings. */
export const useSettings = () => useGet<EffectiveSettings>('/settings', ['settings', null]);
