import type Database from 'libsql';
import type { Position, Revision } from '../port';
import type { SerializedEvent } from '../serialized-event';
import { categoryOf, toPosition } from './database';

/** The revision of a stream without events. */
export const NO_EVENTS = -1;

export interface Append {
  readonly stream: string;
  readonly expected: Revision;
  readonly events: readonly SerializedEvent[];
}

export type Outcome =
  | { readonly kind: 'appended'; readonly revision: Revision; readonly position: Position }
  | { readonly kind: 'conflict'; readonly actual: Revision }
  | { readonly kind: 'failed'; readonly written: 'no' | 'unknown'; readonly message: string };

type Row = readonly [
  position: number,
  stream: string,
  revision: number,
  category: string,
  id: string,
  type: string,
  data: string,
  metadata: string,
  recordedAt: string,
];

const COLUMNS = 'position, stream, revision, category, id, type, data, metadata, recorded_at';
/** Rows of one INSERT. Several in one statement cost a third of single ones. */
const INSERT_SIZES = [64, 16, 4, 1] as const;
/** Errors of COMMIT after which the log holds no commit record for certain. */
const NEVER_COMMITTED = /^SQLITE_(BUSY|FULL|READONLY|LOCKED)/;

/** Commits groups of appends: one transaction and one fsync for all of them, each with an outcome of its own. */
export class GroupWriter {
  readonly #database: Database.Database;
  readonly #begin: Database.Statement;
  readonly #commit: Database.Statement;
  readonly #heads: Database.Statement;
  readonly #stored: Database.Statement;
  readonly #inserts: readonly { readonly size: number; readonly statement: Database.Statement }[];

  constructor(database: Database.Database) {
    this.#database = database;
    this.#begin = database.prepare('BEGIN IMMEDIATE');
    this.#commit = database.prepare('COMMIT');
    this.#heads = database.prepare(
      `SELECT coalesce((SELECT max(position) FROM events), 0) AS position,
              json_group_array((SELECT max(revision) FROM events WHERE stream = wanted.value)) AS revisions
       FROM json_each(?) AS wanted`,
    );
    this.#stored = database.prepare(
      'SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision LIMIT ?',
    );
    const row = `(${COLUMNS.replaceAll(/\w+/g, '?')})`;
    this.#inserts = INSERT_SIZES.map((size) => ({
      size,
      statement: database.prepare(`INSERT INTO events (${COLUMNS}) VALUES ${Array<string>(size).fill(row).join()}`),
    }));
  }

  /**
   * The outcomes of the appends, in their order. Returns after the commit is on disk. A conflict
   * of one leaves the others alone; a failure of the disk fails all of them.
   */
  write(appends: readonly Append[]): Outcome[] {
    let committing = false;
    try {
      this.#begin.run();
      const outcomes = this.#decide(appends);
      committing = true;
      this.#commit.run();
      return outcomes;
    } catch (error) {
      const { message, code = '' } = error as Error & { code?: string };
      const written = committing && !NEVER_COMMITTED.test(code) ? 'unknown' : 'no';
      if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
      return appends.map(() => ({ kind: 'failed', written, message }));
    }
  }

  #decide(appends: readonly Append[]): Outcome[] {
    const streams = [...new Set(appends.map(({ stream }) => stream))];
    const found = this.#heads.get(JSON.stringify(streams)) as { position: number; revisions: string };
    const revisions = JSON.parse(found.revisions) as (number | null)[];
    const heads = new Map(streams.map((stream, index) => [stream, revisions[index] ?? NO_EVENTS]));
    const recordedAt = new Date().toISOString();
    let position = found.position;
    let pending: Row[] = [];

    const outcomes = appends.map(({ stream, expected, events }): Outcome => {
      const head = heads.get(stream) ?? NO_EVENTS;
      if (head !== expected) {
        this.#insert(pending);
        pending = [];
        return this.#repeatOf({ stream, expected, events }) ?? { kind: 'conflict', actual: head };
      }
      const category = categoryOf(stream);
      let revision = head;
      for (const { id, type, data, metadata } of events) {
        position += 1;
        revision += 1;
        pending.push([position, stream, revision, category, id, type, data, metadata, recordedAt]);
      }
      heads.set(stream, revision);
      return { kind: 'appended', revision, position: toPosition(position) };
    });
    this.#insert(pending);
    return outcomes;
  }

  /** The first outcome of the same append, when the very same events stand behind the expected revision. */
  #repeatOf({ stream, expected, events }: Append): Outcome | undefined {
    const stored = this.#stored.all(stream, expected, events.length) as { id: string; position: number }[];
    const last = stored.at(-1);
    if (last === undefined || stored.length < events.length) return undefined;
    if (!stored.every(({ id }, index) => id === events[index]?.id)) return undefined;
    return { kind: 'appended', revision: expected + events.length, position: toPosition(last.position) };
  }

  #insert(rows: readonly Row[]): void {
    let written = 0;
    for (const { size, statement } of this.#inserts) {
      for (; rows.length - written >= size; written += size) statement.run(rows.slice(written, written + size).flat());
    }
  }
}
