import { Inject, Injectable } from '@nestjs/common';
import { buildStateOf, type Build } from '@sluice/contracts';
import { PROJECTIONS, type Projections, type ReadableRows, ReadStore } from '@sluice/document-store';
import type { Handled } from '@sluice/event-store';
import { buildNotFound, buildOf, type ChannelEvent, type ChannelState } from '../domain/channel';
import { buildRows, buildsProjection, type BuildRow } from '../projections/builds.projection';

/** What became of a command on a channel, for one of its builds. */
export interface HandledBuild {
  readonly handled: Handled<ChannelState, ChannelEvent>;
  readonly buildId: number;
}

/** Finds builds by id, and words the answers of the commands that change them. */
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

  /**
   * The build as the command left it. Only the times of a command that appended nothing (nothing
   * changed, or a repeat) come from the row, which has seen the stream by now.
   */
  async answer({ handled, buildId }: HandledBuild, createdAt?: string): Promise<Build> {
    const build = buildOf(handled.state, buildId);
    const rollout = { rollout_percentage: build.rolloutPercentage, rollout_enabled: build.rolloutEnabled };
    const at = handled.repeated ? undefined : handled.events.at(-1)?.metadata.at;
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
      ...(at === undefined
        ? await this.recordedTimes(build.appId, buildId)
        : { created_at: createdAt ?? at, updated_at: at }),
    };
  }

  private async recordedTimes(appId: number, buildId: number): Promise<Pick<Build, 'created_at' | 'updated_at'>> {
    const { created_at, updated_at } = await this.find(appId, buildId);
    return { created_at, updated_at };
  }
}
