import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import type { EffectiveSettings } from '@sluice/contracts';
import { useState } from 'react';
import { api, PER_PAGE, query, type List } from './client';

export type QueryOptions<Answer> = Pick<
  UseQueryOptions<Answer>,
  'enabled' | 'placeholderData' | 'refetchInterval' | 'staleTime'
>;

/** What a query is about, and of which app, as hints of the server name it; its path completes its key. */
type Scope = readonly [topic: string, app: number | null];

/** What the dashboard plane answers at a path. */
export const useGet = <Answer>(path: string, scope: Scope, options: QueryOptions<Answer> = {}) =>
  useQuery<Answer>({
    queryKey: [...scope, path],
    queryFn: ({ signal }) => api.get<Answer>(path, signal),
    ...options,
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

/** A list of which one page is shown, and what turns to another. */
export function usePaged<Item>(
  path: string,
  scope: Scope,
  { perPage = PER_PAGE, filter, ...options }: PagedOptions<Item> = {},
) {
  const [page, turn] = useState(1);
  const list = useList<Item>(path + query({ ...filter, page, per_page: perPage }), scope, options);
  return { list, turn };
}

/** What the server runs with, and where the listings module’s routes lie; a server that is started again may have other settings. */
export const useSettings = () => useGet<EffectiveSettings>('/settings', ['settings', null]);
