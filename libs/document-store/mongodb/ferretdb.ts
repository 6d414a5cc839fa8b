import type { AnyBulkWriteOperation, Document, Filter } from 'mongodb';
import type { Stored } from './documents';

// What the adapter does otherwise because FerretDB may answer in MongoDB's place. One more is in indexes.ts,
// which creates one index per call: FerretDB 1 ends the connection when several of one call exist already.

/** Undefined: the server is MongoDB. @param build the answer to `buildInfo` */
function ferretVersion({ ferretdb, ferretdbVersion }: Document): string | undefined {
  return (ferretdb as { version?: string } | undefined)?.version ?? (ferretdbVersion as string | undefined);
}

/** FerretDB gives the version of MongoDB that it behaves like, and its own next to it. */
export function productIn(build: Document): string {
  const ferret = ferretVersion(build);
  return ferret === undefined ? `MongoDB ${String(build['version'])}` : `FerretDB ${ferret}`;
}

/** Whether an update finds and writes its document in one step: FerretDB 1 reads, filters and writes by id separately. */
export function updatesAtOnce(build: Document): boolean {
  return !('ferretdbVersion' in build || 'ferretdb' in build);
}

/** FerretDB 1 reports a duplicate of an update by its message alone. */
export function saysDuplicate(message: string): boolean {
  return message.includes('UNIQUE constraint failed');
}

/** FerretDB looks one id up, and goes through all documents for several. */
export function withIds(ids: readonly string[]): Filter<Stored> {
  const [id] = ids;
  return ids.length === 1 && id !== undefined ? { _id: id } : { _id: { $in: [...ids] } };
}

/**
 * FerretDB 1 keeps one of its hundred connections to a database for each row that a command has changed, until the
 * whole command is done. Commands that change more wait for each other, and all clients for them, forever.
 */
const CHANGES_AT_ONCE = 8;

/** In their order, at most 8 changes a command. New rows stay together. */
export function inSmallCommands(
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
