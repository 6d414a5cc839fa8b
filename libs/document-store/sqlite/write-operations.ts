import type { Checkpoint, Guard, RowVersion } from '../port';
import type { Fragment, TableDefinition } from './sql';

/** One row of a commit: table, id, position, JSON (null deletes). */
export type RowWrite = readonly [table: string, id: string, position: string, doc: string | null];

/** Tables of one generation, and the collections that they hold. */
export interface GenerationTables {
  readonly projection: string;
  readonly collections: readonly Omit<TableDefinition, 'table'>[];
}

/** Every way in which the file is written. Plain values both ways: the calls cross to a thread. */
export interface WriteOperations {
  readonly createTable: (definition: TableDefinition) => void;
  readonly put: (table: string, id: string, doc: string, guard: Guard | null) => RowVersion | undefined;
  readonly putMany: (table: string, ids: readonly string[], docs: readonly string[], absent: boolean) => string[];
  readonly delete: (table: string, id: string, guard: RowVersion | null) => boolean;
  readonly deleteWhere: (table: string, where: Fragment, limit: number | null) => number;
  readonly merge: (table: string, ids: readonly string[], docs: readonly string[]) => void;
  readonly add: (table: string, ids: readonly string[], docs: readonly string[], members: readonly string[]) => void;
  readonly openLive: (tables: GenerationTables) => number;
  readonly openRebuild: (tables: GenerationTables) => number;
  readonly swap: (projection: string, generation: number) => boolean;
  readonly commit: (
    projection: string,
    generation: number,
    expected: Checkpoint | null,
    next: Checkpoint,
    writes: readonly RowWrite[],
  ) => boolean;
  readonly probe: () => void;
}

export type WriteCall = {
  [Method in keyof WriteOperations]: {
    readonly method: Method;
    readonly args: Parameters<WriteOperations[Method]>;
  };
}[keyof WriteOperations];

export type WriteOutcome = { readonly value: unknown } | { readonly error: Error };
