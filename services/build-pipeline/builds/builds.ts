import { Inject, Injectable } from '@nestjs/common';
import { buildStateOf, type Build } from '@sluice/contracts';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { type ReadableRows, ReadStore } from '@sluice/document-store';
import { buildNotFound, type ChannelBuild } from './domain/channel';
import { buildRows, buildsProjection, type BuildRow } from './builds.projection';

/** Finds builds by id. */
@Injectable()
export class Builds {
  private readonly rows: ReadableRows<BuildRow>;

  constructor(
    readStore: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
  ) {
    this.rows = readStore.view(buildsProjection.name, buildRows);
  }

  /** @throws DomainError BUILD_NOT_FOUND, for another app's build too; UnavailableError */
  async find(appId: number, buildId: number): Promise<BuildRow> {
    const row = await this.projections.find(buildsProjection.name, () => this.rows.get(String(buildId)));
    if (row?.app_id !== appId) throw buildNotFound(buildId);
    return row;
  }
}

/** The build of the API, as the channel has it. */
export function buildResource(build: ChannelBuild): Build {
  const rollout = { rollout_percentage: build.rolloutPercentage, rollout_enabled: build.rolloutEnabled };
  return {
    id: build.buildId,
    version: build.version,
    channel: build.channel,
    status: build.status,
    state: buildStateOf({ status: build.status, ...rollout }),
    checksum: build.checksum,
    checksum_algorithm: 'SHA-256',
    signature: build.signature,
    file_size: build.size,
    release_notes: build.releaseNotes,
    min_native_version: build.minNativeVersion,
    ...rollout,
    mandatory: build.mandatory,
    promoted_from_id: build.promotedFromId,
    job_id: build.jobId,
    revision: build.revision,
    created_at: build.createdAt,
    updated_at: build.updatedAt,
  };
}
