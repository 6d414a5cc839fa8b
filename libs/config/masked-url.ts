/**
 * An engine's URL as it may be shown: without user and password, and without the values of its
 * query. Everything before the last `@` is removed, so that no part of an unusual password remains.
 * Addresses of files are whole.
 */
export function maskedUrl(url: string): string {
  if (/^(sqlite|file):/.test(url)) return url;
  const [address = '', ...query] = url.replace(/\/\/.*@/, '//***@').split('?');
  const names = query.join('?').replace(/=[^&]*/g, '=***');
  return query.length === 0 ? address : `${address}?${names}`;
}
