import { feedSettingsSchema, saveFeedSettings, saveSyncSettings, syncSettingsSchema } from '@sluice/contracts';
import { one, type OperationGroup } from '../openapi/operation';

const LISTINGS = '/svc/v1/listings-ads';

/** Schemas that the description gives a name. */
export const listingsComponents = { FeedSettings: feedSettingsSchema, SyncSettings: syncSettingsSchema };

/** What each route of the listings-ads plane takes and answers. */
export const listingsGroups: readonly OperationGroup[] = [
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
