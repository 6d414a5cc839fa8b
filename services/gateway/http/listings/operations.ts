import {
  completeConnect,
  connectMerchant,
  disconnectMerchant,
  feedContentSchema,
  feedDownloadQuery,
  feedPreviewQuery,
  feedPreviewSchema,
  feedSettingsSchema,
  getMerchantAccount,
  getMerchantConnection,
  getListingsDiagnostics,
  getSyncStatus,
  mappingSchema,
  overviewSchema,
  repairListings,
  repairSchema,
  startSync,
  syncLogSchema,
  saveFeedSettings,
  saveSyncSettings,
  syncSettingsSchema,
} from '@sluice/contracts';
import { callbackQuery } from './callback';
import { pageMetaSchema, pageQuery } from '@sluice/http';
import { z } from 'zod';
import { one, type OperationGroup } from '../openapi/operation';
import { LISTINGS } from './namespace';
import { mappingsQuery } from './sync.controller';

const LISTINGS_ADS = `${LISTINGS}/listings-ads`;

/** Schemas that the description gives a name. */
export const listingsComponents = {
  FeedSettings: feedSettingsSchema,
  SyncSettings: syncSettingsSchema,
  SyncLog: syncLogSchema,
};

const listOf = (item: z.ZodType) => z.object({ items: z.array(item), meta: pageMetaSchema });

