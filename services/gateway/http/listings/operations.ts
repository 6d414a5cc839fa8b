import {
  completeConnect,
  connectMerchant,
  disconnectMerchant,
  feedSettingsSchema,
  getMerchantAccount,
  getMerchantConnection,
  saveFeedSettings,
  saveSyncSettings,
  syncSettingsSchema,
} from '@sluice/contracts';
import { callbackQuery } from './callback';
import { one, type OperationGroup } from '../openapi/operation';

const LISTINGS = '/svc/v1/listings-ads';

/** Schemas that the description gives a name. */
export const listingsComponents = { FeedSettings: feedSettingsSchema, SyncSettings: syncSettingsSchema };

/** What each route of the listings-ads plane takes and answers. */
export const listingsGroups: readonly OperationGroup[] = [
  {
    heading: 'Connection',
    description: 'Access to the merchant account, which its owner grants on the remote side.',
    operations: {
      [`POST ${LISTINGS}/connect`]: {
        id: 'connectMerchant',
        summary: 'Begin a connection: where a browser goes to grant access',
        answers: { 200: one(connectMerchant.reply, 'Good for ten minutes, once.') },
        refusals: ['oauth_client_missing'],
      },
      [`GET ${LISTINGS}/oauth/callback`]: {
        id: 'completeConnect',
        summary: 'Where the remote side sends the browser back to',
        description:
          'Ten a minute from one address. A state is used up by the first call that names it. A browser (`Accept: text/html`) is sent on to the console, with `error` in the query when access was not granted.',
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
      [`POST ${LISTINGS}/disconnect`]: {
        id: 'disconnectMerchant',
        summary: 'Drop the connection, and revoke its token on the remote side',
        answers: { 200: one(disconnectMerchant.reply, 'The connection is dropped.') },
        refusals: ['not_connected'],
      },
      [`GET ${LISTINGS}/connection`]: {
        id: 'getMerchantConnection',
        summary: 'Whether the store is connected, and as whom',
        answers: { 200: one(getMerchantConnection.reply, 'The connection.') },
      },
      [`GET ${LISTINGS}/merchant`]: {
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
      [`GET ${LISTINGS}/feed/settings`]: {
        id: 'getFeedSettings',
        summary: 'The feed settings',
        answers: { 200: one(feedSettingsSchema, 'All of them.') },
      },
      [`POST ${LISTINGS}/feed/settings`]: {
        id: 'saveFeedSettings',
        summary: 'Change feed settings: all that are named, or none',
        body: saveFeedSettings.request,
        answers: { 200: one(feedSettingsSchema, 'All of them.') },
      },
      [`GET ${LISTINGS}/sync/settings`]: {
        id: 'getSyncSettings',
        summary: 'The sync settings',
        answers: { 200: one(syncSettingsSchema, 'All of them.') },
      },
      [`POST ${LISTINGS}/sync/settings`]: {
        id: 'saveSyncSettings',
        summary: 'Change sync settings: all that are named, or none',
        body: saveSyncSettings.request,
        answers: { 200: one(syncSettingsSchema, 'All of them.') },
      },
    },
  },
];
