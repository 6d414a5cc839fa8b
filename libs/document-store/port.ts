import type { Position } from '@sluice/event-store';
import { EngineUnavailableError } from '@sluice/kernel';

/**
 * A document: JSON with an `id` that is unique in its collection. Texts may hold any character. Each half of a
 * surrogate pair is stored as U+FFFD, also in an id, and is looked for as that.
 */
export interface Row {
  readonly id: string;
}

/** A path of one member per step is enough: indexes and filters name top-level members. */
export interface Index<R extends Row = Row> {
  readonly fields: readonly (keyof R & string)[];
  /** No two rows hold the same values. Declare it over members that are never null or left out. */
  readonly unique?: boolean;
  /**
   * Rows with equal values are counted and deleted by it, never listed by their ids. Ids in no order then
   * cost a write no page of the index for each row.
   */
  readonly unordered?: boolean;
}

/** Declares a collection: the engine creates what is missing of it when it is first opened. */
export interface Collection<R extends Row> {
  readonly name: string;
  readonly indexes: readonly Index<R>[];
  /**
   * Members by whose values a projection's rows are counted as they are written: a `count` that is
   * given equal values of these members alone takes as long for a million rows as for one. Declare it
   * over members that are never null or left out, of few different values together.
   */
  readonly counted?: readonly (keyof R & string)[];
  /** Carries the row's type; never set. */
  readonly row?: R;
}

/** A collection to whose holder the rows' type does not matter. */
export interface AnyCollection {
  readonly name: string;
  readonly indexes: readonly {
    readonly fields: readonly string[];
    readonly unique?: boolean;
    readonly unordered?: boolean;
  }[];
  readonly counted?: readonly string[];
}

type Scalar = string | number | boolean | null;

export type Condition =
  | Scalar
  | { readonly in: readonly Scalar[] }
  | {
      readonly gt?: string | number;
      readonly gte?: string | number;
      readonly lt?: string | number;
      readonly lte?: string | number;
    };

/** All conditions hold. A member left out of a row counts as null. */
export type Where<R extends Row> = { readonly [Field in keyof R & string]?: Condition };

export interface Query<R extends Row> {
  readonly where?: Where<R>;
  /** Default: by id ascending. The id is always the last criterion, so that pages are stable; ascending unless it is given. */
  readonly sort?: readonly (readonly [field: keyof R & string, direction: 'asc' | 'desc'])[];
  /** Blocks no other call, however large, but takes as long as it takes to skip that many rows. */
  readonly offset?: number;
  readonly limit?: number;
}

export interface ReadableRows<R extends Row> {
  get(id: string): Promise<R | undefined>;
  find(query?: Query<R>): Promise<R[]>;
  /** The ids of the rows that `find` answers, read from an index alone where one has them. */
  ids(query?: Query<R>): Promise<string[]>;
  count(where?: Where<R>): Promise<number>;
  /**
   * How many rows hold each combination of values of these members, strings or numbers: the most
   * frequent first, then by the values ascending; at most `limit` combinations. Meant for many rows:
   * it may take long, and blocks no other call. Of a view's `counted` members alone, it takes as long for a million rows
   * as for one.
   */
  countBy<Field extends keyof R & string>(
    fields: readonly Field[],
    where?: Where<R>,
    limit?: number,
  ): Promise<(Pick<R, Field> & { readonly count: number })[]>;
}

/** The version of a stored row; changes with every write. Compared, never computed with. */
export type RowVersion = number;

/** `absent`: only when no row has this id. A version: only when the row still has it. */
export type Guard = 'absent' | RowVersion;

/** Rows of the state store: facts that are neither events nor views. */
export interface Rows<R extends Row> extends ReadableRows<R> {
  getVersioned(id: string): Promise<{ readonly row: R; readonly version: RowVersion } | undefined>;
  /**
   * Writes one row, durable before the answer.
   * Answers its new version, or undefined when the guard did not hold; then nothing was written.
   * @throws DuplicateRowError when another row holds the same values of a unique index
   */
  put(row: R, guard?: Guard): Promise<RowVersion | undefined>;
  /**
   * Reads a row, and puts what `change` makes of it, guarded by the version that was read; repeats both while other
   * writers come between. `change` gets undefined when there is no row, and leaves everything as it is by answering
   * undefined; it may be called several times. Answers the row that was written.
   * @throws DuplicateRowError, and what `change` throws
   */
  update<Next extends R | undefined>(id: string, change: (row: R | undefined) => Next | Promise<Next>): Promise<Next>;
  /**
   * Writes many rows, durable before the answer, in one transaction where the engine has them.
   * With `absent`, rows whose id (or unique index) exists already are left as they are.
   * Answers the ids that were written.
   */
  putMany(rows: readonly R[], guard?: 'absent'): Promise<string[]>;
  /** Answers whether a row was deleted. */
  delete(id: string, guard?: RowVersion): Promise<boolean>;
  /** Answers how many rows were deleted: at most `limit`, in no order, when there is one. */
  deleteWhere(where: Where<R>, limit?: number): Promise<number>;
  /**
   * Adds the numbers that the rows hold in `members` to those of the stored rows with their ids, and
   * takes every other member as given; a row that is not there yet is written as it is. Durable before
   * the answer, in one transaction where the engine has them; no sum is lost to another writer.
   */
  add(rows: readonly R[], members: readonly (keyof R & string)[]): Promise<void>;
  /**
   * Gives the stored rows with these ids the members that are given, and leaves their other members as they are; a row
   * that is not there yet is written as it is. Each id once; members are texts, numbers or booleans. Durable before the
   * answer, in one transaction where the engine has them; no member is lost to another writer.
   */
  merge(rows: readonly (Partial<R> & Row)[]): Promise<void>;
}

