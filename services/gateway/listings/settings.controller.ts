import { getFeedSettings, getSyncSettings, saveFeedSettings, saveSyncSettings } from '@sluice/contracts';
import type { z } from 'zod';
import type { RequestContext } from '../http/request-context';
import { ListingsRoute, Routes } from '../http/route';

@Routes('Settings', 'What is listed, and how often.')
export class ListingsSettingsController {
  @ListingsRoute('GET', 'feed/settings', {
    summary: 'The feed settings',
    call: getFeedSettings,
    answers: { 200: 'All of them.' },
    message: 'The feed settings.',
  })
  getFeedSettings() {
    return {};
  }

  @ListingsRoute('POST', 'feed/settings', {
    summary: 'Change feed settings: all that are named, or none',
    body: saveFeedSettings.request,
    call: saveFeedSettings,
    answers: { 200: 'All of them.' },
    message: 'The feed settings are saved.',
  })
  saveFeedSettings(_: RequestContext, changes: z.output<typeof saveFeedSettings.request>) {
    return changes;
  }

  @ListingsRoute('GET', 'sync/settings', {
    summary: 'The sync settings',
    call: getSyncSettings,
    answers: { 200: 'All of them.' },
    message: 'The sync settings.',
  })
  getSyncSettings() {
    return {};
  }

  @ListingsRoute('POST', 'sync/settings', {
    summary: 'Change sync settings: all that are named, or none',
    body: saveSyncSettings.request,
    call: saveSyncSettings,
    answers: { 200: 'All of them.' },
    message: 'The sync settings are saved.',
  })
  saveSyncSettings(_: RequestContext, changes: z.output<typeof saveSyncSettings.request>) {
    return changes;
  }
}
