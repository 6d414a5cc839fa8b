import { setTimeout as delay } from 'node:timers/promises';
import { bundleKeyOf, fileIndexKey } from '@sluice/contracts';
import type { ReadStore } from '@sluice/document-store';
import type { Logger } from '@sluice/kernel';
import { ObjectNotFoundError, type ObjectStore } from '@sluice/object-store';
import { PeriodicTask } from '@sluice/service-host';
import { buildRows, buildsProjection } from '../builds/builds.projection';
import { BundleFault } from './bundle-fault';
import { checkBundle } from './check-bundle';

const EVERY_MS = 15 * 60_000;
const FIRST_AFTER_MS = 5_000;

export interface IndexBackfillOptions {
  readonly readStore: ReadStore;
  readonly objects: ObjectStore;
  readonly logger: Logger;
}

/**
 * Makes the file indexes that are missing: of bundles that an earlier release checked, and those that its sweep took for
 * strays during an upgrade. One bundle at a time, with a pause as long as its check took. Several replicas each take
 * another order, and skip what another one has done.
 */
export class IndexBackfill extends PeriodicTask {
  /** They can have no index: today's checks reject them, or they are encrypted. */
  private readonly unreadable = new Set<string>();

  constructor(private readonly options: IndexBackfillOptions) {
    super({
      everyMs: EVERY_MS,
      firstAfterMs: FIRST_AFTER_MS,
      run: async () => {
        const made = await this.backfill();
        if (made > 0) options.logger.warn(`Indexed the files of bundles of an earlier release: ${made}`);
      },
      fault: 'Missing file indexes could not be made; the next run tries again',
      logger: options.logger,
    });
  }

  /** Answers how many indexes it made. */
  async backfill(): Promise<number> {
    const { objects } = this.options;
    let made = 0;
    for (const key of shuffled(await this.missing())) {
      if (this.signal.aborted) break;
      if ((await objects.stat(fileIndexKey(key))) !== undefined) continue;
      const startedAt = performance.now();
      if (await this.index(key)) made += 1;
      await delay(performance.now() - startedAt, undefined, { signal: this.signal }).catch(() => undefined);
    }
    return made;
  }

  /** Bundles without an index. */
  private async missing(): Promise<string[]> {
    const bundles = new Set<string>();
    const indexed = new Set<string>();
    for await (const { key } of this.options.objects.list('bundles/')) {
      const bundle = bundleKeyOf(key);
      (bundle === key ? bundles : indexed).add(bundle);
    }
    return [...bundles].filter((key) => !indexed.has(key) && !this.unreadable.has(key));
  }

  private async index(key: string): Promise<boolean> {
    const { readStore, objects, logger } = this.options;
    const [build] = await readStore
      .view(buildsProjection.name, buildRows)
      .find({ where: { object_key: key, status: { in: ['active', 'paused', 'archived'] } }, limit: 1 });
    // A job makes the index of a build that is processing; a bundle without a build needs none.
    if (build === undefined || build.checksum === null || build.file_size === null) return false;
    if ((build.delivery ?? null) !== null) {
      this.unreadable.add(key);
      return false;
    }
    const { checksum, file_size: size } = build;
    try {
      await checkBundle(objects, key, { size, checksum, maxExpandedBytes: Infinity }, this.signal);
      return true;
    } catch (error) {
      if (this.signal.aborted || error instanceof ObjectNotFoundError) return false;
      if (!(error instanceof BundleFault)) throw error;
      this.unreadable.add(key);
      logger.error({ err: error }, `The files of the bundle of build ${build.id} can not be indexed`);
      return false;
    }
  }
}

function shuffled(keys: readonly string[]): string[] {
  return keys
    .map((key) => ({ key, rank: Math.random() }))
    .sort((left, right) => left.rank - right.rank)
    .map(({ key }) => key);
}
