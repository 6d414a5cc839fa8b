import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { REPORT, type Report } from '@sluice/engines';
import { DataKeys } from '../application/data-keys';

const LOOK_EVERY_MS = 60_000;

/** Deletes the versions of data keys that nothing needs any more. Any number of replicas may sweep. */
@Injectable()
export class DataKeySweep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly stopping = new AbortController();
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataKeys: DataKeys,
    @Inject(REPORT) private readonly report: Report,
  ) {}

  onApplicationBootstrap(): void {
    this.ended = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const dropped = await this.dataKeys.sweep();
        if (dropped.length > 0) this.report(`Deleted former versions of data keys: ${dropped.join(', ')}`);
      } catch (error) {
        this.report('Former versions of data keys could not be deleted; the next sweep tries again', error);
      }
      await delay(LOOK_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
