import { Inject } from '@nestjs/common';
import {
  appOverviewSchema,
  buildHealthSchema,
  countBlockedCallers,
  countUnfinishedBuilds,
  findBuilds,
  type AppHealth,
  foundInAppSchema,
  getAppDevices,
  getHealth,
  type Health,
  listOpenPlans,
  listOwnedApps,
  openPlanSchema,
  type AppOverview,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { one, pageOfMany } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';
import { RELEASE_VERSION, unlessUnavailable } from '@sluice/kernel';
import { APPS_TAG } from './apps.controller';

/** A slower part is left out, because the others are worth more without a delay. */
const PATIENCE_MS = 3_000;
/** Of an app, with their health. */
const MAX_BUILDS = 20;

const VERSION_RULE = 'The version must be one like 1.4.0.';
const findBuildsQuery = z.object({ version: z.string(VERSION_RULE).regex(RELEASE_VERSION, VERSION_RULE) });

@Routes(...APPS_TAG)
export class OverviewController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** The same calls, however many apps are on the page. */
  @DashboardRoute('GET', 'overview', {
    summary: 'List the owner’s apps with their channels and health, by ID',
    description:
      'What each channel serves, and the health of each app. `devices`, `builds`, `blocked`, `plans` or `health` is null while the service that provides it does not respond.',
    query: [pageQuery],
    answers: { 200: pageOfMany(appOverviewSchema) },
  })
  async getOverview({ owner, caller }: Pick<RequestContext, 'owner' | 'caller'>, page: z.output<typeof pageQuery>) {
    const mine = { ...page, ownerId: owner.id, removed: false };
    const { items: apps, total } = await this.messaging.request(listOwnedApps, mine, caller);
    const asked = { apps: apps.map(({ id }) => id) };
    const options = { timeoutMs: PATIENCE_MS };
    const [devices, builds, blocked, plans, health] = await Promise.all([
      unlessUnavailable(this.messaging.request(getAppDevices, asked, caller, options)),
      unlessUnavailable(this.messaging.request(countUnfinishedBuilds, asked, caller, options)),
      unlessUnavailable(this.messaging.request(countBlockedCallers, asked, caller, options)),
      unlessUnavailable(this.messaging.request(listOpenPlans, asked, caller, options)),
      unlessUnavailable(this.messaging.request(getHealth, asked, caller, options)),
    ]);
    const items = apps.map(({ id, app_id, name, platform }, at): AppOverview => ({
      ...{ id, app_id, name, platform },
      devices: devices?.[at] ?? null,
      builds: builds?.[at] ?? null,
      blocked: blocked?.[at] ?? null,
      plans: plans?.[at] ?? null,
      health: worstFirst(health?.[at]),
    }));
    return { items, total };
  }

  @DashboardRoute('GET', 'builds', {
    summary: 'Find builds of a version in the owner’s apps',
    description:
      'A page of the apps, by id, each with its newest builds of exactly this version, at most 5. An app without one has an empty list.',
    query: [pageQuery, findBuildsQuery],
    answers: { 200: pageOfMany(foundInAppSchema) },
  })
  async findBuilds(
    { owner, caller }: Pick<RequestContext, 'owner' | 'caller'>,
    { version, ...page }: z.output<typeof pageQuery> & z.output<typeof findBuildsQuery>,
  ) {
    const mine = { ...page, ownerId: owner.id, removed: false };
    const { items: apps, total } = await this.messaging.request(listOwnedApps, mine, caller);
    const found = await this.messaging.request(findBuilds, { apps: apps.map(({ id }) => id), version }, caller);
    return { items: apps.map(({ id, app_id, name }, at) => ({ id, app_id, name, builds: found[at] ?? [] })), total };
  }

  @DashboardRoute('GET', 'apps/:app/plans', {
    summary: 'List the rollout plans of an app that are open',
    description:
      'Plans that run or are held, and those that failed and whose builds are stopped. At most 50 of each status, newest first.',
    answers: { 200: one(z.array(openPlanSchema), 'The open plans.') },
  })
  async getOpenPlans({ app, caller }: RequestContext) {
    const [plans = []] = await this.messaging.request(listOpenPlans, { apps: [app.id] }, caller);
    return plans;
  }
}

const withoutDays = buildHealthSchema.omit({ days: true });
const SEVERITY: Readonly<Record<Health, number>> = { failing: 0, watch: 1, healthy: 2, unknown: 2 };

function worstFirst(app: AppHealth | undefined): AppOverview['health'] {
  if (app === undefined) return null;
  return app.builds
    .toSorted((a, b) => SEVERITY[a.health] - SEVERITY[b.health] || b.build_id - a.build_id)
    .slice(0, MAX_BUILDS)
    .map((build) => withoutDays.parse(build));
}
