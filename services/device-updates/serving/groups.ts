import { memberOf, type PackedGroup } from '../groups/domain/packed-group';
import type { ServingGroup } from './serving.projection';

interface Loaded {
  readonly objectKey: string;
  readonly packed: PackedGroup;
}

/** The device groups of all apps in memory. Of a group that is replaced, the former devices until the new ones are loaded. */
export class Groups {
  private readonly known = new Map<string, ServingGroup>();
  private readonly loaded = new Map<string, Loaded>();
  private readonly listeners = new Set<() => void>();

  /** Of all groups, also of those that are not loaded. */
  get memberships(): number {
    let sum = 0;
    for (const { size } of this.known.values()) sum += size;
    return sum;
  }

  /** How many there are, of all apps. */
  get count(): number {
    return this.known.size;
  }

  /** Undefined: the app has no such group. */
  sizeOf(appId: number, name: string): number | undefined {
    return this.known.get(`${appId}/${name}`)?.size;
  }

  replace(before: ServingGroup | undefined, after: ServingGroup | undefined): void {
    if (before !== undefined && after === undefined) {
      this.known.delete(before.id);
      this.loaded.delete(before.id);
    }
    if (after === undefined) return;
    this.known.set(after.id, after);
    for (const listener of this.listeners) listener();
  }

  /** Calls the listener when a group has to be loaded. Returns how to stop. */
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  /** Those whose present devices are not in memory. */
  missing(): ServingGroup[] {
    return [...this.known.values()].filter(({ id, objectKey }) => this.loaded.get(id)?.objectKey !== objectKey);
  }

  /** Left out if the group has another object, or is gone, by now. */
  load({ id, objectKey }: ServingGroup, packed: PackedGroup): void {
    if (this.known.get(id)?.objectKey === objectKey) this.loaded.set(id, { objectKey, packed });
  }

  /** What is loaded of this object; undefined: nothing. */
  loadedOf({ id, objectKey }: Pick<ServingGroup, 'id' | 'objectKey'>): PackedGroup | undefined {
    const loaded = this.loaded.get(id);
    return loaded?.objectKey === objectKey ? loaded.packed : undefined;
  }

  /** Whether a device with one of these hashes is in one of the groups. In none that is not loaded. */
  includes(appId: number, names: readonly string[], hashes: readonly string[]): boolean {
    const members = hashes.map(memberOf);
    return names.some((name) => {
      const packed = this.loaded.get(`${appId}/${name}`)?.packed;
      return packed !== undefined && members.some((member) => packed.has(member));
    });
  }
}
