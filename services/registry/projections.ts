import type { ChannelsEvent, RegistryEvent } from '@sluice/contracts';
import type { Projection } from '@sluice/projections';
import type { AppEvent } from './apps/domain/app';
import type { AppsEvent } from './apps/domain/apps';
import type { OwnerEvent } from './owners/domain/owner';
import type { TokenEvent } from './tokens/domain/token';
import { history } from './apps/apps.history';
import { appsProjection } from './apps/apps.projection';
import { channelsProjection } from './channels/channels.projection';
import type { ChannelsEvent as OwnChannelsEvent } from './channels/domain/channels';
import { ownedAppsProjection } from './apps/owned-apps.projection';
import { ownersProjection } from './owners/owners.projection';
import { tokensProjection } from './tokens/tokens.projection';

export const projections: readonly Projection[] = [
  appsProjection,
  ownedAppsProjection,
  channelsProjection,
  ownersProjection,
  tokensProjection,
  history.projection,
];

type Published<Event extends RegistryEvent | ChannelsEvent> = Event;

/** Does not compile once the streams' events drift from what other services read of them. */
export type PublishedEvent = Published<AppsEvent | AppEvent | TokenEvent | OwnerEvent | OwnChannelsEvent>;
