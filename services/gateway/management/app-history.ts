import { Inject, Injectable } from '@nestjs/common';
import {
  actorNames,
  buildsHistory,
  historyEntrySchema,
  keysHistory,
  MAX_HISTORY_DEPTH,
  metadataOfBuilds,
  registryHistory,
  type Caller,
  type HistoryCalls,
  type HistoryEntry,
  type HistoryFilter,
  type PageRequest,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { buildFilter, buildHistoryQuery, entryFilter } from './as-of';

const changed = z.record(z.string(), z.unknown()).nullable();

/** Describes `page` and `per_page`. */
export const HISTORY_DEPTH = `Paging is limited to ${MAX_HISTORY_DEPTH} entries. Use \`from\` and \`to\` for older ones.`;

/** An entry of the response, with the current name of its actor. */
export const historyAnswer = historyEntrySchema.extend({
  actor_name: z.string().nullable(),
  before: changed,
  after: changed,
});

/** The page of a history. */
export const historyPage = pageQuery.refine(({ page, perPage }) => page * perPage <= MAX_HISTORY_DEPTH, {
  path: ['page'],
  error: `Paging is limited to ${MAX_HISTORY_DEPTH} entries. Narrow the history with from and to.`,
});

/** The services that have histories. */
const OWNERS = [registryHistory, buildsHistory, keysHistory] as const;
/** So many apps in one call. */
const APPS_AT_ONCE = 50;

/** Query of the latest entries of several apps. */
export const latestQuery = z
  .object({
    before: z
      .string()
      .regex(/^[\w-]{1,64}$/, 'The before must be the older of a former response.')
      .describe('Only entries before those of the response that had this `older`.')
      .optional(),
  })
  .extend(entryFilter.shape);

export type LatestQuery = z.output<typeof latestQuery>;

export type BuildHistoryQuery = z.output<typeof historyPage> & z.output<typeof buildHistoryQuery>;
export type AppHistoryQuery = BuildHistoryQuery & z.output<typeof buildFilter>;

/** The history of an app, newest first, with the acting token, including deleted builds. */
@Injectable()
export class AppHistory {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** The requested page of an app that exists or existed. */
  ofApp(appId: number, { page, perPage, build: buildId, ...filter }: AppHistoryQuery, caller: Caller) {
    const owners = buildId === undefined ? OWNERS : [buildsHistory];
    return this.read(owners, { ...filter, buildId, appId }, { page, perPage }, caller);
  }

  /** Like ofApp, for one build. */
  ofBuild(
    whole: { readonly appId: number; readonly buildId: number },
    { page, perPage, ...filter }: BuildHistoryQuery,
    caller: Caller,
  ) {
    return this.read([buildsHistory], { ...filter, ...whole }, { page, perPage }, caller);
  }

  /** The latest entries of these apps, newest first, and where older ones begin. */
  async ofApps(apps: readonly number[], { newest, ...filter }: LatestQuery & { newest: number }, caller: Caller) {
    const calls = Array.from({ length: Math.ceil(apps.length / APPS_AT_ONCE) }, (_, at) => {
      const asked = { ...filter, newest, apps: apps.slice(at * APPS_AT_ONCE, (at + 1) * APPS_AT_ONCE) };
      return OWNERS.map(({ latest }) => this.messaging.request(latest, asked, caller));
    });
    const found = (await Promise.all(calls.flat())).flat().sort((a, b) => (a.position < b.position ? 1 : -1));
    const shown = found.slice(0, newest);
    const entries = await this.withMetadata(
      shown.map(({ entry }) => entry),
      caller,
    );
    const named = await this.named(entries, caller);
    return {
      entries: named.map((entry, at) => ({ ...entry, app: shown[at]?.appId ?? 0 })),
      // A whole page: there may be more.
      older: shown.length < newest ? null : (shown.at(-1)?.position ?? null),
    };
  }

  /**
   * Each service knows the positions of its own entries, and positions order all of them: merged,
   * they tell which stretch of the history the page is, and that alone is then read.
   */
  private async read(owners: readonly HistoryCalls[], filter: HistoryFilter, page: PageRequest, caller: Caller) {
    const end = page.page * page.perPage;
    const found = await Promise.all(
      owners.map(({ positions }) => this.messaging.request(positions, { ...filter, newest: end }, caller)),
    );
    const total = found.reduce((sum, each) => sum + each.total, 0);
    const merged = found
      .flatMap(({ positions }) => positions)
      .sort()
      .reverse();
    const wanted = merged.slice(end - page.perPage, end);
    const [last, first] = [wanted[0], wanted.at(-1)];
    if (first === undefined || last === undefined) return { items: [], total };

    const parts = await Promise.all(
      owners.map(({ entries }) => this.messaging.request(entries, { ...filter, first, last }, caller)),
    );
    const entries = parts
      .flat()
      .sort((a, b) => (a.position < b.position ? 1 : -1))
      .map(({ entry }) => entry);
    return { items: await this.named(await this.withMetadata(entries, caller), caller), total };
  }

  /** Metadata is erased with its build, so no entry holds it: it is read again for those that made a build. */
  private async withMetadata(entries: readonly HistoryEntry[], caller: Caller): Promise<readonly HistoryEntry[]> {
    const builds = entries.flatMap(({ build_id, before, after }) =>
      build_id !== null && before === null && after !== null ? [build_id] : [],
    );
    if (builds.length === 0) return entries;
    const metadata = await this.messaging.request(metadataOfBuilds, { builds }, caller);
    return entries.map((entry) => {
      const { build_id, before, after } = entry;
      if (build_id === null || before !== null || after === null) return entry;
      return { ...entry, after: { ...after, metadata: metadata[build_id] ?? {} } };
    });
  }

  private async named(entries: readonly HistoryEntry[], caller: Caller) {
    const actors = [...new Set(entries.map(({ actor }) => actor))];
    const names = await this.messaging.request(actorNames, { actors }, caller);
    return entries.map(({ actor, before, after, ...entry }) => ({
      ...entry,
      actor,
      actor_name: names[actor] ?? null,
      before,
      after,
    }));
  }
}
