import * as texts from '../texts/app';
import * as frame from '../texts/frame';

/** A screen. `key`: opens it after `g`. */
export interface Place {
  readonly to: string;
  readonly name: string;
  readonly key?: string;
}

/** The main navigation. */
export const PLACES: readonly (Place & { readonly operator?: true })[] = [
  { to: '/apps', name: frame.apps, key: 'a' },
  { to: '/activity', name: frame.activity, key: 'c' },
  { to: '/tokens', name: frame.tokens, key: 't' },
  { to: '/listings-ads', name: frame.listings, operator: true },
];

/** The screens of one app, below its own address, in the order of its tabs. */
export const APP_PLACES = [
  { to: '', name: texts.releases, key: 'r' },
  { to: '/builds', name: texts.builds, key: 'b' },
  { to: '/api-keys', name: texts.apiKeys, key: 'k' },
  { to: '/signing', name: texts.signing },
  { to: '/adoption', name: texts.adoption, key: 'p' },
  { to: '/devices', name: texts.devices, key: 'd' },
  { to: '/history', name: texts.history, key: 'h' },
  { to: '/settings', name: texts.settings, key: 's' },
] as const satisfies readonly Place[];
