import {
  type ApiKeyEvent,
  type App,
  type AppChannel,
  type Build,
  type BuildEvent,
  type BuildFacts,
  type Channel,
  type ChannelsEvent,
  type GroupEvent,
  type KeyPlatform,
  type Platform,
  type RecallTarget,
  type RegistryEvent,
  type Restrictions,
} from '@sluice/contracts';
import type { Collection, Row } from '@sluice/document-store';
import type { ProjectedRows, Projection } from '@sluice/projections';
import type { Recorded } from '@sluice/event-store';
import { isStandardChannel, STANDARD_CHANNELS, unknownEvent } from '@sluice/kernel';

/** An app whose devices are answered. Its id is the app's integer id. */
export interface ServingApp extends Row {
  readonly appId: number;
  readonly ownerId: number;
  readonly platform: Platform;
  /** What its devices may send of themselves; left out: nothing. */
  readonly attributes?: App['attributes'];
  /** Of devices that name none; left out: production. */
  readonly defaultChannels?: App['default_channels'];
  /** By alias, the id of a channel, which may be removed; left out: none. */
  readonly channelAliases?: Readonly<Record<string, Channel>>;
}

/** A build that was neither deleted nor failed. Its id is the build's integer id. */
export interface ServingBuild extends Row, BuildFacts {
  /** Null, or left out: all devices. */
  readonly audience?: Build['audience'];
  readonly status: 'processing' | 'active' | 'paused' | 'archived';
  readonly rolloutEnabled: boolean;
  /** Of its channel's stream: the event that last changed what the build's manifest states. */
  readonly manifestRevision: number;
  /**
   * Numbers the releases of the channel, with gaps and never twice: the revision of its stream at which the build first became
   * active there. Left out: it never was, or an earlier release of the server wrote the row.
   */
  readonly release?: number;
  /** When that was, as ISO 8601. */
  readonly releasedAt?: string;
  /** Its signature was made by the server; false: it was supplied, or the build has none. */
  readonly signedByServer: boolean;
  /** Only devices that a recall sends to that build get this one; left out: it is an ordinary one. */
  readonly republishedFromId?: number;
  /** Of the build that it republishes; left out: an earlier release did not record it. */
  readonly republishedVersion?: string;
  /** How often an operator had it offered again to devices that rolled it back; left out: never. */
  readonly retries?: number;
}

/** A recall in force. Its id is the integer id of the recalled build, which may be deleted. */
export interface ServingRecall extends Row {
  readonly buildId: number;
  readonly appId: number;
  readonly channel: Channel;
  readonly version: string;
  /** Left out: all. */
  readonly platform?: 'ios' | 'android';
  readonly target: RecallTarget;
  /** The revision of the channel's stream at which it was recalled; left out: an earlier release of the server wrote the row. */
  readonly revision?: number;
  /** When that was, as ISO 8601. */
  readonly at?: string;
}

/** A build that was ever republished, also once it is deleted: devices still run it. Its id is the build's integer id. */
export interface ServingRepublished extends Row {
  readonly appId: number;
  readonly channel: Channel;
  readonly version: string;
  /** Left out: all. */
  readonly platform?: 'ios' | 'android';
  readonly republishedFromId: number;
}

/** A channel of which builds were active once. Its id is `{appId}-{channel}`. */
export interface ServingChannel extends Row {
  readonly appId: number;
  readonly channel: Channel;
  /** Of its stream: the event that last changed which builds are active, or the manifest of one. */
  readonly revision: number;
}

/** A channel that an app has added, or had added: what its name means. Its id is `{appId}/{name}`. */
export interface ServingName extends Row {
  readonly appId: number;
  readonly name: string;
  readonly channel: Channel;
  /** It was removed. */
  readonly closed: boolean;
  /** Devices may choose it themselves; left out: they may not. */
  readonly selfAssign?: boolean;
}

/** The audience of a channel that has one. Its id is `{appId}/{channel}`. */
export interface ServingAudience extends Row {
  readonly appId: number;
  readonly channel: Channel;
  readonly audience: NonNullable<AppChannel['audience']>;
}

/** An app that has, or had, a signing key. Its id is the app's integer id. */
export interface ServingSigner extends Row {
  readonly appId: number;
  /** The last revision of the stream of its signing keys, whatever happened to them. */
  readonly revision: number;
}

