import { idsOf, OrphanSweep, type OrphanSweepOptions } from '@sluice/service-host';
import { buildMetadataRows } from '../builds/build-metadata';
import { buildRows, buildsProjection } from '../builds/builds.projection';

/** Erases the metadata of deleted builds, and of uploads that ended before their build appeared. */
export class MetadataSweep extends OrphanSweep {
  constructor(options: Omit<OrphanSweepOptions, 'sweep' | 'what' | 'kinds'>) {
    const stored = options.state.rows(buildMetadataRows);
    super({
      ...options,
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
