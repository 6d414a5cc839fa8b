import { buildSchema, buildStateOf, type Build, type BuildEvent, type ChannelsEvent } from '@sluice/contracts';
import type { Collection, Row } from '@sluice/document-store';
import type { ProjectedRows, Projection } from '@sluice/projections';
import type { Position, Recorded } from '@sluice/event-store';
import { channelName, unknownEvent } from '@sluice/kernel';
import { nativeRulesOf, type BuildFacts, type Channel, type ChannelEvent } from './domain/channel';

/** Does not compile when the domain's events are no longer what the contract promises other services. */
type Published<Event extends BuildEvent> = Event;
type PublishedEvent = Published<ChannelEvent>;

/** Metadata is in the state store. */
export type BuildWithoutMetadata = Omit<Build, 'metadata'>;

/** Its state is derived when it is read, and so is the name of its channel, of which it holds the id. */
export type StoredBuild = Omit<BuildWithoutMetadata, 'id' | 'state'>;

/** A build as clients see it, under its id as text, with what finding it and its bytes takes. */
export interface BuildRow extends StoredBuild, Row {
  readonly app_id: number;
  readonly bundle_id: string;
  readonly object_key: string;
  /** Of the event that made it: builds are listed newest first by this. */
  readonly position: Position;
  /** Of the last change of its pins; left out: no device was ever pinned to it. */
  readonly pinned_devices?: number;
  readonly pinned_until?: string | null;
}

export const buildRows: Collection<BuildRow> = {
  name: 'builds',
  indexes: [
    { fields: ['app_id', 'position'] },
    { fields: ['app_id', 'channel', 'position'] },
    { fields: ['app_id', 'status', 'position'] },
    { fields: ['app_id', 'channel', 'status', 'position'] },
    { fields: ['app_id', 'version', 'position'] },
    { fields: ['object_key'] },
  ],
  counted: ['app_id', 'channel', 'status'],
};

/**
 * A build that needs its bundle, under its id as text. All claims on bundles are rows of this one
 * collection, so that a single query finds whether anything needs an object. A build whose job
 * failed, or that was archived before it was ready, can never be served again and claims nothing.
 */
export interface BundleClaimRow extends Row {
  readonly object_key: string;
  readonly app_id: number;
  /** Bytes of the bundle; 0 as long as the build is still to appear. */
  readonly size: number;
  readonly ready: boolean;
  /** The channel in which the build is still to appear; null once it has. */
  readonly promised: { readonly app_id: number; readonly channel: Channel } | null;
}

export const bundleClaims: Collection<BundleClaimRow> = {
  name: 'bundleClaims',
  indexes: [{ fields: ['object_key'] }, { fields: ['app_id'] }],
};

/** A deleted build's former claim. */
export interface ReleasedBundleRow extends Row {
  readonly object_key: string;
  readonly app_id: number;
  readonly channel: Channel;
  readonly released_at: string;
}

export const releasedBundles: Collection<ReleasedBundleRow> = {
  name: 'releasedBundles',
  indexes: [{ fields: ['object_key'] }, { fields: ['app_id', 'channel'] }],
};

export const buildsProjection: Projection<PublishedEvent | ChannelsEvent> = {
  name: 'builds',
  version: 8,
  prefixes: ['channel-', 'channels-'],
  collections: [buildRows, bundleClaims, releasedBundles],
  apply,
};

/** The build without what the row has besides. */
export function storedBuild(row: StoredBuild & Row): StoredBuild & Pick<Build, 'id'> {
  const members = MEMBERS.map((name) => [name, row[name]] as const);
  return { id: Number(row.id), ...(Object.fromEntries(members) as unknown as StoredBuild) };
}

const MEMBERS = Object.keys(buildSchema.omit({ id: true, state: true, metadata: true }).shape) as (keyof StoredBuild)[];

/** As events have them. Rows of earlier releases lack the members. */
export function nativeRulesIn({ native_range: nativeRange, fingerprint, platform, delivery }: Partial<StoredBuild>) {
  const single = platform === 'all' ? undefined : platform;
  return nativeRulesOf({ nativeRange, fingerprint, platform: single, delivery: delivery ?? undefined });
}

