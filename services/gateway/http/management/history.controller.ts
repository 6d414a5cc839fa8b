import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { buildsHistory, type Caller } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { forTokensAndOwners } from '../access-policy';
import { AppHistory } from '../app-history';
import { idOf } from '../path-id';
import { RequestApp, RequestCaller } from '../request.decorators';

@Controller(forTokensAndOwners('apps/:app'))
export class HistoryController {
  constructor(
    private readonly history: AppHistory,
    @Inject(MESSAGING) private readonly messaging: Messaging,
  ) {}

  @Get('history')
  ofApp(@Query() query: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    return this.history.ofApp(app.id, query, caller);
  }

  @Get('builds/:build/history')
  async ofBuild(
    @Param('build') build: string,
    @Query() query: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
  ) {
    const whole = { appId: app.id, buildId: idOf(build, 'BUILD_NOT_FOUND') };
    const answer = await this.history.ofBuild(whole, query, caller);
    if (answer.meta.total === 0) {
      const { total } = await this.messaging.request(buildsHistory.positions, { ...whole, newest: 0 }, caller);
      if (total === 0) throw new DomainError('BUILD_NOT_FOUND', `There was never a build ${whole.buildId} here.`);
    }
    return answer;
  }
}
