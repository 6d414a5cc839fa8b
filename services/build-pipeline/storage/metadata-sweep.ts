import type { Settings } from '@sluice/config';
import { idsOf, OrphanSweep, type OrphanSweepOptions } from '@sluice/service-host';
import { buildMetadataRows } from '../builds/build-metadata';
import { buildRows, buildsProjection } from '../builds/builds.projection';

type Stores = 'events' | 'readStore' | 'state' | 'projections';

export interface MetadataSweepOptions extends Pick<OrphanSweepOptions, Stores | 'clock' | 'logger'> {
  readonly settings: Pick<Settings, 'objectGraceSeconds' | 'eventStorePrefix'>;
}

/** Erases the metadata of deleted builds, and of uploads that ended before their build appeared. */
export class MetadataSweep extends OrphanSweep {
  constructor({ settings, ...options }: MetadataSweepOptions) {
    const stored = options.state.rows(buildMetadataRows);
    super({
      ...options,
      ...{ graceSeconds: settings.objectGraceSeconds, eventStorePrefix: settings.eventStorePrefix },
      ...{ sweep: 'build-metadata', what: 'Metadata of builds' },
      kinds: [
        {
          ...{ projection: buildsProjection.name, rows: buildRows, member: 'object_key' },
          all: () => idsOf(stored),
          delete: (id) => stored.delete(id),
        },
      ],
    });
  }
}
