interface Node<K, V> {
  readonly key: K;
  readonly value: V;
  readonly priority: number;
  readonly left: Node<K, V> | undefined;
  readonly right: Node<K, V> | undefined;
}

const { imul } = Math;

/**
 * An immutable map in ascending order of its keys; no value is undefined. A change answers a new map and shares all but
 * O(log n) of the old one, so that folding a long stream stays linear in its events.
 */
export class SortedMap<K extends string | number, V> {
  constructor(
    private readonly root?: Node<K, V>,
    readonly size = 0,
  ) {}

  get(key: K): V | undefined {
    let node = this.root;
    while (node && node.key !== key) node = key < node.key ? node.left : node.right;
    return node?.value;
  }

  /** The highest key. */
  lastKey(): K | undefined {
    let node = this.root;
    while (node?.right) node = node.right;
    return node?.key;
  }

  /** The value of the highest key. */
  last(): V | undefined {
    let node = this.root;
    while (node?.right) node = node.right;
    return node?.value;
  }

  /** By key, ascending. */
  *values(): Generator<V, undefined> {
    const above: Node<K, V>[] = [];
    let node = this.root;
    while (node || above.length > 0) {
      for (; node; node = node.left) above.push(node);
      const next = above.pop();
      if (next) yield next.value;
      node = next?.right;
    }
  }

  set(key: K, value: V): SortedMap<K, V> {
    const size = this.get(key) === undefined ? this.size + 1 : this.size;
    return new SortedMap(set(this.root, key, value), size);
  }

  delete(key: K): SortedMap<K, V> {
    return this.get(key) === undefined ? this : new SortedMap(remove(this.root, key), this.size - 1);
  }
}

// A treap: ordered by key, and a heap by priority, which keeps it balanced whatever the order of arrival.

function set<K extends string | number, V>(node: Node<K, V> | undefined, key: K, value: V): Node<K, V> {
  if (!node) return { key, value, priority: priorityOf(key), left: undefined, right: undefined };
  if (key === node.key) return { ...node, value };
  if (key < node.key) {
    const left = set(node.left, key, value);
    return left.priority > node.priority
      ? withBranches(left, left.left, withBranches(node, left.right, node.right))
      : withBranches(node, left, node.right);
  }
  const right = set(node.right, key, value);
  return right.priority > node.priority
    ? withBranches(right, withBranches(node, node.left, right.left), right.right)
    : withBranches(node, node.left, right);
}

/** Much faster than a copy by spreading. */
function withBranches<K, V>(node: Node<K, V>, left: Node<K, V>['left'], right: Node<K, V>['right']): Node<K, V> {
  return { key: node.key, value: node.value, priority: node.priority, left, right };
}

function remove<K extends string | number, V>(node: Node<K, V> | undefined, key: K): Node<K, V> | undefined {
  if (!node) return undefined;
  if (key === node.key) return join(node.left, node.right);
  return key < node.key
    ? withBranches(node, remove(node.left, key), node.right)
    : withBranches(node, node.left, remove(node.right, key));
}

function join<K, V>(low: Node<K, V> | undefined, high: Node<K, V> | undefined): Node<K, V> | undefined {
  if (!low || !high) return low ?? high;
  return low.priority > high.priority
    ? withBranches(low, low.left, join(low.right, high))
    : withBranches(high, join(low, high.left), high.right);
}

/** FNV-1a with a final mix: the same for the same key, and scattered for neighbouring ones. */
function priorityOf(key: string | number): number {
  const text = `${key}`;
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) hash = imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
