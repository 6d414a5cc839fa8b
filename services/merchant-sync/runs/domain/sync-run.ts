import { LostLeaseError, unknownEvent, type Decider, type JsonObject } from '@sluice/kernel';
import type { ListingStatus, Offer, ValidationIssue } from '../../products/domain/offer';
import type { RunOrder, RunOutcome } from './runs';
import type { SyncSettings } from './sync-settings';

/** Under what offers are listed: part of their names there. */
export type Target = Pick<Offer, 'targetCountry' | 'contentLanguage' | 'channel'>;

/** An offer as its mapping row names it. */
export type MappedOffer = Pick<Offer, 'offerId' | 'productId' | 'variationId'> & {
  readonly itemGroupId: string | null;
  /** Whether no row of it was there before. */
  readonly isNew: boolean;
  /** SHA-256 of the content that was sent. */
  readonly hash: string;
};

export interface SentOffer extends MappedOffer {
  readonly remoteProductId: string;
}

export interface Refusal {
  readonly code: string;
  readonly message: string;
}

export interface RefusedOffer extends MappedOffer, Refusal {
  /** Not a fault of the offer itself: it is retried without limit. */
  readonly passing?: boolean;
}

/** Why the merchant API did not answer a batch. */
export interface Outage {
  readonly fault: 'unavailable' | 'timeout';
  readonly message: string;
}

/** The status that the merchant API returned for a mapping, by the mapping's id. */
export interface ReadStatus {
  readonly id: string;
  readonly remoteProductId: string;
  /** Undefined: as it was. */
  readonly listingStatus?: ListingStatus;
  readonly issues: readonly ValidationIssue[];
  readonly expiresAt: string | null;
}

export interface RunCounts {
  readonly processed: number;
  readonly failed: number;
  readonly deleted: number;
}

export interface OpenedRun {
  readonly order: RunOrder;
  /** What it runs by, whatever is saved meanwhile. */
  readonly settings: SyncSettings;
}

export interface ClosedRun {
  readonly outcome: RunOutcome;
  /** What was unchanged or excluded. */
  readonly skipped: number;
  readonly error: string | null;
  readonly details: JsonObject;
}

export type SyncRunCommand =
  /** `takes`: how often the run was taken as far as the taker knows; it loses against another who was faster. */
  | { readonly type: 'TakeRun'; readonly holder: string; readonly takes: number; readonly run: OpenedRun }
  | (Held & { readonly type: 'RecordProgress'; readonly progress: RunProgress })
  | (Held & { readonly type: 'CloseRun' } & ClosedRun);

interface Held {
  /** Who works on the run: rejected with LostLeaseError once another has taken it. */
  readonly holder: string;
}

/** Offers that are about to be sent and were not sent like this before: from now on Google may have them. */
export interface OffersTried {
  readonly target: Target;
  readonly tried: readonly MappedOffer[];
}

export interface OffersSent {
  readonly target: Target;
  readonly sent: readonly SentOffer[];
  readonly refused: readonly RefusedOffer[];
  readonly outage?: Outage | undefined;
}

export interface OffersDeleted {
  /** Ids of mappings. */
  readonly deleted: readonly string[];
  readonly refused: readonly (Refusal & { readonly id: string })[];
  readonly outage?: Outage | undefined;
}

export interface StatusesRead {
  /** Those that differ from what was known. */
  readonly statuses: readonly ReadStatus[];
  /** Ids of mappings that the merchant API acknowledged in an earlier run and does not have. */
  readonly missing: readonly string[];
  /** Ids of deleted mappings that the merchant API still has. */
  readonly resurfaced: readonly string[];
}

/** What the holder of a run has done or is about to do. */
export type RunProgress =
  | { readonly type: 'OffersTried'; readonly data: OffersTried }
  | { readonly type: 'OffersSent'; readonly data: OffersSent }
  | { readonly type: 'OffersDeleted'; readonly data: OffersDeleted }
  | { readonly type: 'StatusesRead'; readonly data: StatusesRead }
  /** The remote catalogue was read to its end. */
  | { readonly type: 'CatalogRead'; readonly data: { readonly offers: number } };

