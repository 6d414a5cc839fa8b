import type { CategoryMapping } from './feed-settings';
import { oneLine } from './listing-text';

/** Category mappings by the categories of the shop that they mean. */
export interface ResolvedCategories {
  /** By the key of a path from the root. */
  readonly byPath: ReadonlyMap<string, CategoryMapping>;
  /** `source_category` of mappings that name no category of the shop; undefined: the shop's categories were not read. */
  readonly unknown: readonly string[] | undefined;
  /** `source_category` of mappings that are the name of several categories, none of them at the root: they map nothing. */
  readonly ambiguous: readonly string[];
}

export interface CategoryOptions {
  readonly toText: (html: string) => string;
  /** Reads the categories of the shop to tell `unknown`, even where no mapping is a name alone. */
  readonly findUnknown: boolean;
}

/**
 * A `source_category` is the path of a category, or its name alone: a name means the category at the root, else the
 * only category of that name. Because this takes every category of the shop, they are read before the first product
 * is mapped: so neither their order nor that of the products changes what a product is mapped to. Mappings with paths
 * need no reading, and have priority over names. Memory grows with the number of mappings alone.
 * @param paths of categories of the shop, each as often as it comes; the categories above them are there as well
 * @throws what `paths` throws
 */
export async function resolveCategories(
  mappings: readonly CategoryMapping[],
  paths: AsyncIterable<string>,
  { toText, findUnknown }: CategoryOptions,
): Promise<ResolvedCategories> {
  const byPath = new Map(mappings.map((mapping) => [keyOf(categorySteps(mapping.source_category)), mapping]));
  /** Of each name, the keys of the first two categories that bear it. */
  const bearers = new Map<string, Set<string>>();
  for (const key of byPath.keys()) if (!key.includes('>')) bearers.set(key, new Set());
  if (byPath.size === 0) return { byPath, unknown: [], ambiguous: [] };
  if (bearers.size === 0 && !findUnknown) return { byPath, unknown: undefined, ambiguous: [] };

  const found = new Set<string>();
  let last: string | undefined;
  for await (const path of paths) {
    // Products of a category often follow each other.
    if (path === last) continue;
    last = path;
    const steps = categorySteps(toText(path));
    for (const [index, step] of steps.entries()) {
      const key = keyOf(steps.slice(0, index + 1));
      if (byPath.has(key)) found.add(key);
      const keys = bearers.get(step.toLowerCase());
      if (keys !== undefined && keys.size < 2) keys.add(key);
    }
  }

  const unknown: string[] = [];
  const ambiguous: string[] = [];
  for (const [key, mapping] of [...byPath]) {
    if (found.has(key)) continue;
    const [only, other] = bearers.get(key) ?? [];
    if (only === undefined) unknown.push(mapping.source_category);
    else if (other !== undefined) ambiguous.push(mapping.source_category);
    else if (!byPath.has(only)) byPath.set(only, mapping);
  }
  return { byPath, unknown, ambiguous };
}

/** From the root on. */
export function categorySteps(path: string): string[] {
  return path.split('>').map(oneLine);
}

/**
 * The mapping of the deepest of these categories that has one; a category without takes that of the one above it.
 * @param paths steps of each category
 */
export function mappingOf(
  paths: readonly (readonly string[])[],
  { byPath }: Pick<ResolvedCategories, 'byPath'>,
): CategoryMapping | undefined {
  let depth = 0;
  let mapping: CategoryMapping | undefined;
  for (const path of paths) {
    for (let steps = path.length; steps > depth; steps -= 1) {
      const found = byPath.get(keyOf(path.slice(0, steps)));
      if (found === undefined) continue;
      [mapping, depth] = [found, steps];
      break;
    }
  }
  return mapping;
}

/** `Clothing>Shirts` and `clothing > shirts` are one category. */
function keyOf(steps: readonly string[]): string {
  return steps.join('>').toLowerCase();
}
