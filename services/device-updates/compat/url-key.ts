import { channelName } from '@sluice/kernel';
import { COMPAT_BASE, FILES_BASE } from '../http/unrouted';
import type { ServingIndex } from '../serving/serving-index';

export interface UrlKey {
  readonly key: string;
  /** The channel that is written after the key, as `svc_app_…-staging`. */
  readonly channel: string | undefined;
}

/** An app key in a path, alone or with the name of a channel. */
export function urlKeyOf(index: Pick<ServingIndex, 'key'>, segment: string): UrlKey {
  const end = segment.indexOf('-');
  // A key that was imported may contain hyphens; those that the server makes contain none.
  const isWhole = end < 0 || (!segment.startsWith('svc_') && index.key(segment) !== undefined);
  if (isWhole) return { key: segment, channel: undefined };
  return { key: segment.slice(0, end), channel: segment.slice(end + 1) };
}

/** The name of the channel that a client calls so: the name itself, unless it is an alias of the app. */
export function channelNamed(
  index: Pick<ServingIndex, 'key' | 'channelByAlias'>,
  { key }: UrlKey,
  name: string | undefined,
): string | undefined {
  const appId = name === undefined ? undefined : index.key(key)?.appId;
  if (name === undefined || appId === undefined) return name;
  const found = index.channelByAlias(appId, name);
  return found === undefined ? name : channelName(found.channel);
}

/** Whether the app of the key has no channel of this name. Of an unknown key this says nothing. */
export function isUnknown(
  index: Pick<ServingIndex, 'key' | 'channel'>,
  { key }: UrlKey,
  named: string | undefined,
): boolean {
  const appId = index.key(key)?.appId;
  return named !== undefined && appId !== undefined && index.channel(appId, named) === undefined;
}

/** The path with its app key or its capability hidden, for logs. */
export function maskedPath(path: string): string {
  if (path.startsWith(COMPAT_BASE)) return path.replace(/^(\/compat\/[^/]*\/(?:v1\/apps\/)?)[^/]+/, '$1***');
  return path.startsWith(FILES_BASE) ? path.replace(/^(\/files\/)[^/]+/, '$1***') : path;
}
