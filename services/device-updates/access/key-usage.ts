import type { ApiKeyUse } from '@sluice/contracts';
import { LastUsedTracker, type LastUsedTrackerOptions } from '@sluice/service-host';

/** Tells the keys service how app API keys are used. */
export class KeyUsage extends LastUsedTracker<ApiKeyUse> {
  constructor(options: Pick<LastUsedTrackerOptions<ApiKeyUse>, 'state' | 'record' | 'logger' | 'now'>) {
    super({
      ...{ ...options, credentials: 'API keys', outbox: 'apiKeyUseOutbox', useOf: (use) => use },
      // The state store commits them together.
      batch: 50,
    });
  }
}
