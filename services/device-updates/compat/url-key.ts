import { COMPAT_BASE, FILES_BASE } from '../http/unrouted';

export const CAPGO_BASE = `${COMPAT_BASE}capgo`;

export interface UrlKey {
  readonly key: string;
  /** The channel that is written after the key, as `svc_app_…-staging`. */
  readonly channel: string | undefined;
}

/** An app key in a path, alone or with the name of a channel. */
export function urlKeyOf(segment: string): UrlKey {
  // No key contains a hyphen, names of channels may.
  const end = segment.indexOf('-');
  if (end < 0) return { key: segment, channel: undefined };
  return { key: segment.slice(0, end), channel: segment.slice(end + 1) };
}

/** The path with its app key or its capability hidden, for logs. */
export function maskedPath(path: string): string {
  if (path.startsWith(COMPAT_BASE)) return path.replace(/^(\/compat\/[^/]*\/)[^/]+/, '$1***');
  return path.startsWith(FILES_BASE) ? path.replace(/^(\/files\/)[^/]+/, '$1***') : path;
}
