/**
 * The paths of members that `former` has and `present` lacks or has with a value of another kind. Null fits every kind;
 * of a list its first item is compared.
 */
export function lostMembers(former: unknown, present: unknown, path = ''): string[] {
  if (present === undefined) return [path];
  if (former === null || present === null) return [];
  if (typeof former !== typeof present || Array.isArray(former) !== Array.isArray(present)) return [path];
  if (typeof former !== 'object' || typeof present !== 'object') return [];
  if (Array.isArray(former) && Array.isArray(present)) {
    return former.length === 0 || present.length === 0 ? [] : lostMembers(former[0], present[0], `${path}[]`);
  }
  return Object.entries(former).flatMap(([name, value]) =>
    lostMembers(value, (present as Record<string, unknown>)[name], path === '' ? name : `${path}.${name}`),
  );
}
