import type { ApiKey, App, Restrictions } from '@sluice/contracts';
import type { WatchedKind } from '../../../parts/watched';
import * as texts from '../../../texts/api-keys';

const listed = (entries: readonly string[]): string => entries.join(', ') || texts.none;

const androidWords = ({ android = [] }: Restrictions): string =>
  listed(
    android.map(({ package_name: name, sha256 = [], sha1 = [] }) => texts.withDetails(name, [...sha256, ...sha1])),
  );

const iosWords = ({ ios = [] }: Restrictions): string =>
  listed(ios.map(({ bundle_id: id, team_id: team }) => texts.withDetails(id, team === undefined ? [] : [team])));

/** An API key, for a dialog that changes it. */
export const watchedKey = (app: App, key: ApiKey): WatchedKind<ApiKey> => ({
  ...{ path: `/apps/${app.id}/api-keys/${key.id}`, scope: ['keys', app.id], name: texts.nameOf(key.name) },
  fields: [
    ['status', texts.status, ({ status }) => status],
    ['key_preview', texts.theSecret, ({ key_preview: preview }) => preview],
    ['restrictions', texts.webPages, ({ restrictions: { origins = [] } }) => listed(origins)],
    ['restrictions', texts.androidApps.label, ({ restrictions }) => androidWords(restrictions)],
    ['restrictions', texts.iosApps.label, ({ restrictions }) => iosWords(restrictions)],
    ['restrictions', texts.channels, ({ restrictions: { channels = [] } }) => listed(channels)],
  ],
});
