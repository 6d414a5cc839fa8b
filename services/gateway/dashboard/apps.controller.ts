import { Inject } from '@nestjs/common';
import { idSchema, listOwnedApps, type Caller } from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import {
  AppHistory,
  HISTORY_DEPTH,
  historyAnswer,
  historyPage,
  latestQuery,
  type AppHistoryQuery,
  type LatestQuery,
} from '../management/app-history';
import { buildFilter, buildHistoryQuery } from '../management/as-of';
import { one, pageOfMany } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';
import { removedQuery } from './schemas';

/** The activity of more apps would take too long. */
const ACTIVE_APPS = 200;
const APPS_PER_PAGE = 50;
const ENTRIES = 50;

const activity = z.object({
  entries: z.array(historyAnswer.extend({ app: idSchema, app_name: z.string() })),
  older: z.string().nullable().meta({ description: 'The `before` of the entries before these; null: there are none.' }),
  apps_left_out: z.int().min(0),
});

export const APPS_TAG = ['Apps', 'The owner’s apps, including deleted ones.'] as const;

@Routes(...APPS_TAG)
export class OwnedAppsController {
  constructor(
    private readonly history: AppHistory,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  @DashboardRoute('GET', 'apps', {
    summary: 'List the owner’s apps, by ID; deleted ones on request',
    query: [pageQuery, removedQuery],
    call: listOwnedApps,
  })
  listOwnedApps(
    { owner }: RequestContext,
    { removed, ...page }: z.output<typeof pageQuery> & z.output<typeof removedQuery>,
  ) {
    return { ...page, ownerId: owner.id, removed: removed === 'all' ? null : removed === 'true' };
  }

  @DashboardRoute('GET', 'apps/:app/history', {
    // Unlike a token, an owner may read the history of a deleted app.
    scope: 'everApp',
    summary: 'List the history of an app, newest first, including deleted apps',
    description: `Use the integer id for a deleted app. ${HISTORY_DEPTH}`,
    query: [historyPage, buildFilter, buildHistoryQuery],
    answers: { 200: pageOfMany(historyAnswer) },
  })
  getOwnedAppHistory({ app, caller }: RequestContext, query: AppHistoryQuery) {
    return this.history.ofApp(app.id, query, caller);
  }

  @DashboardRoute('GET', 'activity', {
    summary: 'List the latest entries of the histories of all apps of the owner, newest first',
    description: `At most ${ENTRIES} entries, of up to ${ACTIVE_APPS} of the newest apps, including deleted ones. An entry may be missing for a moment after its change.`,
    query: [latestQuery],
    answers: { 200: one(activity, 'The entries.') },
  })
  async getActivity({ owner, caller }: RequestContext, query: LatestQuery) {
    const { apps, total } = await this.newestApps(owner.id, caller);
    const names = new Map(apps.map(({ id, name }) => [id, name]));
    const { entries, older } = await this.history.ofApps([...names.keys()], { ...query, newest: ENTRIES }, caller);
    return {
      entries: entries.map((entry) => ({ ...entry, app_name: names.get(entry.app) ?? '' })),
      older,
      apps_left_out: total - apps.length,
    };
  }

  private async newestApps(ownerId: number, caller: Caller) {
    const pageOf = (page: number) =>
      this.messaging.request(listOwnedApps, { page, perPage: APPS_PER_PAGE, ownerId, removed: null }, caller);
    const { items, total } = await pageOf(1);
    const last = Math.ceil(total / APPS_PER_PAGE);
    const pages = Array.from({ length: last }, (_, at) => at + 1).slice(-ACTIVE_APPS / APPS_PER_PAGE);
    const apps = last <= 1 ? items : (await Promise.all(pages.map(pageOf))).flatMap((page) => page.items);
    return { apps, total };
  }
}
