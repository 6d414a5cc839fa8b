/** On every answer that no cache may keep, which is every one but files: they may hold secrets, or change. */
export const UNCACHED: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};
