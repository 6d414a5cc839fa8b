import { DomainError, unknownEvent, ValidationError, type Decider } from '@sluice/kernel';
import { DEFAULT_FEED_SETTINGS, feedSettingsFaults, type FeedSettings } from '../../products/domain/feed-settings';
import { decideRuns, evolveRuns, NO_RUNS, type Runs, type RunsCommand, type RunsEvent } from '../../runs/domain/runs';
import { DEFAULT_SYNC_SETTINGS, type SyncSettings } from '../../runs/domain/sync-settings';

/** Whether the listings module works: switched on by the owner, and granted. */
export interface ListingsModule {
  readonly enabled: boolean;
  readonly entitled: boolean;
}

/** Null in place of a value that was never saved: the installation's first value holds. */
export interface Merchant {
  readonly enabled: boolean | null;
  readonly entitled: boolean | null;
  readonly feed: FeedSettings;
  readonly sync: SyncSettings;
  readonly connection: MerchantConnection | null;
  /** The prefix of every offer id, frozen by the first sync. */
  readonly offerPrefix: string | null;
  readonly runs: Runs;
}

export type RemoteAdapter = 'merchant_api_v1' | 'content_api_v21';

/** That the shop's owner granted access to a merchant account. Its tokens are sealed under its id. */
export interface MerchantConnection {
  readonly id: string;
  /** ISO 8601. */
  readonly connectedAt: string;
  readonly adapter: RemoteAdapter;
  /** What was granted, which may be less than was asked for. */
  readonly scopes: readonly string[];
  /** Null until one is found that syncs go to. */
  readonly account: MerchantAccount | null;
  /** Google no longer accepts the grant: nothing is synced until the shop is connected again. */
  readonly needsReauthorization: boolean;
}

export interface MerchantAccount {
  readonly id: string;
  readonly name: string;
}

/** The members that change. */
export type Changes<Settings> = { readonly [Member in keyof Settings]?: Settings[Member] | undefined };

export type MerchantCommand =
  | ({ readonly type: 'SetModule' } & Changes<ListingsModule>)
  | {
      readonly type: 'SaveFeedSettings';
      readonly changes: Changes<FeedSettings>;
      /** What holds of the module until its owner saves something else. */
      readonly firstValues: ListingsModule;
    }
  | {
      readonly type: 'SaveSyncSettings';
      readonly changes: Changes<SyncSettings>;
      readonly firstValues: ListingsModule;
    }
  /** In place of a connection that there is, if there is one. */
  | {
      readonly type: 'Connect';
      readonly connection: Pick<MerchantConnection, 'id' | 'connectedAt' | 'adapter' | 'scopes'>;
      readonly firstValues: ListingsModule;
    }
  /** These two change nothing once another connection is there. */
  | { readonly type: 'ChooseAccount'; readonly connectionId: string; readonly account: MerchantAccount }
  | { readonly type: 'RequireReauthorization'; readonly connectionId: string }
  | { readonly type: 'Disconnect' }
  | (Extract<RunsCommand, { readonly type: 'StartRun' }> & { readonly firstValues: ListingsModule })
  | Exclude<RunsCommand, { readonly type: 'StartRun' }>;

type Nothing = Readonly<Record<string, never>>;

export type MerchantEvent =
  | { readonly type: 'ListingsModuleEnabled'; readonly data: Nothing }
  | { readonly type: 'ListingsModuleDisabled'; readonly data: Nothing }
  | { readonly type: 'EntitlementGranted'; readonly data: Nothing }
  | { readonly type: 'EntitlementRevoked'; readonly data: Nothing }
  | { readonly type: 'FeedSettingsChanged'; readonly data: { readonly changes: Partial<FeedSettings> } }
  | { readonly type: 'SyncSettingsChanged'; readonly data: { readonly changes: Partial<SyncSettings> } }
  | {
      readonly type: 'MerchantConnected';
      readonly data: {
        readonly connectionId: string;
        readonly connectedAt: string;
        readonly adapter: RemoteAdapter;
        readonly scopes: readonly string[];
      };
    }
  | {
      readonly type: 'MerchantAccountChosen';
      readonly data: { readonly connectionId: string; readonly accountId: string; readonly name: string };
    }
  | { readonly type: 'ConnectionNeedsReauthorization'; readonly data: { readonly connectionId: string } }
  | { readonly type: 'MerchantDisconnected'; readonly data: { readonly connectionId: string } }
  | { readonly type: 'OfferPrefixFrozen'; readonly data: { readonly prefix: string } }
  | RunsEvent;

/** The one shop of an installation. */
export const STORE_ID = 'default';

/** Stream `merchant-{storeId}`: the module's switch, settings and connection of one shop, and its current run. */
export const merchantStream = (storeId: string) => `merchant-${storeId}`;

