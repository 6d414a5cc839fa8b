import { type ApiKeyUse, recordApiKeyUse } from '@sluice/contracts';
import { newCommandId } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { LastUsedTracker, type LastUsedTrackerOptions } from '@sluice/service-host';

/** How long a stopping process waits for its last call. */
const PATIENCE_MS = 2_000;

export interface KeyUsageOptions extends Pick<LastUsedTrackerOptions<ApiKeyUse>, 'state' | 'logger' | 'now'> {
  readonly messaging: Pick<Messaging, 'request'>;
}

/** Sends the last uses of app API keys to the keys service. */
export class KeyUsage extends LastUsedTracker<ApiKeyUse> {
  constructor({ messaging, ...options }: KeyUsageOptions) {
    super({
      ...{ ...options, credentials: 'API keys', outbox: 'apiKeyUseOutbox', useOf: (use) => use },
      record: async (uses) => {
        const caller = { actor: 'system:device-updates', commandId: newCommandId() };
        return (await messaging.request(recordApiKeyUse, { uses }, caller, { timeoutMs: PATIENCE_MS })).recorded;
      },
      // The state store commits them together.
      batch: 50,
    });
  }
}
