import { Controller, Get, Inject, Query } from '@nestjs/common';
import {
  countBlockedCallers,
  countUnfinishedBuilds,
  getAppDevices,
  listOwnedApps,
  type AppOverview,
  type Caller,
} from '@sluice/contracts';
import { pageMeta, pageQuery, validate } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownOwner } from '../../projections/access-state';
import { RequestCaller, RequestOwner } from '../request.decorators';
import { unlessAway } from '../unless-away';

/** A part that takes longer is left out: the others are worth more at once. */
const PATIENCE_MS = 3_000;

/** The apps of an owner at a glance: one question to each service, however many apps are on the page. */
@Controller('api/dashboard/v1/overview')
export class OverviewController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async list(@Query() query: unknown, @RequestOwner() { id: ownerId }: KnownOwner, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const { items, total } = await this.messaging.request(listOwnedApps, { ...page, ownerId, removed: false }, caller);
    const asked = { apps: items.map(({ id }) => id) };
    const options = { timeoutMs: PATIENCE_MS };
    const [devices, builds, blocked] = await Promise.all([
      unlessAway(this.messaging.request(getAppDevices, asked, caller, options)),
      unlessAway(this.messaging.request(countUnfinishedBuilds, asked, caller, options)),
      unlessAway(this.messaging.request(countBlockedCallers, asked, caller, options)),
    ]);
    const data = items.map(({ id, app_id, name, platform }, at): AppOverview => ({
      ...{ id, app_id, name, platform },
      devices: devices?.[at] ?? null,
      builds: builds?.[at] ?? null,
      blocked: blocked?.[at] ?? null,
    }));
    return { data, meta: pageMeta(page, total) };
  }
}
