import { Controller, Get, Inject, Query } from '@nestjs/common';
import { listOwnedApps, type Caller } from '@sluice/contracts';
import { pageMeta, pageQuery, validate } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { KnownOwner } from '../../projections/access-state';
import { RequestCaller, RequestOwner } from '../request.decorators';
import { removedQuery } from './schemas';

/** The apps of an owner, those that were removed as well. */
@Controller('api/dashboard/v1/apps')
export class OwnedAppsController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Get()
  async list(@Query() query: unknown, @RequestOwner() { id: ownerId }: KnownOwner, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const { removed } = validate(removedQuery, query);
    const wanted = removed === 'all' ? null : removed === 'true';
    const request = { ...page, ownerId, removed: wanted };
    const { items, total } = await this.messaging.request(listOwnedApps, request, caller);
    return { data: items, meta: pageMeta(page, total) };
  }
}
