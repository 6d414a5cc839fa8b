import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import {
  type Caller,
  type Diagnostic,
  getListingsDiagnostics,
  type Repair,
  repairListings,
  type RequestOf,
  type SyncLog,
} from '@sluice/contracts';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { CLOCK, type Clock } from '@sluice/service-host';
import type { FeedSettings } from '../products/domain/feed-settings';
import type { Merchant } from '../settings/domain/merchant';
import { REMOTE_CATALOG, type RemoteCatalog } from '../remotes/remote-catalog';
import { PRODUCT_SOURCE, type ProductSource } from '../sources/product-source';
import { ConnectionChecks } from './connection-checks';
import { diagnostic } from './diagnostic';
import { Mappings } from '../mappings/mappings';
import { STORE_MISSING } from '../feed/feed.handlers';
import { RunStarts } from '../runs/run-starts';
import { SyncLogs } from '../runs/sync-logs';
import { hasFoundSunset } from '../runs/sync-logs.projection';
import { SavedSettings } from '../settings/saved-settings';

/** The most category names that a message lists. */
const MAX_LISTED_CATEGORIES = 5;
const SUNSET =
  'The configured merchant API has been shut down, so the schedule has stopped. Set REMOTE_CATALOG=merchant_api_v1.';

/** Checks of the module's own state and of the connection. */
@Injectable()
export class Diagnoses {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(REMOTE_CATALOG) private readonly remote: RemoteCatalog,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(PRODUCT_SOURCE) private readonly source: ProductSource | undefined,
    private readonly saved: SavedSettings,
    private readonly connection: ConnectionChecks,
    private readonly mappings: Mappings,
    private readonly logs: SyncLogs,
    private readonly starts: RunStarts,
  ) {}

  @HandlesQuery(getListingsDiagnostics)
  async get() {
    return { checks: await this.of(await this.saved.ofWorkingModule()) };
  }

  /**
   * Releases a stale run, so that the next process takes it. A run with the trigger `repair` fixes all else; a
   * second repair returns that run while it is in progress.
   */
  @HandlesCommand(repairListings)
  async repair({ checks: wanted, dry_run }: RequestOf<typeof repairListings>, caller: Caller): Promise<Repair> {
    const state = await this.saved.ofWorkingModule();
    const found = (await this.of(state)).filter(({ id, repairable }) => repairable && wanted?.includes(id) !== false);
    const repairs = found.map(({ id, message, count }) => ({ id, message, count }));
    const { current } = state.runs;
    if (dry_run) return { dry_run, log_id: null, repairs };
    if (current !== null && found.some(({ id }) => id === 'stale_run')) {
      await this.logs.forgetLease(current.runId);
      return { dry_run, log_id: current.runId, repairs };
    }
    if (current?.trigger === 'repair') return { dry_run, log_id: current.runId, repairs };
    if (state.connection === null && found.length === 0) return { dry_run, log_id: null, repairs };
    const { log_id } = await this.starts.start({ run_type: 'incremental' }, caller, 'repair');
    return { dry_run, log_id, repairs };
  }

  /** Every check, also those that found nothing. */
  private async of(state: Merchant): Promise<Diagnostic[]> {
    const own = [
      diagnostic('store_missing', 'sync', {
        ...{ count: this.source === undefined, wrong: STORE_MISSING, well: 'A shop is configured.' },
      }),
      await this.staleRun(state),
      ...(await this.ofMappings(state)),
    ];
    const isSunset = hasFoundSunset(await this.logs.lastEnded(), this.remote);
    const ofConnection = (await this.connection.run(state)).map((check) =>
      check.id === 'remote_sunset' && check.status === 'ok' && isSunset
        ? { ...check, status: 'error' as const, tried: true, count: 1, message: SUNSET }
        : check,
    );
    return [...ofConnection, ...own];
  }

  private async staleRun({ runs }: Merchant): Promise<Diagnostic> {
    const lease = runs.current === null ? undefined : await this.logs.lease(runs.current.runId);
    const silentMs = this.clock.now().getTime() - Date.parse(lease?.heartbeat_at ?? runs.current?.startedAt ?? '');
    return diagnostic('stale_run', 'sync', {
      count: runs.current !== null && silentMs > 3 * this.settings.jobLeaseMs,
      status: 'warning',
      wrong:
        'No process has worked on the current run for a while. A repair lets the next process take it immediately.',
      well: 'No run is stalled.',
      repairable: true,
    });
  }

  private async ofMappings({ sync, feed }: Merchant): Promise<Diagnostic[]> {
    const { rows } = this.mappings;
    const [resurfaced, missing, expiring, exhausted, listing] = await Promise.all([
      rows.count({ live: false, resurfaced: true }),
      rows.count({ live: true, missing: true }),
      rows.count({ live: true, listing_status: 'expiring' }),
      rows.count({ live: true, item_failures: { gt: sync.max_retries } }),
      this.logs.lastListing(),
    ]);
    const undeleted = Number(listing?.details['undeleted'] ?? 0);
    const duplicates = listing?.details['duplicates'];
    const untried = listing === undefined ? 'Not tried: no sync of the whole shop is on record.' : undefined;
    const warning = (id: Diagnostic['id'], count: number, wrong: string, well: string, repairable = true) =>
      diagnostic(id, 'mappings', { count, status: 'warning', wrong, well, untried, repairable });
    return [
      warning(
        'orphan_mappings',
        resurfaced + undeleted,
        `${undeleted} offers are no longer in the shop and were kept by delete_missing or max_delete_ratio; ` +
          `Google still has ${resurfaced} that were deleted. A repair deletes the latter again.`,
        'Every offer has a product.',
        resurfaced > 0,
      ),
      warning(
        'missing_remote_offers',
        missing,
        'Google accepted offers that it no longer has. The next run, or a repair, sends them again.',
        'No accepted offer is missing at Google.',
      ),
      warning(
        'duplicate_offers',
        Array.isArray(duplicates) ? duplicates.length : 0,
        'Several products or variations in the shop have the same offer ID, and only the first was sent. Give each its own ID. details.duplicates of the last run lists the IDs.',
        'No two products or variations have the same offer ID.',
        false,
      ),
      warning(
        'expiring_offers',
        expiring,
        'Offers expire within three days. The next run, or a repair, sends them again.',
        'No offer is about to expire.',
      ),
      warning(
        'retry_exhausted',
        exhausted,
        'Offers were rejected too often and are not sent until they change; last_error of the mappings has the reason. A repair tries once more.',
        'No offer has reached the retry limit.',
      ),
      categoryUnknown(listing?.details, feed),
    ];
  }
}

