import { Inject, Injectable } from '@nestjs/common';
import { describeDevicePlane, getDeviceUrl } from '@sluice/contracts';
import { CLOCK, type Clock } from '@sluice/service-host';
import { newCommandId } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';

const FRESH_MS = 10_000;
const TIMEOUT_MS = 3_000;

/** The device plane, as the service that serves it presents it. */
export interface PresentedPlane {
  /** Such as `https://updates.example.com`. */
  readonly url: string;
  /** The JSON of its OpenAPI document. */
  readonly description: string;
}

/** Where devices reach their plane, which may have an address of its own, and how that is described. */
@Injectable()
export class DevicePlane {
  private known: Partial<PresentedPlane> = {};
  private askedAt = -Infinity;
  private asking: Promise<void> | undefined;

  constructor(
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** At most ten seconds old while the plane's service answers. A member that is left out: it has not answered yet. */
  async presented(): Promise<Partial<PresentedPlane>> {
    if (this.clock.monotonic() - this.askedAt >= FRESH_MS) {
      this.asking ??= this.ask().finally(() => (this.asking = undefined));
      await this.asking;
    }
    return this.known;
  }

  private async ask(): Promise<void> {
    const caller = { actor: 'system:gateway', commandId: newCommandId() };
    const options = { timeoutMs: TIMEOUT_MS };
    // What is not answered seldom changes: the last reply is still the best.
    await Promise.allSettled([
      this.messaging
        .request(getDeviceUrl, {}, caller, options)
        .then(({ url }) => (this.known = { ...this.known, url })),
      this.messaging
        .requestRaw(describeDevicePlane, {}, caller, options)
        .then((description) => (this.known = { ...this.known, description })),
    ]);
    this.askedAt = this.clock.monotonic();
  }
}
