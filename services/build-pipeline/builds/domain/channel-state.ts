import type { Audience, AudienceNames, JsonObject, SortedMap } from '@sluice/kernel';
import type {
  BuildFacts,
  BuildStatus,
  Channel,
  Edits,
  ForAudience,
  NativePlatform,
  RecallTarget,
  Ring,
} from './channel-events';

/** Members that a command may leave out. */
type Optional<Members> = { readonly [Name in keyof Members]?: Members[Name] | undefined };

/** A rollout plan gives the command: it changes nothing once a person, or a later event of the plan, changed the build. */
export interface PlanMark {
  /** Of the plan's event. */
  readonly revision: number;
  /** The build's, when the plan was set. */
  readonly manualRevision: number;
}

export type ChannelCommand =
  | {
      readonly type: 'AcceptBuild';
      readonly build: BuildFacts & ForAudience & { readonly jobId: string; readonly plan?: JsonObject };
      /** The app's other channels, where its signatures have to be unique. */
      readonly uniqueAmong?: readonly ChannelState[];
      /** With an audience, what it may name. */
      readonly names?: AudienceNames | undefined;
    }
  /** `signature`: Base64, null when the server made none. A supplied one is never replaced. */
  | { readonly type: 'ActivateBuild'; readonly buildId: number; readonly signature?: string | null }
  | { readonly type: 'FailBuild'; readonly buildId: number; readonly error: string }
  /** Deletes those of these builds that go when `keep` versions are kept. `now`: ISO 8601; no device is pinned to them then. */
  | { readonly type: 'ExpireBuilds'; readonly buildIds: readonly number[]; readonly keep: number; readonly now: string }
  /** Given to the source's channel first, with what the target's holds. */
  | ({
      readonly type: 'StartPromotion';
      readonly buildId: number;
      readonly promotedId: number;
      readonly targetChannel: Channel;
      readonly target: ChannelState;
    } & Optional<{ audience: Audience; names: AudienceNames }>)
  /** Given to the target channel, with the source build as its own channel knew it at the start. */
  | ({
      readonly type: 'PromoteIn';
      readonly source: ChannelBuild;
      readonly channel: Channel;
      readonly buildId: number;
      readonly bundleId: string;
    } & Optional<{
      rolloutPercentage: number;
      mandatory: boolean;
      ring: Ring;
      plan: JsonObject;
      audience: Audience;
    }>)
  | { readonly type: 'CancelPromotion'; readonly buildId: number }
  | ({ readonly type: 'EditBuild'; readonly buildId: number } & Optional<
      Edits & { status: 'active' | 'paused' | 'archived'; names: AudienceNames; ifRevision: number }
    >)
  | ({ readonly type: 'ChangeRollout'; readonly buildId: number } & Optional<{
      rolloutPercentage: number;
      enabled: boolean;
      ring: Ring;
      ifRevision: number;
      plan: PlanMark;
    }>)
  | ({ readonly type: 'DeleteBuild'; readonly buildId: number } & Optional<{ ifRevision: number }>)
  /**
   * `to` left out: the newest build below it that each of its devices can run. `republishedId`, `bundleId` and `version` are for
   * the build that is republished, its version by default the next patch above every version of the channel.
   */
  | ({
      readonly type: 'RecallBuild';
      readonly buildId: number;
      readonly reason: string;
      readonly republishedId: number;
      readonly bundleId: string;
    } & Optional<{ to: RecallTarget; version: string; everywhere: boolean; plan: PlanMark }>)
  | { readonly type: 'UnrecallBuild'; readonly buildId: number }
  | { readonly type: 'RetryBuild'; readonly buildId: number }
  /** Of its pinned devices: how many were added and removed, and how many are left until when. */
  | {
      readonly type: 'RecordPins';
      readonly buildId: number;
      readonly added: number;
      readonly removed: number;
      readonly devices: number;
      readonly until: string | null;
    }
  | { readonly type: 'CloseChannel'; readonly appId: number; readonly channel: Channel }
  /** Deletes some of a closed channel's builds; given again until none is left. */
  | { readonly type: 'EmptyChannel' };

export interface ChannelBuild extends BuildFacts {
  /** Null, or left out: all devices. */
  readonly audience?: Audience | null;
  /** 1 when it appears, and 1 more with each event that changes it. */
  readonly revision: number;
  /** After the last change of its rollout or status by a person; 0: there was none. */
  readonly manualRevision: number;
  /** The rollout plan that it was uploaded or promoted with. */
  readonly plan?: JsonObject;
  /** Of the last event of a rollout plan that changed it. */
  readonly planRevision?: number;
  readonly status: BuildStatus;
  readonly rolloutEnabled: boolean;
  readonly promotedFromId: number | null;
  /** The recalled build whose devices it is for, and the build that it republishes; both left out: it is an ordinary one. */
  readonly recallOf?: number;
  readonly republishedFromId?: number;
  /** Its signature was made by the server; left out: it was supplied, or it has none. */
  readonly signedByServer?: true;
  /** Whether devices could ever run it: its job completed, or it was promoted. */
  readonly wasActive: boolean;
  /** How often it was retried; left out: never. */
  readonly retries?: number;
  /** When its last pin expires, ISO 8601; null or left out: no device is pinned to it. */
  readonly pinnedUntil?: string | null;
  /** The job that checks it; null for a promoted build. */
  readonly jobId: string | null;
  /** Why it failed. */
  readonly error: string | null;
  /** Of the event that made it and of the last that changed it, ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A recall in force. */
export interface Recall extends Pick<BuildFacts, 'buildId' | 'channel' | 'version' | 'platform' | 'checksum'> {
  readonly reason: string;
  readonly target: RecallTarget;
  readonly everywhere: boolean;
  /** The build that was republished for it; null: its target is none. */
  readonly republishedId: number | null;
  /** ISO 8601. */
  readonly at: string;
}

/** By version, ordered as semver orders, for each platform; a build for all platforms is under `all` alone. */
export type ByVersion = Readonly<Record<NativePlatform | 'all', SortedMap<string, number>>>;

export interface ChannelState {
  readonly builds: SortedMap<number, ChannelBuild>;
  /** By the recalled build, which may be deleted. */
  readonly recalls: SortedMap<number, Recall>;
  /** The build that holds the version. A deleted build holds one that it gave to a recall. */
  readonly holders: ByVersion;
  /** The active ones among them that were not republished: the last is the channel's active head. */
  readonly active: ByVersion;
  /** Ids of builds that were to be promoted into this channel and never will be. */
  readonly cancelled: SortedMap<number, true>;
  /** Set once the channel or its app is being removed. */
  readonly closed: Channel | null;
}
