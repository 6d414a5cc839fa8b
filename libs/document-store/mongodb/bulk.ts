import type { AnyBulkWriteOperation, BulkWriteOptions, Collection } from 'mongodb';
import type { Connection } from './connection';
import type { Stored } from './documents';
import { isDuplicate, refusedOperations } from './errors';
import { inSmallCommands } from './ferretdb';

/**
 * In their order, in as few commands as the server bears. Answers which operations found their unique values held;
 * where the order is kept, as it is by default, nothing behind the first of them was carried out.
 */
export async function writeInBulk(
  { updatesAtOnce }: Pick<Connection, 'updatesAtOnce'>,
  stored: Collection<Stored>,
  operations: readonly AnyBulkWriteOperation<Stored>[],
  options: BulkWriteOptions = {},
): Promise<readonly number[]> {
  const refused: number[] = [];
  let written = 0;
  for (const command of updatesAtOnce ? [operations] : inSmallCommands(operations)) {
    try {
      await stored.bulkWrite(command, options);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      const found = refusedOperations(error);
      refused.push(...(found.length === 0 ? [0] : found).map((at) => written + at));
      if (options.ordered ?? true) return refused;
    }
    written += command.length;
  }
  return refused;
}
