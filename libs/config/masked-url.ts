/**
 * An engine's URL as it may be shown: without user and password, and without the values of its
 * query. Whatever stands before the last `@` goes, so that nothing of an odd password is left over.
 * Addresses of files are whole.
 */
export function maskedUrl(url: string): string {
  if (/^(sqlite|file):/.test(url)) return url;
  const [address = '', ...query] = url.replace(/\/\/.*@/, '//***@').split('?');
  const names = query.join('?').replace(/=[^&]*/g, '=***');
  return query.length === 0 ? address : `${address}?${names}`;
}
