import { buildsHistory } from '@sluice/contracts';
import type { RecordedEvent } from '@sluice/event-store';
import { type Channel, channelName, STANDARD_CHANNELS } from '@sluice/kernel';
import { defineHistory, historyPart } from '@sluice/history';
import { channelStream } from './domain/channel';
import { buildRows, buildsProjection } from './builds.projection';
import { planRows, plansProjection } from '../plans/plans.projection';
import { formerBuildRows, keepFormerBuild, notesRows, standingBuilds } from './former-builds';

/**
 * What happened to an app's builds, deleted ones included, and how they once stood. Of the streams that a projection reads,
 * each part has those that no other has.
 */
export const history = defineHistory({
  calls: buildsHistory,
  name: 'buildHistory',
  parts: [
    historyPart({
      projection: { ...buildsProjection, prefixes: ['channel-'] },
      collection: buildRows,
      putsNewRows: true,
      streams: (appId) => STANDARD_CHANNELS.map((channel) => channelStream(appId, channel)),
      furtherStreams: (appId) => channelStream(appId, ''),
      appOf: ({ stream }) => Number(stream.split('-', 2)[1]),
      subjectOf: ({ stream, data: { buildId } }) => ({
        channel: channelOf(stream),
        ...(typeof buildId === 'number' ? { subject: 'build', subjectId: buildId } : { subject: 'channel' }),
      }),
      view: (row) => ({
        version: row.version,
        channel: channelName(row.channel),
        status: row.status,
        checksum: row.checksum,
        signature: row.signature,
        file_size: row.file_size,
        release_notes: row.release_notes,
        min_native_version: row.min_native_version,
        native_range: row.native_range,
        fingerprint: row.fingerprint,
        platform: row.platform,
        rollout_percentage: row.rollout_percentage,
        rollout_enabled: row.rollout_enabled,
        ring: row.ring,
        mandatory: row.mandatory,
        audience: row.audience && { ...row.audience },
        promoted_from_id: row.promoted_from_id,
        recall_reason: row.recall_reason,
        recall_target: row.recall_target,
        recall_of: row.recall_of,
        republished_from_id: row.republished_from_id,
        ...(row.pinned_devices !== undefined && {
          ...{ pinned_devices: row.pinned_devices, pinned_until: row.pinned_until ?? null },
        }),
      }),
      indexes: standingBuilds.indexes,
      keeps: { collections: [notesRows, formerBuildRows], apply: keepFormerBuild },
    }),
    historyPart({
      projection: { ...plansProjection, prefixes: ['plan-'] },
      collection: planRows,
      streams: (appId) => [plansOf(appId)],
      streamOf: ({ data }) => plansOf(Number(data['appId'])),
      appOf: ({ data }) => Number(data['appId']),
      subjectOf: ({ data }) => ({ subject: 'build', subjectId: Number(data['buildId']) }),
      view: ({ status, because, step, percentage }) => ({
        ...{ plan_status: status, plan_because: because, plan_step: step, plan_percentage: percentage },
      }),
    }),
  ],
});

/** In place of the streams of all plans of an app: there is one for each build. */
const plansOf = (appId: number): string => `plans-${appId}`;

/** The name of a channel may have hyphens. */
const channelOf = (stream: RecordedEvent['stream']): Channel => stream.split('-').slice(2).join('-');
