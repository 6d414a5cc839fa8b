import { Inject, Injectable } from '@nestjs/common';
import { channelSchema, type Channel } from '@sluice/contracts';
import { replayRows } from '@sluice/document-store';
import { EVENT_STORE, type EventStore } from '@sluice/event-store';
import { UnavailableError, UnknownEventError } from '@sluice/kernel';
import { channelStream } from '../domain/channel';
import { buildRows, buildsProjection, type BuildRow } from '../projections/builds.projection';

export interface AsOf {
  readonly appId: number;
  /** ISO 8601. */
  readonly asOf: string;
  /** Default: every channel. */
  readonly channel?: Channel | undefined;
  /** Default: every build. */
  readonly buildId?: number;
}

/** Builds as they once stood: their channels' events, replayed up to a time of the store. */
@Injectable()
export class BuildsAsOf {
  constructor(@Inject(EVENT_STORE) private readonly events: EventStore) {}

  /** Newest first. @throws UnavailableError when a newer release wrote to a channel */
  async rows({ appId, asOf, channel, buildId }: AsOf): Promise<BuildRow[]> {
    const channels = channel === undefined ? channelSchema.options : [channel];
    try {
      const rows = await replayRows({
        events: this.events,
        projection: buildsProjection,
        collection: buildRows,
        streams: channels.map((name) => channelStream(appId, name)),
        asOf,
        // What names no build is about all of them.
        concerns: ({ data }) => buildId === undefined || data['buildId'] === undefined || data['buildId'] === buildId,
      });
      return rows.sort((a, b) => (a.position < b.position ? 1 : -1));
    } catch (error) {
      throw error instanceof UnknownEventError ? new UnavailableError(error.message) : error;
    }
  }
}
