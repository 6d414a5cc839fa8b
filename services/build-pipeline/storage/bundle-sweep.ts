import type { Settings } from '@sluice/config';
import { BUNDLE_OBJECTS, bundleKeyOf } from '@sluice/contracts';
import { type Projections } from '@sluice/projections';
import { type ReadStore, refuseForeignEvents, type StateStore } from '@sluice/document-store';
import { PeriodicTask } from '@sluice/service-host';
import type { CommandHandling, EventStore } from '@sluice/event-store';
import { newCommandId, type Clock, type Logger } from '@sluice/kernel';
import type { ObjectStore, StoredObject } from '@sluice/object-store';
import { channelDecider, channelStream } from '../builds/domain/channel';
import {
  bundleClaims,
  buildsProjection,
  releasedBundles,
  type BundleClaimRow,
  type ReleasedBundleRow,
} from '../builds/builds.projection';

/**
 * A stray younger than this may be an upload whose build is on its way: between the put and the event
 * lies one request over the bus, which ends within seconds. The rest is for clocks that differ.
 */
const STRAY_MS = 3_600_000;
const PAGE = 100;

export interface BundleSweepOptions {
  readonly commands: CommandHandling;
  readonly events: EventStore;
  readonly readStore: ReadStore;
  readonly state: StateStore;
  readonly projections: Projections;
  readonly objects: ObjectStore;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'objectGraceSeconds' | 'eventStorePrefix'>;
  readonly logger: Logger;
}

/**
 * Deletes bundles that no build needs, each with the index of its files: OBJECT_GRACE_SECONDS after the last build that did was
 * deleted, and strays (uploads of unknown outcome, of killed gateways, of failed jobs whose worker
 * could not delete them) when they are as old as that and at least an hour. A read model decides that
 * has caught up past a head read after the object was seen. Any number of replicas may sweep.
 *
 * Safe against promotions whatever the grace and the clocks: the source's channel records a promise of the
 * bundle before the promotion and before a later deletion. A promise that was not kept is
 * cancelled in the target's channel first, which then rejects the promotion.
 */
export class BundleSweep extends PeriodicTask {
  private readonly graceMs: number;

  constructor(private readonly options: BundleSweepOptions) {
    const { settings, logger } = options;
    super({
      everyMs: Math.min(Math.max(settings.objectGraceSeconds * 250, 1_000), 3_600_000),
      run: async () => {
        const deleted = await this.sweep();
        if (deleted > 0) logger.warn(`Swept bundles that no build needs: ${deleted}`);
      },
      fault: 'Bundles can not be swept',
      logger,
    });
    this.graceMs = settings.objectGraceSeconds * 1_000;
  }

  /**
   * Looks at every bundle and index once; answers how many bundles it deleted.
   * @throws UnavailableError, ObjectStoreUnavailableError when they can't be judged now
   */
  async sweep(): Promise<number> {
    const { events, state, objects, settings } = this.options;
    await refuseForeignEvents({ sweep: 'bundles', state, events, eventStorePrefix: settings.eventStorePrefix });
    let deleted = 0;
    let page: StoredObject[] = [];
    for await (const object of objects.list(BUNDLE_OBJECTS)) {
      if (this.signal.aborted) return deleted;
      page.push(object);
      if (page.length < PAGE) continue;
      deleted += await this.sweepPage(page);
      page = [];
    }
    return deleted + (await this.sweepPage(page));
  }

  private async sweepPage(page: readonly StoredObject[]): Promise<number> {
    const due = await this.dueOf(page);
    let deleted = 0;
    for (const key of due) if ((await this.options.objects.delete(key)) && bundleKeyOf(key) === key) deleted += 1;
    return deleted;
  }

  /** Keys of the page's objects that nothing needs any more, and for long enough. */
  private async dueOf(page: readonly StoredObject[]): Promise<readonly string[]> {
    const { readStore, projections, clock } = this.options;
    const claims = readStore.view(buildsProjection.name, bundleClaims);
    const released = readStore.view(buildsProjection.name, releasedBundles);
    let unneeded = page;
    let broken: BundleClaimRow[] = [];
    // Looked at twice, the second time past a head read after the objects were seen.
    await projections.find(buildsProjection.name, async () => {
      const found = await claims.find({ where: { object_key: { in: keysOf(unneeded) } } });
      const needed = new Set(found.filter(({ promised }) => promised === null).map(({ object_key }) => object_key));
      unneeded = unneeded.filter(({ key }) => !needed.has(bundleKeyOf(key)));
      broken = found.filter(({ object_key }) => !needed.has(object_key));
      return unneeded.length === 0 ? unneeded : undefined;
    });
    if (unneeded.length === 0) return [];
    const releases = releaseTimes(await released.find({ where: { object_key: { in: keysOf(unneeded) } } }));
    const now = clock.now().getTime();
    const due = unneeded
      .filter(({ key, modifiedAt }) => {
        const releasedAt = releases.get(bundleKeyOf(key));
        if (releasedAt !== undefined) return now - releasedAt >= this.graceMs;
        return now - modifiedAt.getTime() >= Math.max(this.graceMs, STRAY_MS);
      })
      .map(({ key }) => key);
    const bundles = new Set(due.map(bundleKeyOf));
    const promised = await this.cancelPromises(broken.filter(({ object_key }) => bundles.has(object_key)));
    return due.filter((key) => !promised.has(bundleKeyOf(key)));
  }

  /** The next sweep finds what became of each: it was cancelled, or kept just before. */
  private async cancelPromises(claims: readonly BundleClaimRow[]): Promise<ReadonlySet<string>> {
    for (const { id, promised } of claims) {
      if (promised === null) continue;
      await this.options.commands.handle(
        channelDecider,
        channelStream(promised.app_id, promised.channel),
        { type: 'CancelPromotion', buildId: Number(id) },
        { commandId: newCommandId(), actor: 'system:bundle-sweep' },
        { waitForReaders: false },
      );
    }
    return new Set(claims.map(({ object_key }) => object_key));
  }
}

/** Of the bundles that the objects belong to. */
function keysOf(objects: readonly StoredObject[]): string[] {
  return [...new Set(objects.map(({ key }) => bundleKeyOf(key)))];
}

/** By object key, when the last of the builds that needed it was deleted, in milliseconds. */
function releaseTimes(rows: readonly ReleasedBundleRow[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { object_key, released_at } of rows) {
    times.set(object_key, Math.max(times.get(object_key) ?? 0, Date.parse(released_at)));
  }
  return times;
}
