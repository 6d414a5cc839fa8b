import { Inject, Injectable } from '@nestjs/common';
import {
  actorNames,
  buildsHistory,
  historyEntrySchema,
  keysHistory,
  MAX_HISTORY_DEPTH,
  registryHistory,
  type Caller,
  type HistoryCalls,
  type HistoryEntry,
  type HistoryFilter,
  type PageRequest,
} from '@sluice/contracts';
import { pageMeta, pageQuery, validate } from '@sluice/http';
import { ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { buildFilter, buildHistoryQuery } from './management/past';

const changed = z.record(z.string(), z.unknown()).nullable();

/** What the descriptions say of `page` and `per_page`. */
export const HISTORY_DEPTH = `Only ${MAX_HISTORY_DEPTH} entries can be paged through; \`from\` and \`to\` reach those further back.`;

/** An entry as it is answered, with the name that its actor has now. */
export const historyAnswer = historyEntrySchema.extend({
  actor_name: z.string().nullable(),
  before: changed,
  after: changed,
});

/** Who did what to an app, when, with which token (spec 5, history): newest first, deleted builds included. */
@Injectable()
export class AppHistory {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** The page that the query asks for, of an app that is there or was. @throws ValidationError */
  ofApp(appId: number, query: unknown, caller: Caller) {
    const page = depthChecked(validate(pageQuery, query));
    const { build: buildId } = validate(buildFilter, query);
    const filter = { ...validate(buildHistoryQuery, query), buildId, appId };
    const owners = buildId === undefined ? [registryHistory, buildsHistory, keysHistory] : [buildsHistory];
    return this.read(owners, filter, page, caller);
  }

  /** As ofApp, of one build. */
  ofBuild(whole: { readonly appId: number; readonly buildId: number }, query: unknown, caller: Caller) {
    const page = depthChecked(validate(pageQuery, query));
    const filter = validate(buildHistoryQuery, query);
    return this.read([buildsHistory], { ...filter, ...whole }, page, caller);
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
    const meta = pageMeta(
      page,
      found.reduce((sum, { total }) => sum + total, 0),
    );
    const merged = found
      .flatMap(({ positions }) => positions)
      .sort()
      .reverse();
    const wanted = merged.slice(end - page.perPage, end);
    const [last, first] = [wanted[0], wanted.at(-1)];
    if (first === undefined || last === undefined) return { data: [], meta };

    const parts = await Promise.all(
      owners.map(({ entries }) => this.messaging.request(entries, { ...filter, first, last }, caller)),
    );
    const entries = parts
      .flat()
      .sort((a, b) => (a.position < b.position ? 1 : -1))
      .map(({ entry }) => entry);
    return { data: await this.named(entries, caller), meta };
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

function depthChecked(page: PageRequest): PageRequest {
  if (page.page * page.perPage <= MAX_HISTORY_DEPTH) return page;
  throw new ValidationError({
    page: [`Only ${MAX_HISTORY_DEPTH} entries can be paged through. Narrow the history by from and to.`],
  });
}
