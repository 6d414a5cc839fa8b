import type { AnyCollection, Collection, PositionedRow, Row } from '@sluice/document-store';
import type { Position } from '@sluice/event-store';
import type { ServingRows } from './serving.projection';

/** The projection's collections in memory, each with what follows from a change of one of its rows. */
export class RowsInMemory {
  private readonly tables = new Map<string, Table<Row>>();

  /** `changed` hears of each row that was added (no `before`), replaced or removed (no `after`). */
  add<R extends Row>(collection: Collection<R>, changed: Changed<R>): void {
    this.tables.set(collection.name, new Table<R>(changed) as unknown as Table<Row>);
  }

  /**
   * Rows of which every event up to `checkpoint` is a part, and of some later ones too. Answers those that could
   * not be understood: nothing is served of them, and of the rest everything.
   */
  load<R extends Row>(
    collection: Collection<R>,
    rows: readonly PositionedRow<R>[],
    checkpoint: Position,
  ): NotUnderstood[] {
    const table = this.table(collection);
    const faults: NotUnderstood[] = [];
    for (const { row, position } of rows) {
      if (row === undefined) continue;
      try {
        table.load(row, position > checkpoint ? position : undefined);
      } catch (error) {
        faults.push({ id: row.id, error });
      }
    }
    return faults;
  }

  /** Of the collections, in the order in which they were added. */
  names(): Iterable<string> {
    return this.tables.keys();
  }

  clear(): void {
    for (const table of this.tables.values()) table.clear();
  }

  /**
   * The writes of the event at this position; events come in their order and each once. Loaded rows that it or a
   * later event wrote already stay as they are.
   */
  at(position: Position): ServingRows {
    return {
      put: (collection, row) => this.table(collection).write(row.id, position, () => row),
      update: (collection, id, change) => {
        this.table(collection).write(id, position, (row) => row && change(row));
        return Promise.resolve();
      },
      deleteWhere: (collection, where) => {
        this.table(collection).deleteWhere(Object.entries(where), position);
        return Promise.resolve();
      },
      delete: (collection, id) => this.table(collection).write(id, position, () => undefined),
    };
  }

  private table<R extends Row>(collection: Collection<R>): Table<R>;
  private table(collection: AnyCollection): Table<Row>;
  private table(collection: AnyCollection): Table<Row> {
    const table = this.tables.get(collection.name);
    if (table === undefined) throw new Error(`There is no collection ${collection.name} in memory.`);
    return table;
  }
}

export interface NotUnderstood {
  readonly id: string;
  readonly error: unknown;
}

type Changed<R> = (before: R | undefined, after: R | undefined) => void;

class Table<R extends Row> {
  private readonly rows = new Map<string, R>();
  /** The rows that were loaded further than their checkpoint, few of all: the last event that is in each. */
  private readonly ahead = new Map<string, Position>();

  constructor(private readonly changed: Changed<R>) {}

  load(row: R, ahead: Position | undefined): void {
    this.rows.set(row.id, row);
    if (ahead !== undefined) this.ahead.set(row.id, ahead);
    this.changed(undefined, row);
  }

  write(id: string, position: Position, change: (row: R | undefined) => R | undefined): void {
    const reached = this.ahead.get(id);
    if (reached !== undefined && reached >= position) return;
    const held = this.rows.get(id);
    const row = change(held);
    if (row === held) return;
    if (row === undefined) this.rows.delete(id);
    else this.rows.set(id, row);
    this.changed(held, row);
  }

  /** Of members that have to be equal. */
  deleteWhere(members: readonly (readonly [string, unknown])[], position: Position): void {
    for (const row of [...this.rows.values()]) {
      if (members.every(([name, value]) => (row as Readonly<Record<string, unknown>>)[name] === value))
        this.write(row.id, position, () => undefined);
    }
  }

  clear(): void {
    for (const row of this.rows.values()) this.changed(row, undefined);
    this.rows.clear();
    this.ahead.clear();
  }
}
