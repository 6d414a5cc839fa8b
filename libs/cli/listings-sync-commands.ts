import type {
  Diagnostic,
  getListingsDiagnostics,
  getSyncStatus,
  Mapping,
  Repair,
  ReplyOf,
  startSync,
  SyncLog,
} from '@sluice/contracts';
import { Option, type Command } from './commander';
import { collect } from './arguments';
import { listingsClient, withLimit, withToken, type LimitOptions } from './connection';
import type { Context } from './context';
import { Failure } from './failure';
import { follow } from './follow';
import { queryOf, type ApiClient, type Query } from './http-client';
import type { Cell } from './output';
import { startBar } from './progress';

interface Page<Item> {
  readonly items: readonly Item[];
  readonly meta: { readonly last_page: number; readonly total: number };
}

/** Between two looks at a run; the last one repeats. */
const POLL_DELAYS_MS = [250, 500, 1_000, 2_000];

const BAR = 'Syncing {bar} {percentage}% of about {total} read, {processed} sent, {failed} failed';

/** What concerns runs: `sluice listings sync`, `logs`, `mappings`, `diagnostics` and `repair`. */
export function addListingsSyncCommands(listings: Command, context: Context): void {
  const { output } = context;

  withToken(listings.command('sync').description('send changed offers to Google; the first sync sends all'))
    .option('--full', 'send every offer again')
    .addOption(new Option('--product <id>', 'sync only this product of the shop').conflicts('full'))
    .option('--wait', 'wait for the run to end; exit with 1 unless its status is completed')
    .action(async ({ full, product, wait, ...options }) => {
      const client = await listingsClient(options, context);
      const order = { ...(full && { run_type: 'full' }), ...(product !== undefined && { product_id: product }) };
      const started = await client.call<ReplyOf<typeof startSync>>('start a sync', 'POST', '/sync/now', order);
      if (!wait) {
        output.result(started, { log: 'log_id' });
        output.note(`Started. See how far it is: sluice listings status, then: sluice listings logs ${started.log_id}`);
        return;
      }
      const log = await finished(client, started.log_id, context);
      output.result(log, describeLog);
      if (log.status !== 'completed') throw runFailure(log);
    });

  withLimit(listings.command('logs').description('list sync runs, newest first, or show one run in detail'))
    .argument('[id]', 'ID of a run')
    .action(async (id, options) => {
      const client = await listingsClient(options, context);
      if (id !== undefined) {
        output.result(await readLog(client, id), describeLog);
        return;
      }
      const logs = await listSome<SyncLog>(client, 'list the logs', '/sync/logs', {}, options, context);
      await output.list(logs, {
        ...{ id: 'id', type: 'run_type', trigger: 'trigger', status: 'status', sent: 'items_processed' },
        ...{ failed: 'items_failed', skipped: 'items_skipped', deleted: 'items_deleted' },
        ...{ started: 'started_at', completed: 'completed_at' },
      });
    });

  withLimit(listings.command('mappings').description('list the state of each offer in Google Merchant Center'))
    .option('--status <status>', 'list only offers with this status: pending, approved, disapproved or expiring')
    .option('--product <id>', 'list only offers of this product of the shop')
    .action(async (options) => {
      const client = await listingsClient(options, context);
      const query = { listing_status: options.status, product_id: options.product };
      const mappings = await listSome<Mapping>(client, 'list the mappings', '/mappings', query, options, context);
      await output.list(mappings, {
        ...{ offer: 'offer_id', product: 'product_id', status: 'listing_status' },
        issues: ({ validation_issues: issues }) => [...new Set(issues.map(({ code }) => code))].join(', '),
        ...{ synced: 'last_synced_at', expires: 'expires_at', 'last error': 'last_error' },
      });
    });

  withToken(
    listings.command('diagnostics').description('check the module for problems; exits with 1 if a check fails'),
  ).action(async (options) => {
    const client = await listingsClient(options, context);
    const attempt = 'diagnose the listings';
    const { checks } = await client.call<ReplyOf<typeof getListingsDiagnostics>>(attempt, 'GET', '/diagnostics');
    await output.list<Diagnostic>(checks, {
      ...{ check: 'id', area: 'area' },
      status: (shown) => (shown.tried ? shown.status : 'not tried'),
      ...{ count: 'count', 'what was found': 'message' },
    });
    if (checks.some(({ status, repairable }) => status !== 'ok' && repairable)) {
      output.note('Some of it can be repaired: sluice listings repair');
    }
    const errors = checks.filter(({ status }) => status === 'error').length;
    if (errors > 0) {
      const message = `${errors} ${errors === 1 ? 'check' : 'checks'} failed.`;
      throw new Failure({ code: 'LISTINGS_UNHEALTHY', message });
    }
  });

  withToken(listings.command('repair').description('repair problems that diagnostics found; safe to repeat'))
    .option('--check <id>', 'repair only problems of this check; may be repeated (default: all)', collect)
    .option('--dry-run', 'show the repairs without making them')
    .action(async (options) => {
      const client = await listingsClient(options, context);
      const { check, dryRun } = options;
      const order = { ...(check !== undefined && { checks: check }), dry_run: dryRun === true };
      const repair = await client.call<Repair>('repair the listings', 'POST', '/diagnostics/repair', order);
      output.result(repair, describeRepair);
      if (repair.dry_run) output.note('Nothing was done.');
      else if (repair.repairs.length > 0 && repair.log_id !== null)
        output.note(`What becomes of it: sluice listings logs ${repair.log_id}`);
    });
}

