import { Inject, Injectable } from '@nestjs/common';
import { type Build, type BuildMetadata, buildStateOf } from '@sluice/contracts';
import { type ReadableRows, ReadStore } from '@sluice/document-store';
import { channelName } from '@sluice/kernel';
import { PROJECTIONS, type Projections } from '@sluice/projections';
import { StoredMetadata } from './build-metadata';
import { type BuildRow, buildRows, buildsProjection, type BuildWithoutMetadata } from './builds.projection';
import { buildNotFound, buildOf, type ChannelBuild, type ChannelState, type Recall } from './domain/channel';

/** Builds as the API shows them. */
@Injectable()
export class BuildResources {
  private readonly rows: ReadableRows<BuildRow>;

  constructor(
    readStore: ReadStore,
    @Inject(PROJECTIONS) private readonly projections: Projections,
    private readonly metadata: StoredMetadata,
  ) {
    this.rows = readStore.view(buildsProjection.name, buildRows);
  }

  /** Of builds that exist now, those without metadata left out. */
  async metadataById(ids: readonly number[]): Promise<ReadonlyMap<number, BuildMetadata>> {
    const found = await this.among(ids);
    const metadata = await this.metadata.of(found.map(({ object_key }) => object_key));
    return new Map(
      found.flatMap(({ id, object_key }) => {
        const pairs = metadata.get(object_key);
        return pairs === undefined ? [] : [[Number(id), pairs]];
      }),
    );
  }

  /** Of builds that exist now, those that no further device gets. */
  async stopped(ids: readonly number[]): Promise<ReadonlySet<number>> {
    const found = await this.among(ids);
    return new Set(found.filter((row) => buildStateOf(row) === 'stopped').map(({ id }) => Number(id)));
  }

  /** The build of the API, as the channel has it. @throws DomainError BUILD_NOT_FOUND */
  async resource(state: ChannelState, buildId: number): Promise<Build> {
    const build = buildOf(state, buildId);
    return {
      ...toResource(build, state.recalls.get(buildId)),
      metadata: (await this.metadata.of([build.objectKey])).get(build.objectKey) ?? {},
    };
  }

  private async among(ids: readonly number[]): Promise<readonly BuildRow[]> {
    return ids.length === 0 ? [] : this.rows.find({ where: { id: { in: ids.map(String) } } });
  }

  /** @throws DomainError BUILD_NOT_FOUND, for another app's build too; UnavailableError */
  async find(appId: number, buildId: number): Promise<BuildRow> {
    const row = await this.projections.find(buildsProjection.name, () => this.rows.get(String(buildId)));
    if (row?.app_id !== appId) throw buildNotFound(buildId);
    return row;
  }
}

function toResource(build: ChannelBuild, recall: Recall | undefined): BuildWithoutMetadata {
  const rollout = { rollout_percentage: build.rolloutPercentage, rollout_enabled: build.rolloutEnabled };
  return {
    id: build.buildId,
    version: build.version,
    channel: channelName(build.channel),
    status: build.status,
    state: buildStateOf({ status: build.status, ...rollout }),
    checksum: build.checksum,
    checksum_algorithm: 'SHA-256',
    signature: build.signature,
    file_size: build.size,
    release_notes: build.releaseNotes,
    min_native_version: build.minNativeVersion,
    native_range: build.nativeRange ?? null,
    fingerprint: build.fingerprint ?? null,
    platform: build.platform ?? 'all',
    delivery: build.delivery ?? null,
    ...rollout,
    ring: build.ring ?? 'per_build',
    mandatory: build.mandatory,
    audience: build.audience ?? null,
    promoted_from_id: build.promotedFromId,
    recalled_at: recall?.at ?? null,
    recall_reason: recall?.reason ?? null,
    recall_target: recall?.target ?? null,
    recall_of: build.recallOf ?? null,
    republished_from_id: build.republishedFromId ?? null,
    job_id: build.jobId,
    revision: build.revision,
    created_at: build.createdAt,
    updated_at: build.updatedAt,
  };
}
