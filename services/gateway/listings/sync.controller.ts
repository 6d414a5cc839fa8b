import { Inject } from '@nestjs/common';
import {
  getListingsDiagnostics,
  getListingsOverview,
  getSyncLog,
  getSyncStatus,
  listingStatusSchema,
  listMappings,
  listSyncLogs,
  mappingSchema,
  repairListings,
  startSync,
  syncLogSchema,
} from '@sluice/contracts';
import { pageMeta, pageMetaSchema, pageQuery } from '@sluice/http';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import { z } from 'zod';
import { one } from '@sluice/openapi';
import type { RequestContext } from '../http/request-context';
import { ListingsRoute, Routes, asSent, noRequest } from '../http/route';
import { REMOTE_PATIENCE } from './connection.controller';

const mappingsQuery = z.object({
  product_id: z.string('The product_id must be given once.').min(1, 'The product_id must not be empty.').optional(),
  listing_status: z
    .enum(listingStatusSchema.options, 'The listing_status must be pending, approved, disapproved or expiring.')
    .optional(),
});

const pageOf = (item: z.ZodType) => one(z.object({ items: z.array(item), meta: pageMetaSchema }), 'One page.');

@Routes('Sync', 'Runs that push changed products, the status of each offer, and problems.')
export class SyncController {
  constructor(@Inject(MESSAGING) private readonly messaging: Messaging) {}

  @ListingsRoute('POST', 'sync/now', {
    ...REMOTE_PATIENCE,
    summary: 'Start a run; its log reports the result',
    description:
      'Without run_type, the first run is full and later ones are incremental; with a product_id, the run is single.',
    body: startSync.request,
    call: startSync,
    answers: { 202: 'The run is started.' },
    message: 'The sync is started.',
  })
  startSync = asSent;

  @ListingsRoute('GET', 'sync/status', {
    summary: 'Get whether a run is in progress, and how far it is',
    call: getSyncStatus,
    answers: { 200: 'The progress; null if no run is in progress.' },
    message: ({ running }) => (running ? 'A sync is running.' : 'No sync is running.'),
  })
  getSyncStatus = noRequest;

  @ListingsRoute('GET', 'sync/logs', {
    summary: 'List past runs and the current one, the latest first',
    query: [pageQuery],
    answers: { 200: pageOf(syncLogSchema) },
    message: 'The sync logs, the latest first.',
  })
  async listSyncLogs({ caller }: RequestContext, page: z.output<typeof pageQuery>) {
    const { items, total } = await this.messaging.request(listSyncLogs, page, caller);
    return { items, meta: pageMeta(page, total) };
  }

  @ListingsRoute('GET', 'sync/logs/:log', {
    summary: 'Get one run',
    call: getSyncLog,
    answers: { 200: 'The log.' },
    message: 'The sync log.',
  })
  getSyncLog = (context: RequestContext) => ({ id: context.param('log') });

  @ListingsRoute('GET', 'mappings', {
    summary: 'List the status that Google reports for each offer',
    query: [pageQuery, mappingsQuery],
    answers: { 200: pageOf(mappingSchema) },
    message: 'The mappings, by offer.',
  })
  async listMappings({ caller }: RequestContext, query: z.output<typeof pageQuery> & z.output<typeof mappingsQuery>) {
    const { product_id: productId, listing_status: listingStatus, ...page } = query;
    const { items, total } = await this.messaging.request(listMappings, { ...page, productId, listingStatus }, caller);
    return { items, meta: pageMeta(page, total) };
  }

  @ListingsRoute('GET', 'overview', {
    summary: 'Get the number of listings by status, and the last run',
    call: getListingsOverview,
    answers: { 200: 'The summary.' },
    message: 'The listings and the last sync.',
  })
  getListingsOverview = noRequest;

  @ListingsRoute('GET', 'diagnostics', {
    ...REMOTE_PATIENCE,
    summary: 'Check the connection, the account, the runs and the mappings',
    call: getListingsDiagnostics,
    answers: { 200: 'Every check.' },
    message: ({ checks }) => {
      const wrong = checks.filter(({ status }) => status !== 'ok').length;
      return wrong === 0 ? 'No problems found.' : `${wrong} of ${checks.length} checks found a problem.`;
    },
  })
  getListingsDiagnostics = noRequest;

  @ListingsRoute('POST', 'diagnostics/repair', {
    ...REMOTE_PATIENCE,
    summary: 'Repair what can be repaired, or preview the repair',
    body: repairListings.request,
    call: repairListings,
    answers: { 200: 'What was done; with dry_run, what a repair would do.' },
    message: ({ repairs, dry_run }) =>
      repairs.length === 0
        ? 'There was nothing to repair.'
        : dry_run
          ? 'Preview of the repair. Nothing was changed.'
          : 'The repair is done, or continues in the run log_id.',
  })
  repairListings = asSent;
}