/** As the last run over the whole shop found them, of the mappings that are saved now. */
function categoryUnknown(details: SyncLog['details'] = {}, { category_mappings: mappings }: FeedSettings): Diagnostic {
  const saved = new Set(mappings.map(({ source_category }) => source_category));
  const { unknown_categories, ambiguous_categories } = details;
  const named = (names: unknown) =>
    Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string' && saved.has(name)) : [];
  const [unknown, ambiguous] = [named(unknown_categories), named(ambiguous_categories)];
  const told = [
    ...(unknown.length > 0 ? [`The shop has no category ${listed(unknown)}.`] : []),
    ...(ambiguous.length > 0 ? [`Several categories of the shop have the name ${listed(ambiguous)}.`] : []),
    'These entries of category_mappings map nothing. Write each source_category as the path of a category from the root, for example Goods > Mugs.',
  ];
  return diagnostic('category_unknown', 'mappings', {
    ...{ count: unknown.length + ambiguous.length, status: 'warning', wrong: told.join(' ') },
    well: 'At the last sync, every category mapping matched exactly one shop category.',
    ...(unknown_categories === undefined &&
      saved.size > 0 && { untried: 'Not tried: no sync that read the categories of the shop is on record.' }),
  });
}

function listed(names: readonly string[]): string {
  const more = names.length - MAX_LISTED_CATEGORIES;
  const first = names.slice(0, MAX_LISTED_CATEGORIES).map((name) => `"${name}"`);
  return `${first.join(', ')}${more > 0 ? ` (and ${more} more)` : ''}`;
}
