import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import type { EffectiveSettings } from '@sluice/contracts';
import { useState } from 'react';
import { api, PER_PAGE, query, type List } from './client';

export type QueryOptions<Data> = Pick<
  UseQueryOptions<Data>,
  'enabled' | 'placeholderData' | 'refetchInterval' | 'staleTime'
>;

/** The topic of a query and its app, as in the server's hints. Its path completes its key. */
export type Scope = readonly [topic: string, app: number | null];

/** The response of the dashboard plane at a path. */
export const useGet = <Data>(path: string, scope: Scope, options: QueryOptions<Data> = {}) =>
  useQuery<Data>({ ...getOf<Data>(path, scope), ...options });

/** The query of useGet. */
export const getOf = <Data>(path: string, scope: Scope) => ({
  queryKey: [...scope, path] as QueryKey,
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.get<Data>(path, signal),
});

/** One page of a list of the dashboard plane, with its `meta`. */
export const useList = <Item>(path: string, scope: Scope, options: QueryOptions<List<Item>> = {}) =>
  useQuery<List<Item>>({ ...listOf<Item>(path, scope), ...options });

/** The query of useList. */
export const listOf = <Item>(path: string, scope: Scope) => ({
  queryKey: [...scope, path] as QueryKey,
  queryFn: ({ signal }: { readonly signal: AbortSignal }) => api.list<Item>(path, signal),
});

interface PagedOptions<Item> extends QueryOptions<List<Item>> {
  readonly perPage?: number;
  readonly filter?: Parameters<typeof query>[0];
}

/** One page of a list, and a function that shows another page. */
export function usePaged<Item>(
  path: string,
  scope: Scope,
  { perPage = PER_PAGE, filter, ...options }: PagedOptions<Item> = {},
) {
  const [page, turn] = useState(1);
  const list = useList<Item>(path + query({ ...filter, page, per_page: perPage }), scope, options);
  return { list, turn };
}

/** The settings of the server, and the address of the listings module. They may change when the server restarts. */
export const useSettings = () => useGet<EffectiveSettings>('/settings', ['settings', null]);
