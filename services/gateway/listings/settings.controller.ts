import { getFeedSettings, getSyncSettings, saveFeedSettings, saveSyncSettings } from '@sluice/contracts';
import { ListingsRoute, Routes, asSent, noRequest } from '../http/route';

@Routes('Settings', 'Which products are listed, and how often they are synchronised.')
export class ListingsSettingsController {
  @ListingsRoute('GET', 'feed/settings', {
    summary: 'Get the feed settings',
    call: getFeedSettings,
    answers: { 200: 'All feed settings.' },
    message: 'The feed settings.',
  })
  getFeedSettings = noRequest;

  @ListingsRoute('POST', 'feed/settings', {
    summary: 'Change the given feed settings, all or none',
    body: saveFeedSettings.request,
    call: saveFeedSettings,
    answers: { 200: 'All feed settings.' },
    message: 'The feed settings are saved.',
  })
  saveFeedSettings = asSent;

  @ListingsRoute('GET', 'sync/settings', {
    summary: 'Get the sync settings',
    call: getSyncSettings,
    answers: { 200: 'All sync settings.' },
    message: 'The sync settings.',
  })
  getSyncSettings = noRequest;

  @ListingsRoute('POST', 'sync/settings', {
    summary: 'Change the given sync settings, all or none',
    body: saveSyncSettings.request,
    call: saveSyncSettings,
    answers: { 200: 'All sync settings.' },
    message: 'The sync settings are saved.',
  })
  saveSyncSettings = asSent;
}
