import { buildsHistory, channelSchema } from '@sluice/contracts';
import { defineHistory } from '@sluice/history';
import { channelStream } from '../domain/channel';
import { buildRows, buildsProjection } from './builds.projection';

/** What happened to an app's builds, deleted ones included. */
export const history = defineHistory({
  calls: buildsHistory,
  projection: buildsProjection,
  collection: buildRows,
  streams: (appId) => channelSchema.options.map((channel) => channelStream(appId, channel)),
  subject: ({ stream, data: { buildId } }) => ({
    channel: channelSchema.parse(stream.slice(stream.lastIndexOf('-') + 1)),
    ...(typeof buildId === 'number' && { buildId }),
  }),
  view: (row) => ({
    version: row.version,
    channel: row.channel,
    status: row.status,
    checksum: row.checksum,
    signature: row.signature,
    file_size: row.file_size,
    release_notes: row.release_notes,
    min_native_version: row.min_native_version,
    rollout_percentage: row.rollout_percentage,
    rollout_enabled: row.rollout_enabled,
    mandatory: row.mandatory,
    promoted_from_id: row.promoted_from_id,
  }),
});
