import { createHash } from 'node:crypto';
import type { ServedBuild } from '../../serving/served-builds';

export type UpdatePlatform = 'ios' | 'android';

const ids = new WeakMap<ServedBuild, Partial<Record<UpdatePlatform, string>>>();

/**
 * The id of a build on one platform, by which clients name what they run: a UUID (version 8) that begins with the
 * build's integer id and ends with a hash of its identity and content.
 */
export function updateIdOf(build: ServedBuild, platform: UpdatePlatform): string {
  const known = ids.get(build) ?? {};
  ids.set(build, known);
  return (known[platform] ??= idOf(build, platform));
}

/** The integer id of the build that an update id of this form begins with. */
export function buildIdIn(updateId: string): number | undefined {
  const [, high = '', low = ''] = /^([0-9a-f]{8})-([0-9a-f]{4})-8[0-9a-f]{3}-/.exec(updateId) ?? [];
  return high === '' ? undefined : Number.parseInt(high + low, 16);
}

function idOf({ buildId, facts }: ServedBuild, platform: UpdatePlatform): string {
  const { bundleId, checksum } = facts;
  const hash = createHash('sha256').update(`expo/${bundleId}/${checksum}/${platform}`).digest();
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(buildId, 0, 6);
  hash.copy(bytes, 6, 0, 10);
  bytes[6] = 0x80 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
