import { Inject } from '@nestjs/common';
import { buildsHistory } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import {
  AppHistory,
  HISTORY_DEPTH,
  historyAnswer,
  historyPage,
  type BuildHistoryQuery,
  type AppHistoryQuery,
} from './app-history';
import { pageOfMany } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { ManagementRoute, Routes } from '../http/route';
import { buildFilter, buildHistoryQuery } from './as-of';

@Routes('History', 'Who did what, when, and with which token, including deleted builds.')
export class HistoryController {
  constructor(
    private readonly history: AppHistory,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  @ManagementRoute('GET', 'apps/:app/history', {
    summary: 'List the history of an app, newest first',
    description: HISTORY_DEPTH,
    query: [historyPage, buildFilter, buildHistoryQuery],
    answers: { 200: pageOfMany(historyAnswer) },
    tokensOnly: true,
  })
  getAppHistory({ app, caller }: RequestContext, query: AppHistoryQuery) {
    return this.history.ofApp(app.id, query, caller);
  }

  @ManagementRoute('GET', 'apps/:app/builds/:build/history', {
    summary: 'List the history of a build, newest first',
    description: HISTORY_DEPTH,
    query: [historyPage, buildHistoryQuery],
    answers: { 200: pageOfMany(historyAnswer) },
  })
  async getBuildHistory(context: RequestContext, query: BuildHistoryQuery) {
    const { app, caller } = context;
    const whole = { appId: app.id, buildId: context.id('build') };
    const page = await this.history.ofBuild(whole, query, caller);
    if (page.total === 0) {
      const { total } = await this.messaging.request(buildsHistory.positions, { ...whole, newest: 0 }, caller);
      if (total === 0) throw new DomainError('BUILD_NOT_FOUND', `This app never had a build ${whole.buildId}.`);
    }
    return page;
  }
}
