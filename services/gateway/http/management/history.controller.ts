import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import {
  actorNames,
  buildsHistory,
  keysHistory,
  MAX_HISTORY_DEPTH,
  registryHistory,
  type Caller,
  type HistoryCalls,
  type HistoryEntry,
  type HistoryFilter,
} from '@sluice/contracts';
import { pageMeta, pageQuery, validate } from '@sluice/http';
import { DomainError, ValidationError } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownApp } from '../../projections/access-state';
import { idOf } from '../path-id';
import { RequestApp, RequestCaller } from '../request.decorators';
import { buildFilter, buildHistoryQuery } from './past';

interface Page {
  readonly page: number;
  readonly perPage: number;
}

/** Who did what to an app, when, with which token (spec 5, history): newest first, deleted builds included. */
@Controller('api/public/v1/apps/:app')
export class HistoryController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get('history')
  async ofApp(@Query() query: unknown, @RequestApp() app: KnownApp, @RequestCaller() caller: Caller) {
    const page = depthChecked(validate(pageQuery, query));
    const { build: buildId } = validate(buildFilter, query);
    const filter = { ...validate(buildHistoryQuery, query), buildId, appId: app.id };
    const owners = buildId === undefined ? [registryHistory, buildsHistory, keysHistory] : [buildsHistory];
    return this.read(owners, filter, page, caller);
  }

  @Get('builds/:build/history')
  async ofBuild(
    @Param('build') build: string,
    @Query() query: unknown,
    @RequestApp() app: KnownApp,
    @RequestCaller() caller: Caller,
  ) {
    const page = depthChecked(validate(pageQuery, query));
    const filter = validate(buildHistoryQuery, query);
    const whole = { appId: app.id, buildId: idOf(build, 'BUILD_NOT_FOUND') };
    const answer = await this.read([buildsHistory], { ...filter, ...whole }, page, caller);
    if (answer.meta.total === 0) {
      const { total } = await this.messaging.request(buildsHistory.positions, { ...whole, newest: 0 }, caller);
      if (total === 0) throw new DomainError('BUILD_NOT_FOUND', `There was never a build ${whole.buildId} here.`);
    }
    return answer;
  }

  /**
   * Each service knows the positions of its own entries, and positions order all of them: merged,
   * they tell which stretch of the history the page is, and that alone is then read.
   */
  private async read(owners: readonly HistoryCalls[], filter: HistoryFilter, page: Page, caller: Caller) {
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

function depthChecked(page: Page): Page {
  if (page.page * page.perPage <= MAX_HISTORY_DEPTH) return page;
  throw new ValidationError({
    page: [`Only ${MAX_HISTORY_DEPTH} entries can be paged through. Narrow the history by from and to.`],
  });
}
