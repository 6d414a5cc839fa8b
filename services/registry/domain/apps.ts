import { DomainError, UnknownEventError, type Decider } from '@sluice/kernel';

export type Platform = 'ios' | 'android' | 'both';

export interface AppRegistration {
  readonly id: number;
  readonly ownerId: number;
  /** Unique among the app ids and bundle ids of the installation. */
  readonly appId: string;
  readonly bundleId: string | null;
  readonly name: string;
  readonly description: string | null;
  readonly platform: Platform;
  /** The token that registered it, and which it is attached to; null when the owner did. */
  readonly tokenId: number | null;
}

export interface RegisterApp {
  readonly type: 'RegisterApp';
  readonly ownerId: number;
  readonly tokenId: number | null;
  readonly name: string;
  readonly bundleId: string | null;
  readonly description: string | null;
  readonly platform: Platform;
  /** How many apps the owner may have. */
  readonly appLimit: number;
}

export interface AppRegistered {
  readonly type: 'AppRegistered';
  readonly data: AppRegistration;
}

export type RegisteredApp = Pick<AppRegistration, 'id' | 'ownerId' | 'appId' | 'tokenId'>;

export interface Apps {
  /** The highest id ever given; 0 before the first. */
  readonly lastId: number;
  readonly registered: readonly RegisteredApp[];
}

/** Stream `apps`: integer ids, app ids and bundle ids as one namespace, and the owners' quota. */
export const APPS_STREAM = 'apps';

export const apps: Decider<Apps, RegisterApp, AppRegistered> = {
  initialState: () => ({ lastId: 0, registered: [] }),

  decide: (command, { lastId, registered }) => {
    const { ownerId, tokenId, name, bundleId, description, platform, appLimit } = command;
    // A bundle id is always the app id of its app: app ids alone are the whole namespace.
    const taken = new Set(registered.map((app) => app.appId));
    if (bundleId !== null && taken.has(bundleId)) {
      throw new DomainError('BUNDLE_ID_TAKEN', `The bundle_id "${bundleId}" belongs to another app.`);
    }
    if (registered.filter((app) => app.ownerId === ownerId).length >= appLimit) {
      throw new DomainError('APP_LIMIT_REACHED', `The plan's ${appLimit} apps are all in use.`);
    }
    const appId = bundleId ?? freeAppId(name, taken);
    return [
      {
        type: 'AppRegistered',
        data: { id: lastId + 1, ownerId, appId, bundleId, name, description, platform, tokenId },
      },
    ];
  },

  evolve: (state, event) => {
    const type: string = event.type;
    if (type !== 'AppRegistered') throw new UnknownEventError(type);
    const { id, ownerId, appId, tokenId } = event.data;
    return { lastId: id, registered: [...state.registered, { id, ownerId, appId, tokenId }] };
  },
};

const MAX_SLUG_LENGTH = 100;

/** `app.<slug>`, or `app.<slug>-2`, `app.<slug>-3` … when it is taken. */
function freeAppId(name: string, taken: ReadonlySet<string>): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-|-$/g, '');
  const wanted = `app.${slug === '' ? 'app' : slug}`;
  let candidate = wanted;
  for (let suffix = 2; taken.has(candidate); suffix += 1) candidate = `${wanted}-${suffix}`;
  return candidate;
}
