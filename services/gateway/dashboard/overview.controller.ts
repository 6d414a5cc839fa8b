import { Inject } from '@nestjs/common';
import {
  appOverviewSchema,
  countBlockedCallers,
  countUnfinishedBuilds,
  getAppDevices,
  listOwnedApps,
  type AppOverview,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { z } from 'zod';
import { pageOfMany } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { DashboardRoute, Routes } from '../http/route';
import { unlessUnavailable } from '@sluice/kernel';
import { APPS_TAG } from './apps.controller';

/** A slower part is left out, because the others are worth more without a delay. */
const PATIENCE_MS = 3_000;

@Routes(...APPS_TAG)
export class OverviewController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  /** One call to each service, however many apps are on the page. */
  @DashboardRoute('GET', 'overview', {
    summary: 'List the owner’s apps with their channels and health, by id',
    description:
      'What each channel serves, and the health of each app. `devices`, `builds` or `blocked` is null while the service that provides it does not respond.',
    query: [pageQuery],
    answers: { 200: pageOfMany(appOverviewSchema) },
  })
  async getOverview({ owner, caller }: Pick<RequestContext, 'owner' | 'caller'>, page: z.output<typeof pageQuery>) {
    const mine = { ...page, ownerId: owner.id, removed: false };
    const { items: apps, total } = await this.messaging.request(listOwnedApps, mine, caller);
    const asked = { apps: apps.map(({ id }) => id) };
    const options = { timeoutMs: PATIENCE_MS };
    const [devices, builds, blocked] = await Promise.all([
      unlessUnavailable(this.messaging.request(getAppDevices, asked, caller, options)),
      unlessUnavailable(this.messaging.request(countUnfinishedBuilds, asked, caller, options)),
      unlessUnavailable(this.messaging.request(countBlockedCallers, asked, caller, options)),
    ]);
    const items = apps.map(({ id, app_id, name, platform }, at): AppOverview => ({
      ...{ id, app_id, name, platform },
      devices: devices?.[at] ?? null,
      builds: builds?.[at] ?? null,
      blocked: blocked?.[at] ?? null,
    }));
    return { items, total };
  }
}
