import { registryHistory } from '@sluice/contracts';
import { defineHistory, historyPart } from '@sluice/history';
import { appStream, DEFAULT_APP_POLICY } from './domain/app';
import { APPS_STREAM } from './domain/apps';
import { appRows, appsProjection } from './apps.projection';
import { channelRows, channelsProjection } from '../channels/channels.projection';
import { channelsStream } from '../channels/domain/channels';
import { deviceGroupRows, deviceGroupsProjection } from '../device-groups/device-groups.projection';
import { planTemplatesStream } from '../plan-templates/domain/plan-templates';
import { planTemplateRows, planTemplatesProjection } from '../plan-templates/plan-templates.projection';

/** What happened to an app itself, to its plan templates, to its channels and to its device groups. */
export const history = defineHistory({
  calls: registryHistory,
  name: 'appHistory',
  parts: [
    historyPart({
      projection: appsProjection,
      collection: appRows,
      putsNewRows: true,
      streams: (appId) => [APPS_STREAM, appStream(appId)],
      appOf: ({ data }) => Number(data['id']),
      subjectOf: ({ data }) => ({ subject: 'app', subjectId: Number(data['id']) }),
      ownerOf: ({ ownerId }) => ownerId,
      view: ({ appId, bundleId, name, description, platform, ...row }) => ({
        app_id: appId,
        bundle_id: bundleId,
        name,
        description,
        platform,
        signing_key_rotation: row.signingKeyRotation ?? DEFAULT_APP_POLICY.signingKeyRotation,
        unique_signatures: row.uniqueSignatures ?? DEFAULT_APP_POLICY.uniqueSignatures,
        keep_builds: row.keepBuilds ?? DEFAULT_APP_POLICY.keepBuilds,
        default_rollout: { ...(row.defaultRollout ?? DEFAULT_APP_POLICY.defaultRollout) },
        attributes: { ...(row.attributes ?? DEFAULT_APP_POLICY.attributes) },
        default_channels: { ...(row.defaultChannels ?? DEFAULT_APP_POLICY.defaultChannels) },
        channel_aliases: { ...(row.channelAliases ?? DEFAULT_APP_POLICY.channelAliases) },
      }),
    }),
    historyPart({
      projection: planTemplatesProjection,
      collection: planTemplateRows,
      streams: (appId) => [planTemplatesStream(appId)],
      appOf: ({ data }) => Number(data['appId']),
      subjectOf: ({ data }) => ({ subject: 'app', subjectId: Number(data['appId']) }),
      view: ({ name, rules }) => ({ [`plan_template_${name}`]: rules }),
    }),
    historyPart({
      projection: channelsProjection,
      collection: channelRows,
      streams: (appId) => [channelsStream(appId)],
      appOf: ({ data }) => Number(data['appId']),
      subjectOf: ({ data: { appId, id } }) => ({
        ...{ subject: 'app', subjectId: Number(appId) },
        ...(typeof id === 'string' && { channel: id }),
      }),
      view: ({ name, expiresAt, selfAssign = false, audience = null, pins }) => ({
        ...{ name, expires_at: expiresAt, self_assign: selfAssign, audience: audience && { ...audience } },
        ...(pins && { pinned_devices: pins.devices, pinned_until: pins.until }),
      }),
    }),
    historyPart({
      projection: deviceGroupsProjection,
      collection: deviceGroupRows,
      streams: (appId) => [`groups-${appId}`],
      appOf: ({ data }) => Number(data['appId']),
      subjectOf: ({ data }) => ({ subject: 'app', subjectId: Number(data['appId']) }),
      view: ({ name, size, revision }) => ({ group: name, devices: size, revision }),
      indexes: deviceGroupRows.indexes,
    }),
  ],
});