/** A key that authenticates. Its id is the key's integer id. */
export interface ServingKey extends Row {
  readonly keyId: number;
  readonly appId: number;
  /** Lower-case hex SHA-256 of the key. */
  readonly hash: string;
  /** Null: everybody may use it. */
  readonly restrictions: Restrictions | null;
  /** The channel that it belongs to; left out: none. */
  readonly channel?: Channel;
  /** Of the devices that use it; left out: not known. */
  readonly platform?: KeyPlatform;
}

export const servingApps: Collection<ServingApp> = { name: 'servingApps', indexes: [] };
export const servingBuilds: Collection<ServingBuild> = { name: 'servingBuilds', indexes: [] };
const byChannel = [{ fields: ['appId', 'channel'] }] as const;
export const servingRecalls: Collection<ServingRecall> = { name: 'servingRecalls', indexes: byChannel };
export const servingRepublished: Collection<ServingRepublished> = { name: 'servingRepublished', indexes: byChannel };
export const servingChannels: Collection<ServingChannel> = { name: 'servingChannels', indexes: [] };
export const servingAudiences: Collection<ServingAudience> = { name: 'servingAudiences', indexes: [] };
export const servingNames: Collection<ServingName> = { name: 'servingNames', indexes: [{ fields: ['appId'] }] };
export const servingKeys: Collection<ServingKey> = { name: 'servingKeys', indexes: [] };
export const servingSigners: Collection<ServingSigner> = { name: 'servingSigners', indexes: [] };

