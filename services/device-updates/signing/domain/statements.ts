import { type Channel, channelName, channelNumber, parseRange } from '@sluice/kernel';

/** What a device's request may name as its platform; a channel's state is stated for each. */
export const STATED_PLATFORMS = ['ios', 'android', 'web', 'all'] as const;
export type StatedPlatform = (typeof STATED_PLATFORMS)[number];

/** Higher for an installation that was restored from a backup: its sequences then exceed every earlier one. */
const EPOCH = 0;
const EPOCH_SIZE = 2 ** 32;
/** More events than an added channel has: one of the same name that is added later then has higher sequences. */
const CHANNEL_SIZE = 2 ** 20;

/**
 * The sequence number of a statement, from the revision of the event in the channel's stream that last changed what
 * it states; undefined: no event did. It comes from events alone, so that every process computes the same one.
 */
export function sequenceOf(channel: Channel, revision: number | undefined): number {
  return EPOCH * EPOCH_SIZE + channelNumber(channel) * CHANNEL_SIZE + (revision === undefined ? 0 : revision + 1);
}

/** From when to when a statement is valid. */
export interface Validity {
  readonly issued: Date;
  readonly expires: Date;
}

export interface ManifestFacts {
  readonly appId: number;
  readonly channel: Channel;
  readonly version: string;
  readonly bundleId: string;
  /** Lower-case hex SHA-256 of the bundle. */
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
  readonly minNativeVersion: string | null;
  /** A semver range, in place of the minimum. */
  readonly nativeRange?: string | null;
  readonly fingerprint?: string | null;
  /** Left out: all. */
  readonly platform?: 'ios' | 'android';
  /** Of the event that last changed one of these. */
  readonly manifestRevision: number;
}

/** The exact text that is signed for a build in its channel. */
export function statedManifest(facts: ManifestFacts, { issued, expires }: Validity): string {
  const { appId, channel, platform = 'all', version, bundleId, checksum, size, fingerprint } = facts;
  const sequence = sequenceOf(channel, facts.manifestRevision);
  return canonicalJson({
    ...{
      type: 'manifest',
      appId,
      channel: channelName(channel),
      platform,
      version,
      bundleId,
      sha256: checksum,
      size,
      sequence,
    },
    nativeRange: statedRange(facts),
    ...(typeof fingerprint === 'string' && { fingerprint }),
    ...{ issued: issued.toISOString(), expires: expires.toISOString() },
  });
}

function statedRange({ minNativeVersion, nativeRange }: ManifestFacts): string | null {
  if (typeof nativeRange === 'string') return parseRange(nativeRange)?.canonical ?? nativeRange;
  return minNativeVersion === null ? null : `>=${minNativeVersion}`;
}

export interface ChannelStateFacts {
  readonly appId: number;
  readonly channel: Channel;
  readonly platform: StatedPlatform;
  readonly sequence: number;
  /** By the version of each active build, the sequence of its manifest. */
  readonly versions: Readonly<Record<string, number>>;
}

/** The exact text that is signed for a channel and a platform. */
export function channelStateText(facts: ChannelStateFacts, { issued, expires }: Validity): string {
  const { appId, channel, platform, sequence, versions } = facts;
  return canonicalJson({
    ...{ type: 'channelState', appId, channel: channelName(channel), platform, sequence, versions },
    ...{ issued: issued.toISOString(), expires: expires.toISOString() },
  });
}

type Canonical = string | number | null | { readonly [name: string]: Canonical };

/** JSON without white space, its members sorted by the code units of their names (RFC 8785 for these values). */
export function canonicalJson(value: Canonical): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
  return `{${members.join(',')}}`;
}
