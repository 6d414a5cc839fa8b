import { getFeedSettings, getSyncSettings, saveFeedSettings, saveSyncSettings } from '@sluice/contracts';
import { ListingsRoute, Routes, asSent, noRequest } from '../http/route';

@Routes('Settings', 'What is listed, and how often.')
export class ListingsSettingsController {
  @ListingsRoute('GET', 'feed/settings', {
    summary: 'The feed settings',
    call: getFeedSettings,
    answers: { 200: 'All of them.' },
    message: 'The feed settings.',
  })
  getFeedSettings = noRequest;

  @ListingsRoute('POST', 'feed/settings', {
    summary: 'Change feed settings: all that are named, or none',
    body: saveFeedSettings.request,
    call: saveFeedSettings,
    answers: { 200: 'All of them.' },
    message: 'The feed settings are saved.',
  })
  saveFeedSettings = asSent;

  @ListingsRoute('GET', 'sync/settings', {
    summary: 'The sync settings',
    call: getSyncSettings,
    answers: { 200: 'All of them.' },
    message: 'The sync settings.',
  })
  getSyncSettings = noRequest;

  @ListingsRoute('POST', 'sync/settings', {
    summary: 'Change sync settings: all that are named, or none',
    body: saveSyncSettings.request,
    call: saveSyncSettings,
    answers: { 200: 'All of them.' },
    message: 'The sync settings are saved.',
  })
  saveSyncSettings = asSent;
}
