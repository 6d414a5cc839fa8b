import { START, type Position, type RecordedEvent } from '@sluice/event-store';
import { LRUCache } from 'lru-cache';
import { matches } from '@sluice/document-store';
import type {
  AnyCollection,
  Collection,
  PositionedRow,
  ProjectedWrite,
  ProjectionTarget,
  Row,
  Where,
} from '@sluice/document-store';
import type { ProjectedRows, Projection } from './projection';

/** Rows kept in memory after they were written or read. */
const CACHED_ROWS = 10_000;

/**
 * The rows of one run of a projection: what is stored, and over it what events have changed since.
 * Right as long as no other process commits to the target, which the next commit finds out.
 */
export class RowBuffer {
  /** Every event up to here is in the rows. */
  position: Position;
  /** Changed and not given to a commit yet. */
  #changed = new Map<string, ProjectedWrite>();
  /** Given to commits that are under way. */
  readonly #committing = new Map<string, ProjectedWrite>();
  readonly #known = new LRUCache<string, PositionedRow>({ max: CACHED_ROWS });
  readonly #wanted = new Map<string, Set<string>>();
  #reading: Promise<void> | undefined;

  constructor(
    private readonly target: ProjectionTarget,
    private readonly projection: Projection,
    position: Position,
  ) {
    this.position = position;
  }

  /** How many rows wait for a commit. */
  get changes(): number {
    return this.#changed.size;
  }

  /** All changes of the event or, when `apply` throws, none. Answers no promise when nothing had to be awaited. */
  apply(event: RecordedEvent): Promise<void> | undefined {
    if (event.position <= this.position) return undefined;
    const rows = new EventRows(this, event.position);
    const applying = this.projection.apply(event, rows);
    if (applying) return applying.then(() => this.#merge(rows, event.position));
    this.#merge(rows, event.position);
    return undefined;
  }

  /** The writes of the next commit, which reaches `position`. */
  take(): ProjectedWrite[] {
    for (const [key, write] of this.#changed) this.#committing.set(key, write);
    const writes = [...this.#changed.values()];
    this.#changed = new Map();
    return writes;
  }

  /** The oldest commit under way, of these writes, succeeded. */
  committed(writes: readonly ProjectedWrite[]): void {
    for (const write of writes) {
      const key = keyOf(write.collection, write.id);
      this.#known.set(key, write);
      if (this.#committing.get(key) === write) this.#committing.delete(key);
    }
  }

  /** Undefined: unknown here, the store has to be asked. */
  peek(key: string): PositionedRow | undefined {
    return this.#changed.get(key) ?? this.#committing.get(key) ?? this.#known.get(key);
  }

  /** Reads of one turn share one question to the store. */
  async read(collection: string, id: string): Promise<PositionedRow> {
    const key = keyOf(collection, id);
    const ids = this.#wanted.get(collection) ?? new Set();
    this.#wanted.set(collection, ids.add(id));
    this.#reading ??= Promise.resolve().then(() => this.#readWanted());
    await this.#reading;
    return this.peek(key) ?? UNWRITTEN;
  }

  /** A row as it is stored, before what waits for a commit or is in one. */
  async stored(collection: string, id: string): Promise<PositionedRow> {
    const key = keyOf(collection, id);
    if (!this.#known.has(key)) await this.read(collection, id);
    return this.#known.get(key) ?? UNWRITTEN;
  }

  async find<R extends Row>(collection: Collection<R>, where: Where<R>): Promise<ProjectedWrite[]> {
    // Taken before the store is asked: a commit that ends meanwhile may be missing in its answer.
    const unstored = [...this.#committing.values(), ...this.#changed.values()];
    const stored = await this.target.find(collection, { where });
    const found = new Map<string, ProjectedWrite>();
    for (const { row, position } of stored) {
      if (row) found.set(row.id, { collection: collection.name, id: row.id, row, position });
    }
    for (const write of unstored) {
      if (write.collection !== collection.name) continue;
      if (write.row && matches(write.row as R, where)) found.set(write.id, write);
      else found.delete(write.id);
    }
    return [...found.values()];
  }

  async #readWanted(): Promise<void> {
    const wanted = [...this.#wanted];
    this.#wanted.clear();
    this.#reading = undefined;
    for (const [collection, ids] of wanted) {
      const rows = await this.target.read(collection, [...ids]);
      for (const id of ids) this.#known.set(keyOf(collection, id), rows.get(id) ?? UNWRITTEN);
    }
  }

  #merge(rows: EventRows, position: Position): void {
    for (const [key, write] of rows.changes) {
      // Kept in the order of the last change, in which the commit writes.
      this.#changed.delete(key);
      this.#changed.set(key, write);
    }
    this.position = position;
  }
}

const UNWRITTEN: PositionedRow = { row: undefined, position: START };

/** What one event changes, over the buffer. */
class EventRows implements ProjectedRows {
  readonly changes = new Map<string, ProjectedWrite>();

  constructor(
    private readonly buffer: RowBuffer,
    private readonly position: Position,
  ) {}

  put<R extends Row>(collection: Collection<R>, row: R): void {
    this.#write(collection.name, row.id, row);
  }

  delete(collection: AnyCollection, id: string): void {
    this.#write(collection.name, id, undefined);
  }

  async update<R extends Row>(collection: Collection<R>, id: string, change: (row: R) => R | undefined): Promise<void> {
    const key = keyOf(collection.name, id);
    const before = this.buffer.peek(key) ?? (await this.buffer.read(collection.name, id));
    if (before.position >= this.position) return;
    const { row } = this.changes.get(key) ?? before;
    if (row) this.#set(key, collection.name, id, change(row as R));
  }

  async deleteWhere<R extends Row>(collection: Collection<R>, where: Where<R>): Promise<void> {
    const found = await this.buffer.find(collection, where);
    const own = [...this.changes.values()].filter((change) => change.collection === collection.name);
    const touched = new Set(own.map(({ id }) => id));
    for (const { id, row } of own) {
      if (row && matches(row as R, where)) this.#write(collection.name, id, undefined);
    }
    for (const { id, position } of found) {
      if (position < this.position && !touched.has(id)) this.#write(collection.name, id, undefined);
    }
  }

  #write(collection: string, id: string, row: Row | undefined): void {
    const key = keyOf(collection, id);
    const known = this.buffer.peek(key);
    if (known && known.position >= this.position) return;
    this.#set(key, collection, id, row);
  }

  #set(key: string, collection: string, id: string, row: Row | undefined): void {
    this.changes.set(key, { collection, id, row, position: this.position });
  }
}

function keyOf(collection: string, id: string): string {
  return `${collection}\0${id}`;
}