/** What each route of the listings-ads plane takes and answers. */
export const listingsGroups: readonly OperationGroup[] = [
  {
    heading: 'Connection',
    description: 'Access to the merchant account, which its owner grants on the remote side.',
    operations: {
      [`POST ${LISTINGS_ADS}/connect`]: {
        id: 'connectMerchant',
        summary: 'Begin a connection: where a browser goes to grant access',
        answers: { 200: one(connectMerchant.reply, 'Good for ten minutes, once.') },
        refusals: ['oauth_client_missing'],
      },
      [`GET ${LISTINGS_ADS}/oauth/callback`]: {
        id: 'completeConnect',
        summary: 'Where the remote side sends the browser back to',
        description:
          'Ten a minute from one address. A state is used up by the first call that names it. A browser (`Accept: text/html`) is sent on to the console, with `error` in the query when access was not granted; a browser that came too often is answered 429 with a page that leads there.',
        query: [callbackQuery],
        answers: {
          200: one(completeConnect.reply, 'The store is connected.'),
          303: { kind: 'empty', description: 'To the console.', headers: { Location: 'A page of the console.' } },
        },
        refusals: [
          'invalid_state',
          'access_denied',
          'oauth_client_missing',
          'remote_unavailable',
          'module_disabled',
          'entitlement_required',
        ],
        open: true,
      },
      [`POST ${LISTINGS_ADS}/disconnect`]: {
        id: 'disconnectMerchant',
        summary: 'Drop the connection, and revoke its token on the remote side',
        answers: { 200: one(disconnectMerchant.reply, 'The connection is dropped.') },
        refusals: ['not_connected'],
      },
      [`GET ${LISTINGS_ADS}/connection`]: {
        id: 'getMerchantConnection',
        summary: 'Whether the store is connected, and as whom',
        answers: { 200: one(getMerchantConnection.reply, 'The connection.') },
      },
      [`GET ${LISTINGS_ADS}/merchant`]: {
        id: 'getMerchantAccount',
        summary: 'The merchant account that offers go to',
        answers: { 200: one(getMerchantAccount.reply, 'The account.') },
        refusals: [
          'not_connected',
          'reauth_required',
          'oauth_client_missing',
          'account_not_chosen',
          'account_inaccessible',
          'remote_quota_exceeded',
          'remote_unavailable',
          'remote_api_sunset',
        ],
      },
    },
  },
  {
    heading: 'Settings',
    description: 'What is listed, and how often.',
    operations: {
      [`GET ${LISTINGS_ADS}/feed/settings`]: {
        id: 'getFeedSettings',
        summary: 'The feed settings',
        answers: { 200: one(feedSettingsSchema, 'All of them.') },
      },
      [`POST ${LISTINGS_ADS}/feed/settings`]: {
        id: 'saveFeedSettings',
        summary: 'Change feed settings: all that are named, or none',
        body: saveFeedSettings.request,
        answers: { 200: one(feedSettingsSchema, 'All of them.') },
      },
      [`GET ${LISTINGS_ADS}/sync/settings`]: {
        id: 'getSyncSettings',
        summary: 'The sync settings',
        answers: { 200: one(syncSettingsSchema, 'All of them.') },
      },
      [`POST ${LISTINGS_ADS}/sync/settings`]: {
        id: 'saveSyncSettings',
        summary: 'Change sync settings: all that are named, or none',
        body: saveSyncSettings.request,
        answers: { 200: one(syncSettingsSchema, 'All of them.') },
      },
    },
  },
  {
    heading: 'Sync',
    description: 'Runs that push what changed, what became of each offer, and what is wrong.',
    operations: {
      [`POST ${LISTINGS_ADS}/sync/now`]: {
        id: 'startSync',
        summary: 'Start a run; its log tells how it ends',
        description:
          'Without run_type the first run is full and later ones are incremental; with a product_id it is single.',
        body: startSync.request,
        answers: { 202: one(startSync.reply, 'The run is started.') },
        refusals: ['not_connected', 'reauth_required', 'sync_already_running'],
      },
      [`GET ${LISTINGS_ADS}/sync/status`]: {
        id: 'getSyncStatus',
        summary: 'Whether a run goes on, and how far it is',
        answers: { 200: one(getSyncStatus.reply, 'The progress is null while none runs.') },
      },
      [`GET ${LISTINGS_ADS}/sync/logs`]: {
        id: 'listSyncLogs',
        summary: 'Past runs and the one that goes on, the latest first',
        query: [pageQuery],
        answers: { 200: one(listOf(syncLogSchema), 'One page.') },
      },
      [`GET ${LISTINGS_ADS}/sync/logs/:log`]: {
        id: 'getSyncLog',
        summary: 'One run in detail',
        answers: { 200: one(syncLogSchema, 'The log.') },
      },
      [`GET ${LISTINGS_ADS}/mappings`]: {
        id: 'listMappings',
        summary: 'What the remote side reports of each offer',
        query: [pageQuery, mappingsQuery],
        answers: { 200: one(listOf(mappingSchema), 'One page.') },
      },
      [`GET ${LISTINGS_ADS}/overview`]: {
        id: 'getListingsOverview',
        summary: 'Listings by status, and the last run',
        answers: { 200: one(overviewSchema, 'The summary.') },
      },
      [`GET ${LISTINGS_ADS}/diagnostics`]: {
        id: 'getListingsDiagnostics',
        summary: 'What is wrong with the connection, the account, the runs and the mappings',
        answers: { 200: one(getListingsDiagnostics.reply, 'Every check.') },
      },
      [`POST ${LISTINGS_ADS}/diagnostics/repair`]: {
        id: 'repairListings',
        summary: 'Repair what can be repaired, or tell what a repair would do',
        body: repairListings.request,
        answers: { 200: one(repairSchema, 'What was done, or with dry_run what would be.') },
        refusals: ['not_connected', 'reauth_required', 'sync_already_running'],
      },
    },
  },
  {
    heading: 'Feed',
    description: 'What is listed of the store, without being connected.',
    operations: {
      [`GET ${LISTINGS_ADS}/feed/preview`]: {
        id: 'previewFeed',
        summary: 'What the feed would hold now, and what it leaves out, and why',
        query: [feedPreviewQuery],
        answers: { 200: one(feedPreviewSchema, 'A part, in the order of the store.') },
        refusals: ['store_not_configured', 'store_unavailable'],
      },
      [`GET ${LISTINGS_ADS}/feed/download`]: {
        id: 'downloadFeed',
        summary: 'The feed as a file',
        query: [feedDownloadQuery],
        answers: {
          200: {
            kind: 'bytes',
            mediaType: 'application/rss+xml',
            json: feedContentSchema,
            description: 'The file, RSS or `text/tab-separated-values`; in the envelope for who asks for JSON.',
          },
        },
        refusals: ['store_not_configured', 'store_unavailable'],
      },
    },
  },
];
