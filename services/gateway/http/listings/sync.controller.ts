import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import {
  type Caller,
  getListingsOverview,
  getSyncLog,
  getSyncStatus,
  listingStatusSchema,
  listMappings,
  listSyncLogs,
  startSync,
} from '@sluice/contracts';
import { pageMeta, pageQuery, validate, validateBody } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { RequestCaller } from '../request.decorators';
import { REMOTE_PATIENCE } from './connection.controller';
import { success } from './envelope';

export const mappingsQuery = z.object({
  product_id: z.string('The product_id must be given once.').min(1, 'The product_id must not be empty.').optional(),
  listing_status: z
    .enum(listingStatusSchema.options, 'The listing_status must be pending, approved, disapproved or expiring.')
    .optional(),
});

/** Runs, their logs, and what became of each offer. */
@Controller('svc/v1/listings-ads')
export class SyncController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @Post('sync/now')
  @HttpCode(202)
  async start(@Body() body: unknown, @RequestCaller() caller: Caller) {
    const order = validateBody(startSync.request, body);
    const started = await this.messaging.request(startSync, order, caller, REMOTE_PATIENCE);
    return success(started, 'The sync is started.');
  }

  @Get('sync/status')
  async status(@RequestCaller() caller: Caller) {
    const status = await this.messaging.request(getSyncStatus, {}, caller);
    return success(status, status.running ? 'A sync is running.' : 'No sync is running.');
  }

  @Get('sync/logs')
  async logs(@Query() query: unknown, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const { items, total } = await this.messaging.request(listSyncLogs, page, caller);
    return success({ items, meta: pageMeta(page, total) }, 'The sync logs, the latest first.');
  }

  @Get('sync/logs/:log')
  async log(@Param('log') id: string, @RequestCaller() caller: Caller) {
    return success(await this.messaging.request(getSyncLog, { id }, caller), 'The sync log.');
  }

  @Get('mappings')
  async mappings(@Query() query: unknown, @RequestCaller() caller: Caller) {
    const page = validate(pageQuery, query);
    const { product_id: productId, listing_status: listingStatus } = validate(mappingsQuery, query);
    const request = { ...page, productId, listingStatus };
    const { items, total } = await this.messaging.request(listMappings, request, caller);
    return success({ items, meta: pageMeta(page, total) }, 'The mappings, by offer.');
  }

  @Get('overview')
  async overview(@RequestCaller() caller: Caller) {
    return success(await this.messaging.request(getListingsOverview, {}, caller), 'The listings and the last sync.');
  }
}
