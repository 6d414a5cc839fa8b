import type { Audience, Channel, Delivery, JsonObject } from '@sluice/kernel';

export type { Channel };
/** What a build that is not for all platforms is for. */
export type NativePlatform = 'ios' | 'android';
/** Which devices a percentage selects: for each build other ones, or the same ones first. */
export type Ring = 'per_build' | 'stable';
export type BuildStatus = 'processing' | 'active' | 'paused' | 'archived' | 'failed';

/** Which native apps can run a build, besides its minNativeVersion. */
export interface NativeRules {
  /** A semver range of native versions; null or left out: any. */
  readonly nativeRange?: string | null;
  /** What devices have to send as their own; null or left out: any, or none. */
  readonly fingerprint?: string | null;
  /** Left out: all. */
  readonly platform?: NativePlatform;
  /** Left out: the bundle is a zip. Else it is ciphertext, which only clients that know the key can decrypt. */
  readonly delivery?: Delivery;
}

/** What a build is, wherever it came from. */
export interface BuildFacts extends NativeRules {
  readonly buildId: number;
  readonly bundleId: string;
  readonly appId: number;
  readonly channel: Channel;
  readonly version: string;
  readonly objectKey: string;
  readonly size: number;
  readonly checksum: string;
  readonly signature: string | null;
  readonly releaseNotes: string | null;
  readonly minNativeVersion: string | null;
  readonly rolloutPercentage: number;
  readonly mandatory: boolean;
  /** Left out: per_build. */
  readonly ring?: Ring | undefined;
}

/** Left out: all devices. */
export interface ForAudience {
  readonly audience?: Audience;
}

export interface Edits {
  readonly releaseNotes?: string | null;
  readonly minNativeVersion?: string | null;
  readonly nativeRange?: string | null;
  readonly fingerprint?: string | null;
  readonly mandatory?: boolean;
  /** Null: it is for all devices again. */
  readonly audience?: Audience | null;
}

/** What devices of a recalled build get: another build, the bundle inside their native app, or nothing. */
export type RecallTarget = number | 'embedded' | 'none';

type OfBuild<Data extends object = object> = Data & { readonly buildId: number };

export type ChannelEvent =
  /** `plan`: the rollout plan that is set once the build is active, as the API has it. */
  | {
      readonly type: 'BuildAccepted';
      readonly data: BuildFacts & ForAudience & { readonly jobId: string; readonly plan?: JsonObject };
    }
  /** `signature`: made by the server, for a build that was supplied none. */
  | { readonly type: 'BuildActivated'; readonly data: OfBuild<{ readonly signature?: string }> }
  | { readonly type: 'BuildFailed'; readonly data: OfBuild<{ readonly error: string }> }
  /**
   * In the source's channel, before the build `promotedId` stands in the target's: from here on the
   * bundle is promised to it.
   */
  | {
      readonly type: 'PromotionStarted';
      readonly data: OfBuild<{
        readonly appId: number;
        readonly objectKey: string;
        readonly promotedId: number;
        readonly targetChannel: Channel;
      }>;
    }
  /** `signedByServer`: its signature is one that the server made for the bundle; left out, or it was supplied. */
  | {
      readonly type: 'BuildPromoted';
      readonly data: BuildFacts &
        ForAudience & {
          readonly promotedFromId: number;
          readonly signedByServer?: true;
          readonly plan?: JsonObject;
        };
    }
  /** In the target's channel: the build that was promised a bundle can't appear any more. */
  | { readonly type: 'PromotionCancelled'; readonly data: OfBuild }
  | { readonly type: 'BuildPaused'; readonly data: OfBuild }
  | { readonly type: 'BuildResumed'; readonly data: OfBuild }
  | { readonly type: 'BuildArchived'; readonly data: OfBuild }
  | { readonly type: 'BuildEdited'; readonly data: OfBuild<Edits> }
  /** `planRevision`: a rollout plan did it, by its event of this revision; left out: a person did. */
  | {
      readonly type: 'RolloutChanged';
      readonly data: OfBuild<{
        readonly rolloutPercentage: number;
        readonly enabled: boolean;
        readonly ring?: Ring;
        readonly planRevision?: number;
      }>;
    }
  /** Paused until it is unrecalled; devices that run its version get the target. `everywhere`: its copies in other channels are recalled too. */
  | {
      readonly type: 'BuildRecalled';
      readonly data: OfBuild<{
        readonly appId: number;
        readonly channel: Channel;
        readonly version: string;
        /** Of the build; left out: all. */
        readonly platform?: NativePlatform;
        readonly checksum: string;
        readonly reason: string;
        readonly target: RecallTarget;
        readonly everywhere?: true;
      }>;
    }
  /**
   * The target of a recall once more, under a version above all others: appended with the BuildRecalled it serves.
   * `republishedVersion`: that of the target.
   */
  | {
      readonly type: 'BuildRepublished';
      readonly data: BuildFacts & {
        readonly recallOf: number;
        readonly republishedFromId: number;
        readonly republishedVersion?: string;
        readonly signedByServer?: true;
      };
    }
  /** The recall is over; the build stays paused. */
  | { readonly type: 'BuildUnrecalled'; readonly data: OfBuild }
  /** Devices that rolled it back are offered it again. `retries`: how often so far, this time included. */
  | { readonly type: 'BuildRetried'; readonly data: OfBuild<{ readonly retries: number }> }
  /** Devices were pinned to it or no longer are: how many, and how many are pinned until when. Null: none is. */
  | {
      readonly type: 'PinsChanged';
      readonly data: OfBuild<{
        readonly added: number;
        readonly removed: number;
        readonly devices: number;
        readonly until: string | null;
      }>;
    }
  /** `jobId`: the job that was still to check it. */
  | {
      readonly type: 'BuildDeleted';
      readonly data: OfBuild<{ readonly objectKey: string; readonly jobId: string | null }>;
    }
  /** The channel or its app is being removed: from here on it takes nothing and gives its builds up. */
  | { readonly type: 'ChannelClosed'; readonly data: { readonly appId: number; readonly channel: Channel } };
