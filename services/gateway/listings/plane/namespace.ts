/** The plane's name in routes, policies and descriptions; in URLs, PLUGIN_NAMESPACE replaces `svc`. */
export const LISTINGS = '/svc/v1';

/** The plane's base in URLs. */
export const listingsBase = (namespace: string): string => `/${namespace}/v1`;

/** Whether a URL's path lies under a base. */
export function liesUnder(base: string, url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return path === base || path.startsWith(`${base}/`);
}

/** The request's URL with the internal namespace. Under another namespace, `/svc/v1` is no route. */
export function innerUrl(url: string, namespace: string): string {
  const base = listingsBase(namespace);
  if (base === LISTINGS) return url;
  if (liesUnder(base, url)) return LISTINGS + url.slice(base.length);
  return liesUnder(LISTINGS, url) ? `/-${url}` : url;
}
