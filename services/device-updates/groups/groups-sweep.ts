import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@sluice/config';
import { GROUP_LISTS, GROUP_OBJECTS } from '@sluice/contracts';
import { ReadStore, StateStore } from '@sluice/document-store';
import { EVENT_STORE, type EventStore } from '@sluice/event-store';
import type { Clock } from '@sluice/kernel';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { CLOCK, LOGGER, type Logger, OrphanSweep, sweptObjects } from '@sluice/service-host';
import { serving, servingGroups } from '../serving/serving.projection';

/** Deletes packed groups that no event names any longer, and uploaded lists that were left behind. */
@Injectable()
export class GroupsSweep extends OrphanSweep {
  constructor(
    @Inject(OBJECT_STORE) objects: ObjectStore,
    @Inject(EVENT_STORE) events: EventStore,
    readStore: ReadStore,
    state: StateStore,
    @Inject(PROJECTIONS) projections: Projections,
    @Inject(CLOCK) clock: Clock,
    @Inject(SETTINGS) settings: Settings,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({
      ...{ sweep: 'device-groups', what: 'Device groups' },
      ...{ events, readStore, state, projections, clock, logger },
      ...{ graceSeconds: settings.objectGraceSeconds, eventStorePrefix: settings.eventStorePrefix },
      kinds: [GROUP_OBJECTS, GROUP_LISTS].map((prefix) =>
        sweptObjects(objects, prefix, { projection: serving.name, rows: servingGroups }),
      ),
    });
  }
}
