import type { App } from '@sluice/contracts';
import { useWatched, type Watched, type WatchedKind } from '../../../parts/watched';
import * as texts from '../../../texts/app-settings';

/** An app, for a form that changes these fields of it. */
export const watchedApp = (app: App, fields: WatchedKind<App>['fields']): WatchedKind<App> => ({
  ...{ path: `/apps/${app.id}`, scope: ['apps', app.id], name: texts.nameOf(app.name), fields },
});

/** Watches the fields of a form of the settings. If the app is deleted, its page reports that. */
export function useWatchedApp(app: App, fields: WatchedKind<App>['fields'], busy: boolean): Watched<App> {
  return useWatched(app, watchedApp(app, fields), { open: true, busy, close: () => undefined });
}