/** Pages are read until there are enough. An item that moves to a later page meanwhile is listed once. */
async function listSome<Item extends { readonly id: string }>(
  client: ApiClient,
  attempt: string,
  path: string,
  query: Query,
  { limit }: LimitOptions,
  { output }: Context,
): Promise<Item[]> {
  const items = new Map<string, Item>();
  let total = 0;
  for (let page = 1, last = 1; page <= last && items.size < limit; page += 1) {
    const url = `${path}${queryOf({ page, per_page: 50, ...query })}`;
    const answer = await client.call<Page<Item>>(attempt, 'GET', url);
    for (const item of answer.items) items.set(item.id, item);
    ({ last_page: last, total } = answer.meta);
  }
  if (total > limit) output.note(`These are ${limit} of ${total}; --limit shows more.`);
  return [...items.values()].slice(0, limit);
}

/** Follows the run to its end, through whatever ends. */
async function finished(client: ApiClient, id: string, context: Context): Promise<SyncLog> {
  context.output.note(`Run ${id} is started.`);
  const bar = await startBar(BAR, 1, context);
  const look = async () => {
    const { progress } = await client.call<ReplyOf<typeof getSyncStatus>>('follow the sync', 'GET', '/sync/status');
    if (progress?.log_id !== id) {
      const log = await readLog(client, id);
      return log.status === 'running' ? undefined : log;
    }
    const { items_read: read, items_expected: expected, items_processed: processed, items_failed: failed } = progress;
    bar.update(read, Math.max(expected, read, 1), { processed, failed });
    return undefined;
  };
  return follow(look, POLL_DELAYS_MS, context).finally(() => bar.stop());
}

function readLog(client: ApiClient, id: string): Promise<SyncLog> {
  return client.call<SyncLog>(`read the log ${id}`, 'GET', `/sync/logs/${encodeURIComponent(id)}`);
}

function runFailure({ id, status, error_message: error, items_failed: failed }: SyncLog): Failure {
  return new Failure({
    attempt: 'complete the sync',
    code: `SYNC_${status.toUpperCase()}`,
    message: error ?? `The run is ${status}, and ${failed} of its items failed.`,
    advice: 'What failed: sluice listings mappings, and sluice listings diagnostics. The next run tries it again.',
    details: { log_id: id },
  });
}

/** Such as `10 sent, 0 failed, 90 skipped, 0 deleted`. */
export function countsOf(log: SyncLog): string {
  const { items_processed: sent, items_failed: failed, items_skipped: skipped, items_deleted: deleted } = log;
  return `${sent} sent, ${failed} failed, ${skipped} skipped, ${deleted} deleted`;
}

function describeLog(log: SyncLog): Record<string, Cell> {
  const { id, run_type: type, trigger, status, started_at: started, completed_at: completed } = log;
  return {
    ...{ log: id, type, trigger, status, items: countsOf(log), started, completed },
    error: log.error_message ?? undefined,
    ...Object.fromEntries(Object.entries(log.details).flatMap(([name, value]) => rowsOf(name, value))),
  };
}

/** Of a list, such as that of the failures, a row for each member. */
function rowsOf(name: string, value: unknown): [string, Cell][] {
  const label = name.replaceAll('_', ' ');
  if (Array.isArray(value)) return value.flatMap((member, n) => rowsOf(`${label} ${n + 1}`, member));
  if (typeof value !== 'object' || value === null) return [[label, value as Cell]];
  return [
    [
      label,
      Object.entries(value)
        .map(([key, told]) => `${key}: ${wordsOf(told)}`)
        .join(', '),
    ],
  ];
}

function wordsOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(wordsOf).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function describeRepair({ log_id: log, repairs }: Repair): Record<string, Cell> {
  if (repairs.length === 0) return { repaired: 'nothing: there was nothing to repair' };
  return {
    ...Object.fromEntries(repairs.map(({ id, message, count }) => [id, `${message} (${count})`])),
    log: log ?? undefined,
  };
}
