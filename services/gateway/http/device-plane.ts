import { Inject, Injectable } from '@nestjs/common';
import { getDeviceUrl } from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/engines';
import { newCommandId } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';

const FRESH_MS = 10_000;
const TIMEOUT_MS = 3_000;

/** Where devices reach their plane, which may have an address of its own. */
@Injectable()
export class DevicePlane {
  private known: string | undefined;
  private askedAt = -Infinity;
  private asking: Promise<void> | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Such as `https://updates.example.com`, at most ten seconds old while the plane's service answers. Undefined: it has
   * not answered yet.
   */
  async url(): Promise<string | undefined> {
    if (this.clock.monotonic() - this.askedAt >= FRESH_MS) {
      this.asking ??= this.ask().finally(() => (this.asking = undefined));
      await this.asking;
    }
    return this.known;
  }

  private async ask(): Promise<void> {
    const caller = { actor: 'system:gateway', commandId: newCommandId() };
    try {
      ({ url: this.known } = await this.messaging.request(getDeviceUrl, {}, caller, { timeoutMs: TIMEOUT_MS }));
    } catch {
      // The address seldom changes: the last one is still the best.
    }
    this.askedAt = this.clock.monotonic();
  }
}
