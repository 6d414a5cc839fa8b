import { DomainError, unknownEvent, ValidationError, type Decider } from '@sluice/kernel';
import { DEFAULT_FEED_SETTINGS, feedSettingsFaults, type FeedSettings } from './feed-settings';
import { DEFAULT_SYNC_SETTINGS, type SyncSettings } from './sync-settings';

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
    };

type Nothing = Readonly<Record<string, never>>;

export type MerchantEvent =
  | { readonly type: 'ListingsModuleEnabled'; readonly data: Nothing }
  | { readonly type: 'ListingsModuleDisabled'; readonly data: Nothing }
  | { readonly type: 'EntitlementGranted'; readonly data: Nothing }
  | { readonly type: 'EntitlementRevoked'; readonly data: Nothing }
  | { readonly type: 'FeedSettingsChanged'; readonly data: { readonly changes: Partial<FeedSettings> } }
  | { readonly type: 'SyncSettingsChanged'; readonly data: { readonly changes: Partial<SyncSettings> } };

/** The one store of an installation (spec 5). */
export const STORE_ID = 'default';

/** Stream `merchant-{storeId}`: the module's switch and settings of one store. */
export const merchantStream = (storeId: string) => `merchant-${storeId}`;

export const merchant: Decider<Merchant, MerchantCommand, MerchantEvent> = {
  initialState: () => ({ enabled: null, entitled: null, feed: DEFAULT_FEED_SETTINGS, sync: DEFAULT_SYNC_SETTINGS }),

  decide: (command, state) => {
    switch (command.type) {
      case 'SetModule':
        return decideModule(command, state);
      case 'SaveFeedSettings': {
        requireWorking(moduleOf(state, command.firstValues));
        const faults = feedSettingsFaults(command.changes);
        if (Object.keys(faults).length > 0) throw new ValidationError(faults);
        const changes = changed(state.feed, command.changes);
        return changes === undefined ? [] : [{ type: 'FeedSettingsChanged', data: { changes } }];
      }
      case 'SaveSyncSettings': {
        requireWorking(moduleOf(state, command.firstValues));
        const changes = changed(state.sync, command.changes);
        return changes === undefined ? [] : [{ type: 'SyncSettingsChanged', data: { changes } }];
      }
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
      default:
        return unknownEvent(event);
    }
  },
};

/** The module as it stands: what was saved, else its first values. */
export function moduleOf(state: Pick<Merchant, 'enabled' | 'entitled'>, firstValues: ListingsModule): ListingsModule {
  return { enabled: state.enabled ?? firstValues.enabled, entitled: state.entitled ?? firstValues.entitled };
}

/** @throws DomainError module_disabled or entitlement_required */
export function requireWorking({ enabled, entitled }: ListingsModule): void {
  if (!enabled) throw new DomainError('module_disabled', 'The listings module is off. Its owner can turn it on.');
  if (!entitled)
    throw new DomainError('entitlement_required', 'The listings module needs the entitlement listings_ads.');
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

/** Both sides come through one schema, so their members stand in one order. */
function sameJson(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