export function toBuild(row: StoredBuild & Row): BuildWithoutMetadata {
  return { ...storedBuild(row), channel: channelName(row.channel), state: buildStateOf(row) };
}

type OfBuild = Exclude<PublishedEvent, { type: 'ChannelClosed' }>;

async function apply(event: Recorded<PublishedEvent | ChannelsEvent>, rows: ProjectedRows): Promise<void> {
  if (event.stream.startsWith('channels-')) return applyToChannels(event as Recorded<ChannelsEvent>, rows);
  const ofBuild = event as Recorded<PublishedEvent>;
  // The builds of a closed channel go one by one, each by its own event.
  if (ofBuild.type === 'ChannelClosed') return;
  await applyToBuilds(ofBuild, rows);
  await applyToClaims(ofBuild, rows);
}

/** Former claims of channels of this name: by then their bundles were swept. A bundle without any is swept by its age. */
async function applyToChannels(event: Recorded<ChannelsEvent>, rows: ProjectedRows): Promise<void> {
  if (event.type !== 'ChannelAdded' && event.type !== 'ChannelForgotten') return;
  const { appId, name } = event.data;
  await rows.deleteWhere(releasedBundles, {
    ...{ app_id: appId, channel: { gte: `${name}.`, lt: `${name}/` } },
    released_at: { lt: new Date(Date.parse(event.metadata.at) - RELEASED_MS).toISOString() },
  });
}

const RELEASED_MS = 28 * 24 * 3_600_000;

async function applyToBuilds(event: Recorded<OfBuild>, rows: ProjectedRows): Promise<void> {
  const change = (changes: Partial<BuildRow>) =>
    rows.update(buildRows, String(event.data.buildId), (row) => ({
      ...row,
      ...changes,
      revision: row.revision + 1,
      updated_at: event.metadata.at,
    }));
  switch (event.type) {
    case 'BuildAccepted':
      rows.put(buildRows, {
        ...newRow(event.data, event),
        audience: event.data.audience ?? null,
        status: 'processing',
        promoted_from_id: null,
        job_id: event.data.jobId,
      });
      return;
    case 'BuildPromoted':
      rows.put(buildRows, {
        ...newRow(event.data, event),
        audience: event.data.audience ?? null,
        status: 'active',
        promoted_from_id: event.data.promotedFromId,
        job_id: null,
      });
      return;
    case 'BuildRepublished':
      rows.put(buildRows, {
        ...newRow(event.data, event),
        status: 'active',
        promoted_from_id: null,
        recall_of: event.data.recallOf,
        republished_from_id: event.data.republishedFromId,
        job_id: null,
      });
      return;
    case 'BuildRecalled': {
      const { reason, target } = event.data;
      const recalled = { recalled_at: event.metadata.at, recall_reason: reason, recall_target: target };
      return change({ status: 'paused', ...recalled });
    }
    case 'BuildUnrecalled':
      return change({ recalled_at: null, recall_reason: null, recall_target: null });
    case 'BuildRetried':
      return change({});
    case 'BuildActivated': {
      const { signature } = event.data;
      return change({ status: 'active', ...(signature !== undefined && { signature }) });
    }
    case 'BuildResumed':
      return change({ status: 'active' });
    case 'BuildFailed':
      return change({ status: 'failed' });
    case 'BuildPaused':
      return change({ status: 'paused' });
    case 'BuildArchived':
      return change({ status: 'archived' });
    case 'BuildEdited': {
      const { releaseNotes, minNativeVersion, nativeRange, fingerprint, mandatory, audience } = event.data;
      return change({
        ...(releaseNotes !== undefined && { release_notes: releaseNotes }),
        ...(minNativeVersion !== undefined && { min_native_version: minNativeVersion }),
        ...(nativeRange !== undefined && { native_range: nativeRange }),
        ...(fingerprint !== undefined && { fingerprint }),
        ...(mandatory !== undefined && { mandatory }),
        ...(audience !== undefined && { audience }),
      });
    }
    case 'RolloutChanged': {
      const { rolloutPercentage, enabled, ring } = event.data;
      const rollout = { rollout_percentage: rolloutPercentage, rollout_enabled: enabled };
      return change({ ...rollout, ...(ring !== undefined && { ring }) });
    }
    case 'PinsChanged': {
      const { devices, until } = event.data;
      const pins = { pinned_devices: devices, pinned_until: until };
      return rows.update(buildRows, String(event.data.buildId), (row) => ({ ...row, ...pins }));
    }
    case 'BuildDeleted':
      rows.delete(buildRows, String(event.data.buildId));
      return;
    case 'PromotionStarted':
    case 'PromotionCancelled':
      return;
    default:
      return unknownEvent(event);
  }
}

