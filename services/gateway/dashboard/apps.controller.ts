import { listOwnedApps } from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import type { z } from 'zod';
import { AppHistory, HISTORY_DEPTH, historyAnswer, historyPage, type AppHistoryQuery } from '../management/app-history';
import { buildFilter, buildHistoryQuery } from '../management/as-of';
import { pageOfMany } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';
import { removedQuery } from './schemas';

export const APPS_TAG = ['Apps', 'The owner’s apps, including deleted ones.'] as const;

@Routes(...APPS_TAG)
export class OwnedAppsController {
  constructor(private readonly history: AppHistory) {}

  @DashboardRoute('GET', 'apps', {
    summary: 'List the owner’s apps, by id; deleted ones on request',
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
}