export class DuplicateRowError extends Error {
  constructor(
    readonly collection: string,
    readonly id: string,
  ) {
    super(`Another row of ${collection} holds the unique values of ${id}.`);
    this.name = 'DuplicateRowError';
  }
}

/** The engine can't store a row of this size, whenever it is tried again. */
export class RowTooLargeError extends Error {
  override readonly name = 'RowTooLargeError';
  constructor(
    readonly id: string,
    bytes: number,
    maxBytes: number,
  ) {
    super(`The row ${id} takes ${bytes} bytes, and the engine stores at most ${maxBytes} in one row.`);
  }
}

export class DocumentStoreUnavailableError extends EngineUnavailableError {
  readonly engine = 'document store';
  override readonly name = 'DocumentStoreUnavailableError';
}

/** One change to one row, made by the event at `position`. */
export interface ProjectedWrite {
  readonly collection: string;
  readonly id: string;
  /** Undefined deletes. */
  readonly row: Row | undefined;
  readonly position: Position;
}

/** A row as a projection sees it: with the position of the event that wrote it last, deleted ones included. */
export interface PositionedRow<R extends Row = Row> {
  readonly row: R | undefined;
  readonly position: Position;
}

/** What makes a set of projected collections reusable, or asks for a rebuild. */
export interface ProjectionIdentity {
  readonly name: string;
  /** Raise it when the meaning of the rows changes. Another number causes a rebuild. */
  readonly version: number;
  readonly collections: readonly AnyCollection[];
}

export interface Checkpoint {
  readonly position: Position;
  /** EventStore.identity() of the store that the rows were made from. */
  readonly store: string;
  readonly version: number;
}

/**
 * One generation of a projection's rows. The live one is what readers see; a rebuild fills
 * another next to it. One that was dropped meanwhile has no checkpoint and no rows, and commits
 * nothing.
 */
export interface ProjectionTarget {
  readonly generation: number;
  /** Undefined: nothing was ever committed. */
  checkpoint(): Promise<Checkpoint | undefined>;
  /** Rows by id, tombstones included; an id that no event wrote is left out. */
  read(collection: string, ids: readonly string[]): Promise<ReadonlyMap<string, PositionedRow>>;
  /** Without tombstones. */
  find<R extends Row>(collection: Collection<R>, query: Query<R>): Promise<PositionedRow<R>[]>;
  /**
   * Rows and checkpoint together. Answers false, and nothing is written, when the checkpoint is no
   * longer `expected`: another runner went ahead. Where the engine has no transactions, the collections are
   * written in the order of their declaration, each after the one before it is durable. A row whose stored position is the write's or
   * later is left as it is. Calls on one target are carried out in their order, so that the next may
   * be made before this one is answered. A write may take unique values that another write of the commit gives up.
   * @throws DuplicateRowError when a row outside the commit holds the same values of a unique index
   */
  commit(expected: Checkpoint | undefined, next: Checkpoint, writes: readonly ProjectedWrite[]): Promise<boolean>;
}

/** Where a service keeps a generation of projected rows. */
abstract class TargetStore {
  /** The live generation, made when there is none yet. */
  abstract readonly liveTarget: (projection: ProjectionIdentity) => Promise<ProjectionTarget>;
}

/** What projections made of events: a service reads it and keeps nothing else there. Injected by this class. */
export abstract class ReadStore extends TargetStore {
  /** A collection of a projection's live generation: a swap is seen by the next call. */
  abstract readonly view: <R extends Row>(projection: string, collection: Collection<R>) => ReadableRows<R>;
}

/** Facts that no event holds and no rebuild brings back. Injected by this class. */
export abstract class StateStore extends TargetStore {
  /** A collection of the state store, created when missing. */
  abstract readonly rows: <R extends Row>(collection: Collection<R>) => Rows<R>;
}

/** Typed collections of JSON documents: either store, as an engine keeps it. One contract suite holds every engine to this. */
export interface DocumentStore extends ReadStore, StateStore {
  /** A new generation next to the live one; an unfinished earlier one is dropped. */
  rebuildTarget(projection: ProjectionIdentity): Promise<ProjectionTarget>;
  /**
   * Makes `target` live by one pointer row and drops the generation before it. Answers false, and
   * nothing changes, when the live generation is at a later position of the same event store:
   * a swap takes nothing away that a reader has seen. Rejects when `target` was dropped meanwhile.
   */
  swap(projection: ProjectionIdentity, target: ProjectionTarget): Promise<boolean>;

  /** The engine's name and version as its server reports them, such as `NATS 2.11.4`. Left out: it reports none. */
  readonly product?: () => Promise<string | undefined>;
  /**
   * Indexes, such as `tokens.name_1`, of the collections opened by `rows` that their declarations no longer name.
   * Left out: the engine keeps none.
   */
  readonly undeclaredIndexes?: () => Promise<string[]>;
  /** Answers whether the engine can be reached and written. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
