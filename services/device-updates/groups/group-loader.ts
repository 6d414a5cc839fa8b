import type { Logger } from '@sluice/kernel';
import { ObjectNotFoundError, type ObjectStore } from '@sluice/object-store';
import { PeriodicTask } from '@sluice/service-host';
import type { Groups } from '../serving/groups';
import type { ServingGroup } from '../serving/serving.projection';
import { PackedGroup } from './domain/packed-group';

const RETRY_EVERY_MS = 2_000;

export interface GroupLoaderOptions {
  readonly groups: Groups;
  readonly objects: Pick<ObjectStore, 'get'>;
  readonly logger: Logger;
}

/**
 * Loads the devices of groups into memory. While the object store is unavailable, checks use those that are known; no
 * device is in a group of which none are.
 */
export class GroupLoader {
  private readonly task: PeriodicTask;
  private stopListening: (() => void) | undefined;

  constructor(private readonly options: GroupLoaderOptions) {
    this.task = new PeriodicTask({
      everyMs: RETRY_EVERY_MS,
      run: () => this.loadMissing(),
      fault: 'Device groups could not be loaded. Checks use their former devices, if any',
      logger: options.logger,
    });
  }

  /** Resolves once the load of each group was tried. */
  load(): Promise<void> {
    return this.task.runNow();
  }

  async open(): Promise<void> {
    await this.load();
    this.stopListening = this.options.groups.onChange(() => this.task.wake());
    this.task.start();
  }

  async close(): Promise<void> {
    this.stopListening?.();
    await this.task.stop();
  }

  private async loadMissing(): Promise<void> {
    const { groups, objects } = this.options;
    for (const group of groups.missing()) {
      if (this.task.signal.aborted) return;
      try {
        groups.load(group, await readGroup(objects, group));
      } catch (error) {
        // It was replaced meanwhile, and the event that says so is on its way.
        if (!(error instanceof ObjectNotFoundError)) throw error;
      }
    }
  }
}

/** @throws ObjectNotFoundError, ObjectStoreUnavailableError; Error for bytes that are not the group's */
export async function readGroup(
  objects: Pick<ObjectStore, 'get'>,
  { objectKey, size }: Pick<ServingGroup, 'objectKey' | 'size'>,
): Promise<PackedGroup> {
  const bytes = new Uint8Array(size * 8);
  let length = 0;
  for await (const chunk of await objects.get(objectKey)) {
    const piece = chunk as Buffer;
    if (length + piece.length > bytes.length) throw new Error(`The object ${objectKey} is larger than its group.`);
    bytes.set(piece, length);
    length += piece.length;
  }
  if (length < bytes.length) throw new Error(`The object ${objectKey} is smaller than its group.`);
  return PackedGroup.from(bytes.buffer);
}