export const merchant: Decider<Merchant, MerchantCommand, MerchantEvent> = {
  initialState: () => ({
    enabled: null,
    entitled: null,
    feed: DEFAULT_FEED_SETTINGS,
    sync: DEFAULT_SYNC_SETTINGS,
    connection: null,
    offerPrefix: null,
    runs: NO_RUNS,
  }),

  decide: (command, state) => {
    if ('firstValues' in command) requireWorking(moduleOf(state, command.firstValues));
    switch (command.type) {
      case 'SetModule':
        return decideModule(command, state);
      case 'SaveFeedSettings': {
        const faults = feedSettingsFaults(command.changes);
        if (Object.keys(faults).length > 0) throw new ValidationError(faults);
        const changes = changed(state.feed, command.changes);
        return changes === undefined ? [] : [{ type: 'FeedSettingsChanged', data: { changes } }];
      }
      case 'SaveSyncSettings': {
        const changes = changed(state.sync, command.changes);
        return changes === undefined ? [] : [{ type: 'SyncSettingsChanged', data: { changes } }];
      }
      case 'Connect': {
        const { id: connectionId, connectedAt, adapter, scopes } = command.connection;
        return [{ type: 'MerchantConnected', data: { connectionId, connectedAt, adapter, scopes } }];
      }
      case 'ChooseAccount': {
        const { connectionId, account } = command;
        if (state.connection?.id !== connectionId || sameJson(account, state.connection.account)) return [];
        return [{ type: 'MerchantAccountChosen', data: { connectionId, accountId: account.id, name: account.name } }];
      }
      case 'RequireReauthorization': {
        const { connectionId } = command;
        const known = state.connection?.id === connectionId && !state.connection.needsReauthorization;
        return known ? [{ type: 'ConnectionNeedsReauthorization', data: { connectionId } }] : [];
      }
      case 'Disconnect':
        return [{ type: 'MerchantDisconnected', data: { connectionId: requireConnection(state).id } }];
      case 'StartRun': {
        requireGrant(state);
        const started = decideRuns(command, state.runs);
        if (started.length === 0 || state.offerPrefix !== null) return started;
        return [{ type: 'OfferPrefixFrozen', data: { prefix: command.offerPrefix } }, ...started];
      }
      case 'EndRun':
      case 'PruneLogs':
        return decideRuns(command, state.runs);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'ListingsModuleEnabled':
        return { ...state, enabled: true };
      case 'ListingsModuleDisabled':
        return { ...state, enabled: false };
      case 'EntitlementGranted':
        return { ...state, entitled: true };
      case 'EntitlementRevoked':
        return { ...state, entitled: false };
      case 'FeedSettingsChanged':
        return { ...state, feed: { ...state.feed, ...event.data.changes } };
      case 'SyncSettingsChanged':
        return { ...state, sync: { ...state.sync, ...event.data.changes } };
      case 'MerchantConnected': {
        const { connectionId: id, connectedAt, adapter, scopes } = event.data;
        const connection = { id, connectedAt, adapter, scopes, account: null, needsReauthorization: false };
        return { ...state, connection };
      }
      case 'MerchantAccountChosen': {
        const { accountId: id, name } = event.data;
        return { ...state, connection: state.connection && { ...state.connection, account: { id, name } } };
      }
      case 'ConnectionNeedsReauthorization':
        return { ...state, connection: state.connection && { ...state.connection, needsReauthorization: true } };
      case 'MerchantDisconnected':
        return { ...state, connection: null };
      case 'OfferPrefixFrozen':
        return { ...state, offerPrefix: event.data.prefix };
      case 'SyncRunStarted':
      case 'SyncRunEnded':
      case 'SyncLogsPruned':
        return { ...state, runs: evolveRuns(state.runs, event) };
      default:
        return unknownEvent(event);
    }
  },
};

/** The current state of the module: the saved values, else its first values. */
export function moduleOf(state: Pick<Merchant, 'enabled' | 'entitled'>, firstValues: ListingsModule): ListingsModule {
  return { enabled: state.enabled ?? firstValues.enabled, entitled: state.entitled ?? firstValues.entitled };
}

/** @throws DomainError module_disabled or entitlement_required */
export function requireWorking({ enabled, entitled }: ListingsModule): void {
  if (!enabled) throw new DomainError('module_disabled', 'The listings module is off. Its owner can turn it on.');
  if (!entitled)
    throw new DomainError('entitlement_required', 'The listings module needs the entitlement listings_ads.');
}

/** @throws DomainError not_connected */
export function requireConnection({ connection }: Pick<Merchant, 'connection'>): MerchantConnection {
  if (connection === null) {
    throw new DomainError('not_connected', 'The shop is not connected to a merchant account. Connect it first.');
  }
  return connection;
}

/** @throws DomainError not_connected or reauth_required */
export function requireGrant(state: Pick<Merchant, 'connection'>): MerchantConnection {
  const connection = requireConnection(state);
  if (connection.needsReauthorization) throw reauthRequired();
  return connection;
}

export function reauthRequired(): DomainError {
  return new DomainError(
    'reauth_required',
    'Google no longer accepts the access that was granted. Connect the shop again.',
  );
}

/** A value that equals a first value is saved all the same: from then on it no longer follows the environment. */
function decideModule({ enabled, entitled }: Changes<ListingsModule>, state: Merchant): MerchantEvent[] {
  const events: MerchantEvent[] = [];
  if (enabled !== undefined && enabled !== state.enabled) {
    events.push({ type: enabled ? 'ListingsModuleEnabled' : 'ListingsModuleDisabled', data: {} });
  }
  if (entitled !== undefined && entitled !== state.entitled) {
    events.push({ type: entitled ? 'EntitlementGranted' : 'EntitlementRevoked', data: {} });
  }
  return events;
}

/** The members whose values differ from the current ones; undefined when none does. */
function changed<Settings extends object>(
  current: Settings,
  changes: Changes<Settings>,
): Partial<Settings> | undefined {
  const differing = Object.entries(changes).filter(
    ([member, value]) => value !== undefined && !sameJson(value, current[member as keyof Settings]),
  );
  return differing.length === 0 ? undefined : (Object.fromEntries(differing) as Partial<Settings>);
}

/** The members of both sides stand in one order. */
function sameJson(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
