import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { CLOCK, REPORT, type Report } from '@sluice/engines';
import type { Clock } from '@sluice/kernel';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { FEED_OBJECTS } from '../application/feed/make-feed.handler';

/** A download has begun long before; the rest is for clocks that differ. */
const AGE_MS = 3_600_000;
const PAUSE_MS = 900_000;

/** Deletes generated feeds that nobody fetches any more. Any number of replicas may sweep. */
@Injectable()
export class FeedSweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private ended: Promise<void> = Promise.resolve();

  constructor(
    @Inject(OBJECT_STORE) private readonly objects: ObjectStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(REPORT) private readonly report: Report,
  ) {}

  onApplicationBootstrap(): void {
    this.ended = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.ended;
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

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await delay(PAUSE_MS * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.sweep();
      } catch (error) {
        this.report('Generated feeds can not be swept', error);
      }
    }
  }
}
