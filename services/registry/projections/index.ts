import type { RegistryEvent } from '@sluice/contracts';
import type { Projection } from '@sluice/document-store';
import type { AppEvent } from '../domain/app';
import type { AppsEvent } from '../domain/apps';
import type { OwnerEvent } from '../domain/owner';
import type { TokenEvent } from '../domain/token';
import { history } from './apps.history';
import { appsProjection } from './apps.projection';
import { ownedAppsProjection } from './owned-apps.projection';
import { ownersProjection } from './owners.projection';
import { tokensProjection } from './tokens.projection';

export const projections: readonly Projection[] = [
  appsProjection,
  ownedAppsProjection,
  ownersProjection,
  tokensProjection,
  history.projection,
];

type Published<Event extends RegistryEvent> = Event;

/** Does not compile once the streams' events drift from what other services read of them. */
export type PublishedEvent = Published<AppsEvent | AppEvent | TokenEvent | OwnerEvent>;
