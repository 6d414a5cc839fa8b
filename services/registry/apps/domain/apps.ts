import { DomainError, requireBundleId, requireName, SortedMap, unknownEvent, type Decider } from '@sluice/kernel';

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

/** Given once nothing of the app can change any more. */
export interface RemoveApp {
  readonly type: 'RemoveApp';
  readonly id: number;
}

export interface AppRegistered {
  readonly type: 'AppRegistered';
  readonly data: AppRegistration;
}

export interface AppRemoved {
  readonly type: 'AppRemoved';
  readonly data: { readonly id: number };
}

export type AppsEvent = AppRegistered | AppRemoved;

export interface RegisteredApp extends AppRegistration {
  /** ISO 8601. */
  readonly createdAt: string;
}

export interface Apps {
  /** The highest id ever given; 0 before the first. */
  readonly lastId: number;
  readonly registered: SortedMap<number, RegisteredApp>;
  /** By owner, then by id. */
  readonly owned: SortedMap<number, SortedMap<number, RegisteredApp>>;
  /** Ids by app id. A bundle id is always the app id of its app: app ids alone are the whole namespace. */
  readonly named: SortedMap<string, number>;
}

/** Stream `apps`: integer ids, app ids and bundle ids as one namespace, and the owners' quota. */
export const APPS_STREAM = 'apps';

export const apps: Decider<Apps, RegisterApp | RemoveApp, AppsEvent> = {
  initialState: () => ({
    lastId: 0,
    registered: new SortedMap(),
    owned: new SortedMap(),
    named: new SortedMap(),
  }),

  decide: (command, state) => {
    switch (command.type) {
      case 'RegisterApp':
        return [{ type: 'AppRegistered', data: register(command, state) }];
      case 'RemoveApp': {
        const { id } = command;
        return state.registered.get(id) === undefined ? [] : [{ type: 'AppRemoved', data: { id } }];
      }
    }
  },

  evolve: (state, event, at) => {
    switch (event.type) {
      case 'AppRegistered': {
        const { id, ownerId, appId, bundleId, name, description, platform, tokenId } = event.data;
        const app = { id, ownerId, appId, bundleId, name, description, platform, tokenId, createdAt: at };
        return {
          lastId: id,
          registered: state.registered.set(id, app),
          owned: state.owned.set(ownerId, ownedBy(state, ownerId).set(id, app)),
          named: state.named.set(appId, id),
        };
      }
      case 'AppRemoved': {
        const app = state.registered.get(event.data.id);
        if (app === undefined) return state;
        const { id, ownerId, appId } = app;
        return {
          lastId: state.lastId,
          registered: state.registered.delete(id),
          owned: state.owned.set(ownerId, ownedBy(state, ownerId).delete(id)),
          named: state.named.delete(appId),
        };
      }
      default:
        return unknownEvent(event);
    }
  },
};

/** By id ascending. */
export function appsOf(state: Apps, ownerId: number): RegisteredApp[] {
  return [...ownedBy(state, ownerId).values()];
}

function ownedBy(state: Apps, ownerId: number): SortedMap<number, RegisteredApp> {
  return state.owned.get(ownerId) ?? new SortedMap();
}

function register(command: RegisterApp, state: Apps): AppRegistration {
  const { ownerId, tokenId, name, bundleId, description, platform, appLimit } = command;
  requireName(name);
  requireBundleId(bundleId);
  if (bundleId !== null && state.named.get(bundleId) !== undefined) {
    throw new DomainError('BUNDLE_ID_TAKEN', `The bundle_id "${bundleId}" belongs to another app.`);
  }
  if (ownedBy(state, ownerId).size >= appLimit) {
    throw new DomainError('APP_LIMIT_REACHED', `The plan's ${appLimit} apps are all in use.`);
  }
  const appId = bundleId ?? freeAppId(name, state.named);
  return { id: state.lastId + 1, ownerId, appId, bundleId, name, description, platform, tokenId };
}

const MAX_SLUG_LENGTH = 100;

/** `app.<slug>`, or `app.<slug>-2`, `app.<slug>-3` … when it is taken. */
function freeAppId(name: string, taken: Apps['named']): string {
  const slug = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-|-$/g, '');
  const wanted = `app.${slug === '' ? 'app' : slug}`;
  let candidate = wanted;
  for (let suffix = 2; taken.get(candidate) !== undefined; suffix += 1) candidate = `${wanted}-${suffix}`;
  return candidate;
}