export type SyncRunEvent =
  | { readonly type: 'SyncRunOpened'; readonly data: OpenedRun }
  | { readonly type: 'SyncRunTaken'; readonly data: { readonly holder: string } }
  | RunProgress
  | { readonly type: 'SyncRunClosed'; readonly data: ClosedRun & { readonly counts: RunCounts } };

export interface SyncRun {
  readonly status: 'none' | 'running' | RunOutcome;
  readonly settings: SyncSettings | undefined;
  readonly holder: string | undefined;
  readonly takes: number;
  readonly counts: RunCounts;
  /** The first few refusals, for the log. */
  readonly failures: readonly (Refusal & { readonly offer: string })[];
  /** Of the last batch that was not answered. */
  readonly outage: Outage | undefined;
  readonly catalogRead: boolean;
}

/** The most failures that a log lists one by one; the mappings have all of them. */
const TOLD_FAILURES = 20;

/** Stream `syncRun-{ulid}`: one run, an event for each batch that is sent and for each that was answered. */
export const syncRunStream = (runId: string) => `syncRun-${runId}`;

export const syncRun: Decider<SyncRun, SyncRunCommand, SyncRunEvent> = {
  initialState: () => ({
    status: 'none',
    settings: undefined,
    holder: undefined,
    takes: 0,
    counts: { processed: 0, failed: 0, deleted: 0 },
    failures: [],
    outage: undefined,
    catalogRead: false,
  }),

  decide: (command, state) => {
    if (command.type === 'TakeRun') {
      if (state.status !== 'none' && state.status !== 'running') throw new LostLeaseError('The run has ended.');
      if (command.takes !== state.takes) throw new LostLeaseError('Another process has taken the run.');
      const taken: SyncRunEvent = { type: 'SyncRunTaken', data: { holder: command.holder } };
      return state.status === 'none' ? [{ type: 'SyncRunOpened', data: command.run }, taken] : [taken];
    }
    if (state.status !== 'running' || state.holder !== command.holder)
      throw new LostLeaseError('Another process works on the run.');
    if (command.type === 'RecordProgress') return [command.progress];
    const { outcome, skipped, error, details } = command;
    return [{ type: 'SyncRunClosed', data: { outcome, skipped, error, details, counts: state.counts } }];
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'SyncRunOpened':
        return { ...state, status: 'running', settings: event.data.settings };
      case 'SyncRunTaken':
        return { ...state, holder: event.data.holder, takes: state.takes + 1 };
      case 'OffersSent': {
        const { sent, refused, outage } = event.data;
        const told = refused.map(({ offerId, code, message }) => ({ offer: offerId, code, message }));
        return counted(state, { processed: sent.length, failed: refused.length }, told, outage);
      }
      case 'OffersDeleted': {
        const { deleted, refused, outage } = event.data;
        const told = refused.map(({ id, code, message }) => ({ offer: id, code, message }));
        return counted(state, { deleted: deleted.length, failed: refused.length }, told, outage);
      }
      case 'OffersTried':
      case 'StatusesRead':
        return state;
      case 'CatalogRead':
        return { ...state, catalogRead: true };
      case 'SyncRunClosed':
        return { ...state, status: event.data.outcome };
      default:
        return unknownEvent(event);
    }
  },
};

function counted(
  state: SyncRun,
  more: Partial<RunCounts>,
  failures: SyncRun['failures'],
  outage: Outage | undefined,
): SyncRun {
  const { processed, failed, deleted } = state.counts;
  return {
    ...state,
    counts: {
      processed: processed + (more.processed ?? 0),
      failed: failed + (more.failed ?? 0),
      deleted: deleted + (more.deleted ?? 0),
    },
    failures: [...state.failures, ...failures].slice(0, TOLD_FAILURES),
    outage: outage ?? state.outage,
  };
}
