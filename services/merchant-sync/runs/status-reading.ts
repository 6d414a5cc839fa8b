import { canonicalJson } from '@sluice/kernel';
import type { ValidationIssue } from '../products/domain/offer';
import { statusOf } from './domain/sending';
import type { ReadStatus } from './domain/sync-run';
import { mappingId, type MappingRow } from './mappings.projection';
import type { RemoteStatus } from '../remotes/remote-catalog';
import { cut, ROWS_AT_ONCE, type RunScope } from './run-scope';
import { SeenIds } from './seen-ids';

/** Keeps an event of statuses far below what one may have. */
const STATUS_EVENT_BYTES = 128 * 1024;
const IDS_PER_EVENT = 2_000;
const MAX_ISSUES = 20;

/** The last stage of a run over the whole catalogue: copies the statuses of the merchant API into the mappings. */
export class StatusReading {
  private statuses: ReadStatus[] = [];
  private missing: string[] = [];
  private resurfaced: string[] = [];
  /** Of `statuses`. */
  private bytes = 0;

  constructor(private readonly scope: RunScope) {}

  /** Records statuses that changed, and offers that the merchant API does not have. */
  async run(): Promise<void> {
    const { remote, access } = this.scope.options;
    const there = new SeenIds();
    let offers = 0;
    for await (const page of remote.statuses(access, this.scope.remoteOptions())) {
      await this.scope.goOn();
      offers += page.length;
      for (let from = 0; from < page.length; from += ROWS_AT_ONCE) {
        for (const { row, reported } of await this.mapped(page.slice(from, from + ROWS_AT_ONCE))) {
          if (!row.live) {
            // What this run deleted may still be on its way out.
            if (!row.resurfaced && row.run_id !== this.scope.options.order.runId) this.resurfaced.push(row.id);
            if (this.resurfaced.length >= IDS_PER_EVENT) await this.flush();
            continue;
          }
          there.add(row.id);
          const status = this.changedStatus(row, reported);
          if (status === undefined) continue;
          this.statuses.push(status);
          this.bytes += JSON.stringify(status).length;
          if (this.bytes > STATUS_EVENT_BYTES) await this.flush();
        }
        await this.scope.letOthersRun();
      }
    }
    await this.flush();
    await this.scope.record({ type: 'CatalogRead', data: { offers } });
    await this.noteMissing(there);
  }

  private async flush(): Promise<void> {
    const { statuses, missing, resurfaced } = this;
    [this.statuses, this.missing, this.resurfaced, this.bytes] = [[], [], [], 0];
    if (statuses.length + missing.length + resurfaced.length === 0) return;
    await this.scope.record({ type: 'StatusesRead', data: { statuses, missing, resurfaced } });
  }

  /** The mappings of the offers on a page of statuses. */
  private async mapped(page: readonly RemoteStatus[]): Promise<{ row: MappingRow; reported: RemoteStatus }[]> {
    const { mappings, target } = this.scope.options;
    const rows = await mappings.find({ where: { offer_id: { in: page.map(({ offerId }) => offerId) } } });
    const byRemoteId = new Map(rows.map((row) => [row.remote_product_id, row]));
    const byId = new Map(rows.map((row) => [row.id, row]));
    return page.flatMap((reported) => {
      const row = byRemoteId.get(reported.remoteProductId) ?? byId.get(mappingId(reported.offerId, target));
      return row === undefined ? [] : [{ row, reported }];
    });
  }

  private changedStatus(row: MappingRow, reported: RemoteStatus): ReadStatus | undefined {
    const { remoteProductId, expiresAt, listingStatus } = reported;
    const status =
      listingStatus === undefined ? undefined : statusOf(listingStatus, expiresAt, this.scope.options.clock.now());
    const issues = reported.issues.slice(0, MAX_ISSUES).map(cutIssue);
    const same =
      (status === undefined || status === row.listing_status) &&
      row.remote_product_id === remoteProductId &&
      row.expires_at === expiresAt &&
      row.last_status_at !== null &&
      !row.missing &&
      canonicalJson(issues) === canonicalJson(row.validation_issues);
    if (same) return undefined;
    return { id: row.id, remoteProductId, issues, expiresAt, ...(status !== undefined && { listingStatus: status }) };
  }

  /** What was acknowledged by an earlier run should be there by now; what this run sent may still come. */
  private async noteMissing(there: SeenIds): Promise<void> {
    await this.scope.eachLive({}, there, async (rows) => {
      for (const { id, sync_hash, run_id, missing: known } of rows) {
        if (sync_hash === null || known || run_id === this.scope.options.order.runId || there.has(id)) continue;
        this.missing.push(id);
      }
      if (this.missing.length >= IDS_PER_EVENT) await this.flush();
    });
    await this.flush();
  }
}

function cutIssue(issue: ValidationIssue): ValidationIssue {
  const { description, detail } = issue;
  return { ...issue, description: cut(description), detail: detail === null ? null : cut(detail) };
}
