import type { ApiKeyEvent } from '@sluice/contracts';
import type { Projection } from '@sluice/projections';
import type { ApiKeyEvent as OwnApiKeyEvent } from './api-keys/domain/api-keys';
import { apiKeysProjection } from './api-keys/api-keys.projection';
import { history } from './history';
import { keystoresProjection } from './keystores/keystores.projection';
import { signingKeysProjection } from './signing-keys/signing-keys.projection';

export const projections: readonly Projection[] = [
  apiKeysProjection,
  signingKeysProjection,
  keystoresProjection,
  history.projection,
];

type Published<Event extends ApiKeyEvent> = Event;

/** Does not compile once the stream's events drift from what other services read of them. */
export type PublishedEvent = Published<OwnApiKeyEvent>;
