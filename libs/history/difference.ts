import { isDeepStrictEqual } from 'node:util';
import type { Json } from '@sluice/kernel';

/** The members of a resource that anybody who reaches it may see; no secret and no hash. */
export type View = Readonly<Record<string, Json>>;

/** Of a resource that was there before and after, the members that changed alone; null for what was not there. */
export function difference(before: View | undefined, after: View | undefined): Record<'before' | 'after', View | null> {
  if (before === undefined || after === undefined) return { before: before ?? null, after: after ?? null };
  const changed = Object.keys({ ...before, ...after }).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (changed.length === 0) return { before: null, after: null };
  const pick = (view: View) => Object.fromEntries(changed.map((name) => [name, view[name] ?? null]));
  return { before: pick(before), after: pick(after) };
}
