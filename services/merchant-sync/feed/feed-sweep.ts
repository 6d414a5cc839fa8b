import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, PeriodicTask, LOGGER, type Logger } from '@sluice/service-host';
import type { Clock } from '@sluice/kernel';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { FEED_OBJECTS } from './feed.handlers';

/** A download has begun long before; the rest is for clocks that differ. */
const AGE_MS = 3_600_000;
const PAUSE_MS = 900_000;

/** Deletes old generated feeds. Replicas may sweep concurrently. */
@Injectable()
export class FeedSweep extends PeriodicTask {
  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ everyMs: PAUSE_MS, run: () => this.sweep(), fault: 'Deleting old generated feeds failed', logger });
  }

  /** Answers how many it deleted. @throws ObjectStoreUnavailableError */
  async sweep(): Promise<number> {
    let deleted = 0;
    for await (const { key, modifiedAt } of this.objects.list(FEED_OBJECTS)) {
      if (this.clock.now().getTime() - modifiedAt.getTime() < AGE_MS) continue;
      if (await this.objects.delete(key)) deleted += 1;
    }
    return deleted;
  }
}
