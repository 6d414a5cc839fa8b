import { keepPreviousData, usePrefetchQuery, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type { App, Build, BuildStatus, Channel, Job } from '@sluice/contracts';
import { useEffect, useRef } from 'react';
import { PER_PAGE, query } from '../../api/client';
import { listOf, useGet } from '../../api/queries';

export const CHANNELS: readonly (readonly [channel: Channel, name: string])[] = [
  ['production', 'Production'],
  ['staging', 'Staging'],
  ['development', 'Development'],
];

/** By the names that the server gives them. */
export const CHANNEL_NAMES = CHANNELS.map(([channel]) => [channel, channel] as const);

/** What the server filters by, which is coarser than the state. */
export const STATUSES: readonly (readonly [status: BuildStatus, name: string])[] = [
  ['active', 'Active: live, rolling out or halted'],
  ['paused', 'Paused'],
  ['processing', 'Processing'],
  ['failed', 'Failed'],
  ['archived', 'Archived'],
];

export interface BuildFilter {
  readonly channel?: Channel | undefined;
  readonly status?: BuildStatus | undefined;
  readonly page?: number;
}

/** What devices of a channel may be given. */
export const servedIn = (channel: Channel): BuildFilter => ({ channel, status: 'active' });

const buildsOf = (app: number, { page = 1, channel, status }: BuildFilter) =>
  listOf<Build>(`/apps/${app}/builds${query({ channel, status, page, per_page: PER_PAGE })}`, ['builds', app]);

/** Newest first. */
export function useBuilds(app: App, filter: BuildFilter) {
  return useQuery({ ...buildsOf(app.id, filter), placeholderData: keepPreviousData });
}

/** The build that holds a version in a channel, if it is among the newest: another of that version is refused. */
export function useHolder(app: App, channel: Channel, version: string) {
  const { data, isPending, isPlaceholderData } = useBuilds(app, { channel });
  const holds = (build: Build): boolean => build.version === version && build.status !== 'failed';
  return { build: isPlaceholderData ? undefined : data?.data.find(holds), isPending: isPending || isPlaceholderData };
}

/** Asks for builds before they are shown. */
export function BuildsAhead({ app, filter }: { readonly app: number; readonly filter: BuildFilter }) {
  usePrefetchQuery(buildsOf(app, filter));
  return null;
}

export function useBuild(app: App, id: number, enabled = true) {
  return useGet<Build>(`/apps/${app.id}/builds/${id}`, ['builds', app.id], { enabled });
}

/** What the server counts as final. */
const isOver = (job: Job | undefined): boolean => job?.status === 'completed' || job?.status === 'failed';

/** A job's life: hints of the server bring it on, and it is asked for where they don't reach. */
export function useJob(app: App, id: string) {
  const client = useQueryClient();
  const job = useGet<Job>(`/jobs/${id}`, ['jobs', app.id], {
    refetchInterval: ({ state }) => (isOver(state.data) ? false : 3_000),
  });
  const ran = useRef(false);
  useEffect(() => {
    // Its build is another one now.
    if (ran.current && isOver(job.data)) refreshBuilds(client, app);
    ran.current = job.data !== undefined && !isOver(job.data);
  }, [job.data, client, app]);
  return job;
}

/** What a change of builds shows in, without waiting for the server's hint. */
export function refreshBuilds(client: QueryClient, app: App): void {
  for (const topic of ['builds', 'jobs', 'overview', 'history']) {
    void client.invalidateQueries({
      predicate: ({ queryKey: [first, second] }) =>
        first === topic && (typeof second !== 'number' || second === app.id),
    });
  }
}
