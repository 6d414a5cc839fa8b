/** What routes, policies and descriptions call the plane; outside PLUGIN_NAMESPACE stands in the place of `svc`. */
export const LISTINGS = '/svc/v1';

/** Where clients find the plane. */
export const listingsBase = (namespace: string): string => `/${namespace}/v1`;

/** Whether a URL's path lies under a base. */
export function liesUnder(base: string, url: string): boolean {
  const [path = ''] = url.split('?', 1);
  return path === base || path.startsWith(`${base}/`);
}

/** A URL as it was asked for, in the routes' own terms. Under another namespace `/svc/v1` is no route. */
export function innerUrl(url: string, namespace: string): string {
  const base = listingsBase(namespace);
  if (base === LISTINGS) return url;
  if (liesUnder(base, url)) return LISTINGS + url.slice(base.length);
  return liesUnder(LISTINGS, url) ? `/-${url}` : url;
}
