import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { recordTokenUse, type TokenUse as Use } from '@sluice/contracts';
import { StateStore } from '@sluice/document-store';
import { CLOCK, LastUsedTracker, type Clock, LOGGER, type Logger } from '@sluice/service-host';
import { newCommandId } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';

/** A process that stops waits no longer for its last call. */
const PATIENCE_MS = 2_000;

/** Sends the last uses of access tokens to the registry. */
@Injectable()
export class TokenUse extends LastUsedTracker<Use> implements OnApplicationShutdown {
  constructor(
    state: StateStore,
    @Inject(MESSAGING) messaging: Pick<Messaging, 'request'>,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({
      ...{ credentials: 'access tokens', state, outbox: 'tokenUseOutbox', batch: 500, logger },
      now: () => clock.now().getTime(),
      useOf: ({ id, usedAt }) => ({ id, usedAt: String(usedAt) }),
      record: async (uses) => {
        const caller = { actor: 'system:gateway', commandId: newCommandId() };
        await messaging.request(recordTokenUse, { uses }, caller, { timeoutMs: PATIENCE_MS });
        return uses.map(({ id }) => id);
      },
    });
  }

  onApplicationShutdown(): Promise<void> {
    return this.stop();
  }
}
