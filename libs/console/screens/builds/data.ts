import { keepPreviousData, usePrefetchQuery, useQuery, useQueryClient, type QueryClient } from '@tanstack/react-query';
import type {
  App,
  AppChannel,
  AppHealth,
  Build,
  BuildHealth,
  BuildStatus,
  Channel,
  Job,
  OpenPlan,
  Plan,
  PlanTemplate,
} from '@sluice/contracts';
import { useEffect, useRef } from 'react';
import { api, ApiError, PER_PAGE, query } from '../../api/client';
import { getOf, listOf, useGet, useList } from '../../api/queries';
import { HEALTH_REFRESH_MS, REPORTS_REFRESH_MS } from '../../api/reports';
import { statuses } from '../../texts/shared';
import { isSamePlatform, type NativeRules } from './native-rules';

/** Those that every app has. */
export const CHANNELS: readonly (keyof App['default_rollout'])[] = ['production', 'staging', 'development'];

/** All channels of an app, as a list to choose from. */
export const channelsOf = ({ channels: of }: App): (readonly [Channel, string])[] =>
  of.map((channel) => [channel, channel] as const);

/** The channels of an app that do not expire: the standard ones, and those that it has added; of many the first. */
export const useChannels = ({ id }: App): readonly AppChannel[] => useQuery(channelList(id)).data?.data ?? [];

const channelList = (app: number) =>
  listOf<AppChannel>(`/apps/${app}/channels${query({ expires: false, per_page: PER_PAGE })}`, ['apps', app]);

/** Only standard channels have one. */
export const defaultRollout = ({ default_rollout: of }: App, channel: Channel) =>
  CHANNELS.map((each) => (each === channel ? of[each] : undefined)).find((each) => each !== undefined);

export const STATUSES = Object.entries(statuses) as [status: BuildStatus, name: string][];

export interface BuildFilter {
  readonly channel?: Channel | undefined;
  readonly status?: BuildStatus | undefined;
  readonly page?: number;
}

/** The builds that devices of a channel may get. */
export const servedIn = (channel: Channel): BuildFilter => ({ channel, status: 'active' });

export const buildsOf = (app: number, { page = 1, channel, status }: BuildFilter) =>
  listOf<Build>(`/apps/${app}/builds${query({ channel, status, page, per_page: PER_PAGE })}`, ['builds', app]);

/** Newest first. */
export function useBuilds(app: Pick<App, 'id'>, filter: BuildFilter) {
  return useQuery({ ...buildsOf(app.id, filter), placeholderData: keepPreviousData });
}

/** The build that holds a version in a channel, if it is among the newest. Another one of that version is rejected. */
export function useHolder(
  app: App,
  channel: Channel,
  { version, native = {} }: { readonly version: string; readonly native?: Partial<NativeRules> },
) {
  const { data, isPending, isPlaceholderData } = useBuilds(app, { channel });
  const holds = (build: Build): boolean =>
    build.version === version && build.status !== 'failed' && isSamePlatform(build, native);
  return { build: isPlaceholderData ? undefined : data?.data.find(holds), isPending: isPending || isPlaceholderData };
}

/** Loads builds before they are shown. */
export function BuildsAhead({ app, filter }: { readonly app: number; readonly filter: BuildFilter }) {
  usePrefetchQuery(buildsOf(app, filter));
  return null;
}

export function useBuild(app: App, id: number, enabled = true) {
  return useGet<Build>(`/apps/${app.id}/builds/${id}`, ['builds', app.id], { enabled });
}

/** Whether a plan may still change its build. */
export const isLive = ({ status }: Pick<Plan, 'status'>): boolean => status === 'running' || status === 'held';

/** The plan of a build that was set last; null if there was none. */
export function usePlan(app: App, build: number) {
  const path = `/apps/${app.id}/builds/${build}/plan`;
  return useQuery({
    queryKey: ['builds', app.id, path],
    queryFn: async ({ signal }): Promise<Plan | null> => {
      try {
        return await api.get<Plan>(path, signal);
      } catch (error) {
        if (error instanceof ApiError && error.code === 'PLAN_NOT_FOUND') return null;
        throw error;
      }
    },
    // Reports are no events.
    refetchInterval: ({ state: { data } }) => (data && isLive(data) ? REPORTS_REFRESH_MS : false),
  });
}

const healthOf = (app: number) => getOf<AppHealth>(`/apps/${app}/health`, ['health', app]);

/** Of the builds that devices of an app get; undefined until it is loaded. */
export const useHealth = ({ id }: Pick<App, 'id'>): AppHealth | undefined =>
  useQuery({ ...healthOf(id), refetchInterval: HEALTH_REFRESH_MS }).data;

/** Undefined until it is loaded, and for builds that no device gets. */
export const useBuildHealth = (app: Pick<App, 'id'>, build: number): BuildHealth | undefined =>
  useHealth(app)?.builds.find(({ build_id: id }) => id === build);

/** Loads the channels and plans of an app before they are shown. */
export function ReleasesDataAhead({ app }: { readonly app: number }) {
  usePrefetchQuery(channelList(app));
  usePrefetchQuery(openPlans(app));
  usePrefetchQuery(healthOf(app));
  return null;
}

const openPlans = (app: number) => getOf<OpenPlan[]>(`/apps/${app}/plans`, ['builds', app]);

/** The plans of an app that run or are held, and those that failed. */
export const useOpenPlans = (app: number): readonly OpenPlan[] => useQuery(openPlans(app)).data ?? [];

export const useOpenPlan = (app: number, build: number): OpenPlan | undefined =>
  useOpenPlans(app).find(({ build_id: id }) => id === build);

/** The plan templates of an app, of which there are few. */
export const useTemplates = (app: App) =>
  useList<PlanTemplate>(`/apps/${app.id}/plan-templates${query({ per_page: PER_PAGE })}`, ['apps', app.id]);

const isFinal = (job: Job | undefined): boolean => job?.status === 'completed' || job?.status === 'failed';

/** The progress of a job. Events of the server update it; polling covers lost events. */
export function useJob(app: App, id: string) {
  const client = useQueryClient();
  const job = useGet<Job>(`/jobs/${id}`, ['jobs', app.id], {
    refetchInterval: ({ state }) => (isFinal(state.data) ? false : 3_000),
  });
  const ran = useRef(false);
  useEffect(() => {
    // Its build has changed too.
    if (ran.current && isFinal(job.data)) refreshBuilds(client, app);
    ran.current = job.data !== undefined && !isFinal(job.data);
  }, [job.data, client, app]);
  return job;
}

/** Reloads all that a change of builds affects, without waiting for the server's event. */
export function refreshBuilds(client: QueryClient, app: App): void {
  for (const topic of ['builds', 'jobs', 'health', 'overview', 'history']) {
    void client.invalidateQueries({
      predicate: ({ queryKey: [first, second] }) =>
        first === topic && (typeof second !== 'number' || second === app.id),
    });
  }
}