async function applyToClaims(event: Recorded<OfBuild>, rows: ProjectedRows): Promise<void> {
  const id = String(event.data.buildId);
  switch (event.type) {
    case 'BuildAccepted':
    case 'BuildPromoted':
    case 'BuildRepublished': {
      const { objectKey, appId, size } = event.data;
      const ready = event.type !== 'BuildAccepted';
      rows.put(bundleClaims, { id, object_key: objectKey, app_id: appId, size, ready, promised: null });
      return;
    }
    case 'PromotionStarted': {
      const { promotedId, appId, objectKey, targetChannel } = event.data;
      const promised = { app_id: appId, channel: targetChannel };
      const claim = { object_key: objectKey, app_id: appId, size: 0, ready: true, promised };
      rows.put(bundleClaims, { id: String(promotedId), ...claim });
      return;
    }
    case 'BuildActivated':
      return rows.update(bundleClaims, id, (claim) => ({ ...claim, ready: true }));
    case 'BuildArchived':
      return rows.update(bundleClaims, id, (claim) => (claim.ready ? claim : undefined));
    case 'BuildFailed':
    case 'PromotionCancelled':
      rows.delete(bundleClaims, id);
      return;
    case 'BuildDeleted':
      rows.delete(bundleClaims, id);
      rows.put(releasedBundles, released(event));
      return;
    case 'BuildPaused':
    case 'BuildResumed':
    case 'BuildEdited':
    case 'RolloutChanged':
    case 'BuildRecalled':
    case 'BuildUnrecalled':
    case 'BuildRetried':
    case 'PinsChanged':
      return;
    default:
      return unknownEvent(event);
  }
}

function released({ stream, data, metadata }: Recorded<Extract<PublishedEvent, { type: 'BuildDeleted' }>>) {
  const [, appId, ...channel] = stream.split('-');
  return {
    ...{ id: String(data.buildId), object_key: data.objectKey, released_at: metadata.at },
    ...{ app_id: Number(appId), channel: channel.join('-') },
  };
}

function newRow(
  facts: BuildFacts,
  event: Recorded<PublishedEvent>,
): Omit<BuildRow, 'status' | 'promoted_from_id' | 'job_id'> {
  return {
    id: String(facts.buildId),
    app_id: facts.appId,
    bundle_id: facts.bundleId,
    object_key: facts.objectKey,
    position: event.position,
    version: facts.version,
    channel: facts.channel,
    checksum: facts.checksum,
    checksum_algorithm: 'SHA-256',
    signature: facts.signature,
    file_size: facts.size,
    release_notes: facts.releaseNotes,
    min_native_version: facts.minNativeVersion,
    native_range: facts.nativeRange ?? null,
    fingerprint: facts.fingerprint ?? null,
    platform: facts.platform ?? 'all',
    delivery: facts.delivery ?? null,
    rollout_percentage: facts.rolloutPercentage,
    rollout_enabled: true,
    ring: facts.ring ?? 'per_build',
    mandatory: facts.mandatory,
    audience: null,
    recalled_at: null,
    recall_reason: null,
    recall_target: null,
    recall_of: null,
    republished_from_id: null,
    revision: 1,
    created_at: event.metadata.at,
    updated_at: event.metadata.at,
  };
}