/** A group of devices. Its id is `{appId}/{name}`. */
export interface ServingGroup extends Row {
  readonly appId: number;
  readonly name: string;
  readonly objectKey: string;
  /** Devices. */
  readonly size: number;
  readonly revision: number;
  readonly keyVersion: number;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export const servingGroups: Collection<ServingGroup> = {
  name: 'servingGroups',
  indexes: [{ fields: ['appId', 'name'] }, { fields: ['objectKey'] }],
};

const SIGNING_KEYS = 'signingKey-';
const CHANNELS = 'channel-';

/** An owner whose devices are rejected. Its id is the owner's integer id. */
export interface StoppedOwner extends Row {
  readonly ownerId: number;
}

export const servingStoppedOwners: Collection<StoppedOwner> = { name: 'servingStoppedOwners', indexes: [] };

export type ServingEvent = BuildEvent | ApiKeyEvent | RegistryEvent | ChannelsEvent | GroupEvent;

/** The writes that the projection makes; the index in memory makes the same ones on its own rows. */
export type ServingRows = Pick<ProjectedRows, 'put' | 'update' | 'delete' | 'deleteWhere'>;

async function apply(event: Recorded<ServingEvent>, rows: ServingRows): Promise<void> {
  const change = (buildId: number, values: Partial<ServingBuild>) =>
    rows.update(servingBuilds, String(buildId), (build) => ({ ...build, ...values }));
  const { stream, revision } = event;

  if (stream.startsWith(SIGNING_KEYS)) {
    const id = stream.slice(SIGNING_KEYS.length);
    rows.put(servingSigners, { id, appId: Number(id), revision });
    return;
  }

  switch (event.type) {
    case 'AppRegistered': {
      const { id, ownerId, platform } = event.data;
      rows.put(servingApps, { id: String(id), appId: id, ownerId, platform });
      return;
    }
    case 'AppEdited': {
      const { id, platform, attributes, defaultChannels, channelAliases } = event.data;
      const edited = {
        ...(platform !== undefined && { platform }),
        ...(attributes !== undefined && { attributes }),
        ...(defaultChannels !== undefined && { defaultChannels }),
        ...(channelAliases !== undefined && { channelAliases }),
      };
      if (Object.keys(edited).length === 0) return;
      return rows.update(servingApps, String(id), (app) => ({ ...app, ...edited }));
    }
    // Its API keys and builds are of no use without it, and are deleted by events of their own streams.
    case 'AppRemovalStarted':
      rows.delete(servingApps, String(event.data.id));
      forgetSigning(event.data.id, rows);
      return rows.deleteWhere(servingNames, { appId: event.data.id });
    // Its streams were closed since.
    case 'AppRemoved':
      forgetSigning(event.data.id, rows);
      return;
    case 'ApiKeyCreated': {
      const { id, appId, hash, channel, platform } = event.data;
      const key = { id: String(id), keyId: id, appId, hash, restrictions: null };
      const own = { ...(channel !== undefined && { channel }), ...(platform !== undefined && { platform }) };
      rows.put(servingKeys, { ...key, ...own });
      return;
    }
    case 'ApiKeyRotated': {
      const { id, hash } = event.data;
      return rows.update(servingKeys, String(id), (key) => ({ ...key, hash }));
    }
    case 'ApiKeyRestricted': {
      const { id, restrictions } = event.data;
      const any = Object.keys(restrictions).length > 0;
      return rows.update(servingKeys, String(id), (key) => ({ ...key, restrictions: any ? restrictions : null }));
    }
    case 'ApiKeyRevoked':
    case 'ApiKeyDeleted':
      rows.delete(servingKeys, String(event.data.id));
      return;
    case 'BuildAccepted':
      rows.put(servingBuilds, newBuild(event.data, 'processing', revision));
      return;
    case 'BuildPromoted': {
      const { signedByServer = false } = event.data;
      rows.put(servingBuilds, { ...newBuild(event.data, 'active', revision), signedByServer, ...releaseOf(event) });
      moveChannel(event, rows);
      return;
    }
    case 'BuildRepublished': {
      const { buildId, appId, channel, version, platform, republishedFromId, signedByServer = false } = event.data;
      const build = newBuild(event.data, 'active', revision);
      rows.put(servingBuilds, { ...build, signedByServer, republishedFromId, ...releaseOf(event) });
      const versioned = { version, ...(platform && { platform }) };
      rows.put(servingRepublished, { id: String(buildId), appId, channel, ...versioned, republishedFromId });
      moveChannel(event, rows);
      return;
    }
    case 'BuildRecalled': {
      const { buildId, appId, channel, version, platform, target } = event.data;
      const versioned = { version, ...(platform && { platform }) };
      const recalled = { target, revision, at: event.metadata.at };
      rows.put(servingRecalls, { id: String(buildId), buildId, appId, channel, ...versioned, ...recalled });
      moveChannel(event, rows);
      return change(buildId, { status: 'paused' });
    }
    case 'BuildUnrecalled':
      rows.delete(servingRecalls, String(event.data.buildId));
      return;
    case 'BuildRetried':
      return change(event.data.buildId, { retries: event.data.retries });
    case 'BuildActivated': {
      const signedByServer = event.data.signature !== undefined;
      moveChannel(event, rows);
      const activated = { ...event.data, status: 'active', signedByServer, ...releaseOf(event) } as const;
      return change(event.data.buildId, activated);
    }
    case 'BuildResumed':
      moveChannel(event, rows);
      return change(event.data.buildId, { status: 'active' });
    case 'BuildPaused':
      moveChannel(event, rows);
      return change(event.data.buildId, { status: 'paused' });
    case 'BuildArchived':
      moveChannel(event, rows);
      return change(event.data.buildId, { status: 'archived' });
    case 'BuildDeleted':
      rows.delete(servingBuilds, String(event.data.buildId));
      // Builds of a removed app are deleted after the app: its channel must not come back.
      return rows.update(servingChannels, channelIdOf(stream), (channel) => ({ ...channel, revision }));
    case 'BuildFailed':
      rows.delete(servingBuilds, String(event.data.buildId));
      return;
    case 'BuildEdited': {
      const { buildId, ...edited } = event.data;
      const { minNativeVersion, nativeRange, fingerprint } = edited;
      if ([minNativeVersion, nativeRange, fingerprint].every((value) => value === undefined)) {
        return change(buildId, edited);
      }
      moveChannel(event, rows);
      return change(buildId, { ...edited, manifestRevision: revision });
    }
    case 'RolloutChanged': {
      const { buildId, rolloutPercentage, enabled, ring } = event.data;
      const rollout = { rolloutPercentage, rolloutEnabled: enabled };
      return change(buildId, { ...rollout, ...(ring !== undefined && { ring }) });
    }
    case 'ChannelAdded': {
      const { appId, id: channel, name, selfAssign = false } = event.data;
      rows.put(servingNames, { id: `${appId}/${name}`, appId, name, channel, closed: false, selfAssign });
      return;
    }
    case 'ChannelEdited': {
      const { appId, id: channel, name, selfAssign } = event.data;
      if (selfAssign === undefined) return;
      return rows.update(servingNames, `${appId}/${name}`, (row) =>
        row.channel === channel ? { ...row, selfAssign } : row,
      );
    }
    case 'ChannelAudienceSet': {
      const { appId, id: channel, audience } = event.data;
      const id = `${appId}/${channel}`;
      if (audience === null) rows.delete(servingAudiences, id);
      else rows.put(servingAudiences, { id, appId, channel, audience });
      return;
    }
    case 'ChannelRemoved': {
      const { appId, id: channel, name } = event.data;
      return rows.update(servingNames, `${appId}/${name}`, (row) =>
        row.channel === channel ? { ...row, closed: true } : row,
      );
    }
    case 'ChannelForgotten': {
      const { appId, id: channel, name } = event.data;
      return rows.update(servingNames, `${appId}/${name}`, (row) => (row.channel === channel ? undefined : row));
    }
    case 'ChannelClosed': {
      const { appId, channel } = event.data;
      if (!isStandardChannel(channel)) rows.delete(servingChannels, `${appId}-${channel}`);
      rows.delete(servingAudiences, `${appId}/${channel}`);
      await rows.deleteWhere(servingRecalls, { appId, channel });
      return rows.deleteWhere(servingRepublished, { appId, channel });
    }
    case 'GroupReplaced': {
      const id = `${event.data.appId}/${event.data.name}`;
      rows.put(servingGroups, { ...event.data, id, updatedAt: event.metadata.at });
      return;
    }
    case 'GroupDeleted':
      rows.delete(servingGroups, `${event.data.appId}/${event.data.name}`);
      return;
    case 'GroupsClosed':
      return rows.deleteWhere(servingGroups, { appId: event.data.appId });
    // Which devices these are is in the state store.
    case 'PinsChanged':
    case 'ChannelPinsChanged':
    case 'ChannelExpiryDue':
    case 'ChannelsClosed':
    case 'ApiKeysClosed':
    case 'PromotionStarted':
    case 'PromotionCancelled':
    case 'ApiKeyDeprecated':
    case 'TokenIssued':
    case 'TokenEdited':
    case 'TokenRotated':
    case 'TokenRevoked':
    case 'OwnerCreated':
    case 'OwnerKeyRotated':
      return;
    case 'OwnerSuspended': {
      const { id, stopDevices } = event.data;
      if (stopDevices) rows.put(servingStoppedOwners, { id: String(id), ownerId: id });
      else rows.delete(servingStoppedOwners, String(id));
      return;
    }
    case 'OwnerResumed':
      rows.delete(servingStoppedOwners, String(event.data.id));
      return;
    default:
      unknownEvent(event);
  }
}

function newBuild(facts: BuildFacts, status: ServingBuild['status'], manifestRevision: number): ServingBuild {
  const id = String(facts.buildId);
  const build: ServingBuild & { plan?: unknown } = {
    ...{ ...facts, id, status, rolloutEnabled: true, manifestRevision, signedByServer: false },
  };
  // Its rollout says all that checks need.
  delete build.plan;
  return build;
}

function releaseOf({ revision, metadata }: Recorded<BuildEvent>): Pick<ServingBuild, 'release' | 'releasedAt'> {
  return { release: revision, releasedAt: metadata.at };
}

/** What its signed statements say has changed. */
function moveChannel({ stream, revision }: Pick<Recorded<BuildEvent>, 'stream' | 'revision'>, rows: ServingRows): void {
  const id = channelIdOf(stream);
  const [appId = '', ...channel] = id.split('-');
  rows.put(servingChannels, { id, appId: Number(appId), channel: channel.join('-'), revision });
}

function channelIdOf(stream: string): string {
  return stream.slice(CHANNELS.length);
}

function forgetSigning(appId: number, rows: ServingRows): void {
  rows.delete(servingSigners, String(appId));
  for (const channel of STANDARD_CHANNELS) rows.delete(servingChannels, `${appId}-${channel}`);
}

/** All that a check and a download need to know. */
export const serving = {
  name: 'serving',
  version: 11,
  prefixes: ['apps', 'app-', 'channels-', CHANNELS, 'apiKeys-', 'owner-', 'groups-', SIGNING_KEYS],
  collections: [
    ...[servingApps, servingBuilds, servingRecalls, servingRepublished, servingGroups],
    ...[servingChannels, servingNames, servingAudiences, servingKeys, servingSigners, servingStoppedOwners],
  ],
  apply,
} satisfies Projection<ServingEvent>;
