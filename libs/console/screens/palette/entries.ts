import { useQuery } from '@tanstack/react-query';
import type { App, Build, FoundInApp } from '@sluice/contracts';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { api, PER_PAGE, query } from '../../api/client';
import { useGet } from '../../api/queries';
import { useIsOperator, useSignOut } from '../../api/session';
import { THEMES } from '../../parts/frame';
import { appIn, show } from '../../parts/keys';
import { APP_PLACES, PLACES } from '../../parts/places';
import { applyTheme } from '../../parts/theme';
import { CHOSEN } from '../../parts/wanted';
import * as frame from '../../texts/frame';
import { create as createPreview, tryOut } from '../../texts/channels';
import { configure } from '../../texts/clients';
import * as texts from '../../texts/palette';
import { build as nameOf } from '../../texts/shared';
import { actionsOn, canPreview } from '../app/releases/build-menu';
import { useOverview } from '../apps/overview';
import { buildsOf } from '../builds/data';

export interface Entry {
  readonly id: string;
  readonly kind: keyof typeof texts.kinds;
  readonly name: string;
  readonly about?: string;
  readonly words?: string;
  readonly hidden?: true;
  readonly danger?: boolean;
  readonly run: () => void;
}

/**
 * What the palette finds: the present app with its newest builds, all other apps with what they serve, the screens, and
 * every build of a version that the text names.
 */
export function useEntries(wanted: string): { readonly entries: readonly Entry[]; readonly isIncomplete: boolean } {
  const [location, go] = useLocation();
  const here = appIn(location);
  const app = useGet<App>(`/apps/${here}`, ['apps', here ?? 0], { enabled: here !== undefined });
  const builds = useQuery({ ...buildsOf(here ?? 0, {}), enabled: here !== undefined });
  const overview = useOverview(false);
  const found = useBuildsOfVersion(versionIn(wanted));
  const isOperator = useIsOperator();
  const signOut = useSignOut();

  const to = (path: string, entry: Omit<Entry, 'id' | 'run'>): Entry => ({
    ...entry,
    id: `${path} ${entry.kind}`,
    run: () => go(path, { state: CHOSEN }),
  });
  const ofApp = app.data === undefined ? [] : entriesOf(app.data, builds.data?.data ?? [], to);
  const others = (overview.data ?? []).flatMap(({ id, name, app_id: appId, devices }) => [
    to(`/apps/${id}`, { kind: 'app', name, about: appId }),
    ...(id === here ? [] : (devices?.channels ?? [])).flatMap(({ channel, build }) =>
      build === null
        ? []
        : [
            to(`/apps/${id}/builds/${build.id}`, {
              kind: 'build',
              name: nameOf({ version: build.version, channel }),
              about: name,
              hidden: true,
            }),
          ],
    ),
  ]);
  const known = new Set([...ofApp, ...others].map(({ id }) => id));
  const ofVersion = (found.data ?? [])
    .flatMap(({ id, name, builds: all }) =>
      all.map((build) =>
        to(`/apps/${id}/builds/${build.id}`, { kind: 'build', name: nameOf(build), about: name, hidden: true }),
      ),
    )
    .filter(({ id }) => !known.has(id));
  const places = PLACES.filter(({ operator }) => isOperator || operator !== true);
  const act = (id: string, name: string, run: () => void): Entry => ({ id, kind: 'action', name, run });
  return {
    isIncomplete: overview.error !== null || app.isError || builds.isError || found.isError,
    entries: [
      ...ofApp,
      ...others,
      ...ofVersion,
      ...[...places, { to: '/account', name: frame.account }].map((place) =>
        to(place.to, { kind: 'screen', name: place.name }),
      ),
      to('/apps?do=create', { kind: 'action', name: texts.newApp }),
      to('/tokens?do=create', { kind: 'action', name: texts.createToken }),
      ...THEMES.map(([theme, name]) => act(`theme ${theme}`, texts.theme(name), () => applyTheme(theme))),
      act('keys', texts.shortcuts, () => show('help')),
      act('sign out', frame.signOut, () => signOut.mutate()),
    ],
  };
}

/** The version that a text names, such as `1.4.0`. */
export const versionIn = (text: string): string | undefined =>
  /(?<![\d.])\d{1,15}(?:\.\d{1,15}){2}(?![\d.])/.exec(text)?.[0];

/** Between two letters, most people take less. */
const PAUSE_MS = 250;
/** Of 50 apps each. */
const MAX_PAGES = 4;

/** Of all apps, once the typing pauses; a request for another version is aborted. */
function useBuildsOfVersion(version: string | undefined) {
  const [asked, ask] = useState<string>();
  useEffect(() => {
    const pause = setTimeout(() => ask(version), PAUSE_MS);
    return () => clearTimeout(pause);
  }, [version]);
  return useQuery({
    queryKey: ['overview', null, 'builds', asked],
    enabled: asked !== undefined && asked === version,
    queryFn: async ({ signal }) => {
      const page = (number: number) =>
        api.list<FoundInApp>(`/builds${query({ version: asked, page: number, per_page: PER_PAGE })}`, signal);
      const first = await page(1);
      const more = Array.from({ length: Math.min(MAX_PAGES, first.meta.last_page) - 1 }, (_, index) => page(index + 2));
      return [first, ...(await Promise.all(more))].flatMap(({ data }) => data);
    },
  });
}

type To = (path: string, entry: Omit<Entry, 'id' | 'run'>) => Entry;

function entriesOf(app: App, builds: readonly Build[], to: To): readonly Entry[] {
  const root = `/apps/${app.id}`;
  const about = app.name;
  return [
    ...APP_PLACES.map((place) => to(root + place.to, { kind: 'screen', name: place.name, about })),
    ...app.channels.map((channel) =>
      to(`${root}?do=upload&channel=${channel}`, {
        kind: 'action',
        name: texts.upload(channel),
        about,
      }),
    ),
    to(`${root}?do=add-channel`, { kind: 'action', name: texts.addChannel, about }),
    to(`${root}?do=add-preview`, { kind: 'action', name: createPreview, about }),
    to(`${root}/api-keys?do=create`, { kind: 'action', name: texts.createKey, about }),
    to(`${root}/api-keys?do=configure`, { kind: 'action', name: configure, about }),
    ...app.channels.map((channel) =>
      to(`${root}/builds?channel=${channel}`, {
        kind: 'channel',
        name: texts.channel(channel),
        about,
        hidden: true,
      }),
    ),
    ...builds.flatMap((build) => {
      const path = `${root}/builds/${build.id}`;
      return [
        to(path, { kind: 'build', name: nameOf(build), about, hidden: true }),
        ...(canPreview(build)
          ? [
              to(`${path}?do=try`, {
                kind: 'action',
                name: texts.tryBuild(tryOut, nameOf(build)),
                about,
                words: texts.otherWords['try'] ?? '',
                hidden: true,
              }),
            ]
          : []),
        ...actionsOn(build)
          .filter(({ disabledReason }) => disabledReason === undefined)
          .map(({ kind, name, danger = false }) =>
            to(`${path}?do=${kind}`, {
              kind: 'action',
              name: texts.onBuild(name, nameOf(build)),
              about,
              words: texts.otherWords[kind] ?? '',
              hidden: true,
              danger,
            }),
          ),
      ];
    }),
  ];
}
