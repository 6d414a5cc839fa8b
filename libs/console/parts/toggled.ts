/** A set with an item or without it. */
export function toggled<Item>(set: ReadonlySet<Item>, item: Item, has: boolean): ReadonlySet<Item> {
  return new Set(has ? [...set, item] : [...set].filter((each) => each !== item));
}
