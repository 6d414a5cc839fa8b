import type { ApiKeyEvent, BuildEvent, BuildFacts, Platform, RegistryEvent, Restrictions } from '@sluice/contracts';
import type { Collection, ProjectedRows, Projection, Row } from '@sluice/document-store';
import type { Recorded } from '@sluice/event-store';
import { unknownEvent } from '@sluice/kernel';

/** An app whose devices are answered. Its id is the app's integer id. */
export interface ServingApp extends Row {
  readonly appId: number;
  readonly platform: Platform;
}

/** A build that was neither deleted nor failed. Its id is the build's integer id. */
export interface ServingBuild extends Row, BuildFacts {
  readonly status: 'processing' | 'active' | 'paused' | 'archived';
  readonly rolloutEnabled: boolean;
}

/** A key that authenticates. Its id is the key's integer id. */
export interface ServingKey extends Row {
  readonly keyId: number;
  readonly appId: number;
  /** Lower-case hex SHA-256 of the key. */
  readonly hash: string;
  /** Null: everybody may use it. */
  readonly restrictions: Restrictions | null;
}

export const servingApps: Collection<ServingApp> = { name: 'servingApps', indexes: [] };
export const servingBuilds: Collection<ServingBuild> = { name: 'servingBuilds', indexes: [] };
export const servingKeys: Collection<ServingKey> = { name: 'servingKeys', indexes: [] };

export type ServingEvent = BuildEvent | ApiKeyEvent | RegistryEvent;

/** The writes that the projection makes; the index in memory makes the same ones on its own rows. */
export type ServingRows = Pick<ProjectedRows, 'put' | 'update' | 'delete'>;

async function apply(event: Recorded<ServingEvent>, rows: ServingRows): Promise<void> {
  const change = (buildId: number, values: Partial<ServingBuild>) =>
    rows.update(servingBuilds, String(buildId), (build) => ({ ...build, ...values }));

  switch (event.type) {
    case 'AppRegistered': {
      const { id, platform } = event.data;
      rows.put(servingApps, { id: String(id), appId: id, platform });
      return;
    }
    case 'AppEdited': {
      const { id, platform } = event.data;
      if (platform === undefined) return;
      return rows.update(servingApps, String(id), (app) => ({ ...app, platform }));
    }
    // Its keys and builds answer to nobody without it, and go as their own streams tell.
    case 'AppRemovalStarted':
      rows.delete(servingApps, String(event.data.id));
      return;
    case 'ApiKeyCreated': {
      const { id, appId, hash } = event.data;
      rows.put(servingKeys, { id: String(id), keyId: id, appId, hash, restrictions: null });
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
      rows.put(servingBuilds, newBuild(event.data, 'processing'));
      return;
    case 'BuildPromoted':
      rows.put(servingBuilds, newBuild(event.data, 'active'));
      return;
    case 'BuildActivated':
    case 'BuildResumed':
      return change(event.data.buildId, { ...event.data, status: 'active' });
    case 'BuildPaused':
      return change(event.data.buildId, { status: 'paused' });
    case 'BuildArchived':
      return change(event.data.buildId, { status: 'archived' });
    case 'BuildFailed':
    case 'BuildDeleted':
      rows.delete(servingBuilds, String(event.data.buildId));
      return;
    case 'BuildEdited': {
      const { buildId, ...edited } = event.data;
      return change(buildId, edited);
    }
    case 'RolloutChanged': {
      const { buildId, rolloutPercentage, enabled } = event.data;
      return change(buildId, { rolloutPercentage, rolloutEnabled: enabled });
    }
    case 'AppRemoved':
    case 'ChannelClosed':
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
    default:
      unknownEvent(event);
  }
}

function newBuild(facts: BuildFacts, status: ServingBuild['status']): ServingBuild {
  return { ...facts, id: String(facts.buildId), status, rolloutEnabled: true };
}

/** All that a check and a download need to know. */
export const serving = {
  name: 'serving',
  version: 3,
  prefixes: ['apps', 'app-', 'channel-', 'apiKeys-'],
  collections: [servingApps, servingBuilds, servingKeys],
  apply,
} satisfies Projection<ServingEvent>;
