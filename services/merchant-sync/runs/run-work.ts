import type { JsonObject } from '@sluice/kernel';
import type { RunOutcome } from './domain/runs';
import type { ClosedRun } from './domain/sync-run';
import { RemoteError } from '../remotes/remote-catalog';
import { Deletions } from './deletions';
import { type Fault, faultOf, RunCancelledError, RunPausedError } from './run-faults';
import { cut, type RunOptions, RunScope } from './run-scope';
import { StatusReading } from './status-reading';
import { ShopListing } from './shop-listing';

/** The most category names of each kind that a log lists. */
const TOLD_CATEGORIES = 20;

/** One run, from the shop's first product to the statuses that the merchant API reports. */
export class RunWork {
  private readonly scope: RunScope;
  private readonly listing: ShopListing;
  private readonly deletions: Deletions;

  constructor(private readonly options: RunOptions) {
    this.scope = new RunScope(options);
    this.listing = new ShopListing(this.scope);
    this.deletions = new Deletions(this.scope, this.listing);
  }

  /** What was unchanged or excluded so far. */
  get skipped(): number {
    return this.listing.skipped;
  }

  /**
   * Returns how the run ended.
   * @throws RunPausedError, LostLeaseError, and the errors of the stores: another pass continues from there
   */
  async work(): Promise<ClosedRun> {
    const faults: Fault[] = [];
    try {
      await this.scope.goOn();
      const { access, target, email, remote } = this.options;
      await remote.prepare(access, { ...target, email: email ?? '' }, this.scope.remoteOptions());
      const whole = await this.listing.run(faults);
      await this.options.settled();
      if (whole) await this.deletions.run(faults);
      if (this.options.order.runType !== 'single') {
        await this.options.settled();
        await new StatusReading(this.scope).run();
      }
      if (this.scope.outage !== undefined) faults.push(faultOf(this.scope.outage));
    } catch (error) {
      // Wait for requests in progress, so that acknowledged offers are recorded.
      await this.scope.batches.settled();
      if (error instanceof RunCancelledError) return this.cancelled(error);
      if (!(error instanceof RemoteError)) throw error;
      if (this.options.signal.aborted) throw new RunPausedError('The process stops.');
      try {
        // A disconnection ends the grant, and then the merchant API returns errors of its own.
        await this.options.stillWanted();
      } catch (reason) {
        if (reason instanceof RunCancelledError) return this.cancelled(reason);
        throw reason;
      }
      faults.unshift(faultOf(error));
    }
    const [fault] = faults;
    const { processed, failed, deleted } = this.scope.run.counts;
    if (fault !== undefined) {
      return this.closed(fault.outcome ?? (processed + deleted > 0 ? 'partial' : 'failed'), fault);
    }
    if (failed === 0) return this.closed('completed');
    const message = `${failed} of the offers were rejected by Google; details.failures and the mappings have the reasons.`;
    return this.closed('partial', { code: 'offers_refused', message, outcome: 'partial' });
  }

  /** Only of a run that read them all; the first few names. */
  private ofCategories(): JsonObject {
    const { unknown, ambiguous } = this.listing.categories ?? {};
    if (this.options.order.productId !== null || unknown === undefined || ambiguous === undefined) return {};
    return {
      unknown_categories: unknown.slice(0, TOLD_CATEGORIES),
      ambiguous_categories: ambiguous.slice(0, TOLD_CATEGORIES),
    };
  }

  private cancelled({ message }: RunCancelledError): ClosedRun {
    return this.closed('cancelled', { code: 'cancelled', message, outcome: 'cancelled' });
  }

  private closed(outcome: RunOutcome, fault?: Fault): ClosedRun {
    const { remote } = this.options;
    const details: JsonObject = {
      adapter: remote.adapter,
      ...(fault !== undefined && { code: fault.code }),
      excluded: this.listing.excluded,
      ...(this.listing.exclusions.length > 0 && {
        exclusions: this.listing.exclusions.map((exclusion) => ({ ...exclusion })),
      }),
      ...(this.scope.run.failures.length > 0 && {
        failures: this.scope.run.failures.map((failure) => ({ ...failure })),
      }),
      duplicates: this.listing.duplicates,
      undeleted: this.deletions.undeleted,
      ...this.ofCategories(),
    };
    return { outcome, skipped: this.skipped, error: fault === undefined ? null : cut(fault.message), details };
  }
}
