import type { AnyBulkWriteOperation, BulkWriteOptions, Collection } from 'mongodb';
import type { Connection } from './connection';
import type { Stored } from './documents';
import { isDuplicate, refusedOperations } from './errors';

/**
 * FerretDB 1 keeps one of its hundred connections to a database for each row that a command has changed, until the
 * whole command is done: commands that change more wait for each other, and everybody for them, for ever.
 */
const CHANGES_AT_ONCE = 8;

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

/** New rows stay together. */
function inSmallCommands(
  operations: readonly AnyBulkWriteOperation<Stored>[],
): (readonly AnyBulkWriteOperation<Stored>[])[] {
  const commands: AnyBulkWriteOperation<Stored>[][] = [];
  let changes = 0;
  for (const operation of operations) {
    const isNew = 'insertOne' in operation;
    const last = commands.at(-1);
    const fits = last?.[0] !== undefined && 'insertOne' in last[0] === isNew && (isNew || changes < CHANGES_AT_ONCE);
    if (fits) last.push(operation);
    else {
      commands.push([operation]);
      changes = 0;
    }
    if (!isNew) changes += 1;
  }
  return commands;
}
