import type Database from 'libsql';
import type { JsonObject } from '@sluice/kernel';
import type { EventBatch, EventMetadata, Position, RecordedEvent, Revision } from '../port';
import { categoryOf, fromPosition, toPosition } from './database';

type Row = readonly [
  position: number,
  stream: string,
  revision: number,
  id: string,
  type: string,
  data: string,
  metadata: string,
  recordedAt: string,
];

/** One index range of events, in the order of positions. */
interface Source {
  readonly where: string;
  readonly parameters: readonly string[];
  /** Looks at events that don't match, so the range of positions has to be bounded. */
  readonly scans: boolean;
}

const EVENT = 'position, stream, revision, id, type, data, metadata, recorded_at';
const LAST_CHARACTER = '\u{10FFFF}';

/** Together they keep one page below some 2 ms of reading and parsing. */
const MAX_ROWS = 200;
const MAX_BYTES = 256 * 1024;
const MAX_SCANNED = 2_000;

/** Reads synchronously, in pages short enough for a thread that serves others meanwhile. */
export class EventReader {
  readonly #database: Database.Database;
  readonly #head: Database.Statement;
  readonly #firstCategory: Database.Statement;
  readonly #nextCategory: Database.Statement;
  readonly #forwards: Database.Statement;
  readonly #backwards: Database.Statement;
  readonly #merged = new Map<string, Database.Statement>();
  #rows = 32;

  constructor(database: Database.Database) {
    this.#database = database;
    this.#head = database.prepare('SELECT coalesce(max(position), 0) AS position FROM events');
    const category = 'SELECT min(category) AS category FROM events WHERE category';
    this.#firstCategory = database.prepare(`${category} >= ? AND category < ?`);
    this.#nextCategory = database.prepare(`${category} > ? AND category < ?`);
    const ofStream = `SELECT ${EVENT} FROM events WHERE stream = ? AND revision`;
    this.#forwards = database.prepare(`${ofStream} >= ? ORDER BY revision LIMIT ?`).raw();
    this.#backwards = database.prepare(`${ofStream} <= ? ORDER BY revision DESC LIMIT ?`).raw();
  }

  identity(): string {
    return (this.#database.prepare('SELECT identity FROM store').get() as { identity: string }).identity;
  }

  head(): Position {
    return toPosition((this.#head.get() as { position: number }).position);
  }

  /** The next events of one stream; fewer than asked for, and none only at its end. */
  streamPage(stream: string, direction: 'forwards' | 'backwards', from: Revision, limit: number): RecordedEvent[] {
    const statement = direction === 'forwards' ? this.#forwards : this.#backwards;
    return this.#parse(statement.all(stream, from, Math.min(limit, this.#rows)) as Row[]);
  }

  /**
   * The next matching events after `after` and up to `upTo`, and how far it looked: `upTo` when
   * there are no more. Undefined prefixes match every stream.
   */
  page(after: Position, upTo: Position, prefixes: readonly string[] | undefined, limit: number): EventBatch {
    const first = fromPosition(after);
    const sources = this.#sources(prefixes);
    if (sources.length === 0) return { events: [], position: upTo };
    const bounded = sources.some(({ scans }) => scans) ? first + MAX_SCANNED : Number.MAX_SAFE_INTEGER;
    const last = Math.min(fromPosition(upTo), bounded);
    const rows = Math.min(limit, this.#rows);
    const parameters = sources.flatMap((source) => [...source.parameters, first, last]);
    const events = this.#parse(this.#merge(sources).all(...parameters, rows) as Row[]);
    const full = events.length === rows ? events.at(-1) : undefined;
    return { events, position: full?.position ?? toPosition(last) };
  }

  #merge(sources: readonly Source[]): Database.Statement {
    const sql = sources
      .map(({ where }) => `SELECT ${EVENT} FROM events WHERE ${where} position > ? AND position <= ?`)
      .join(' UNION ALL ');
    let statement = this.#merged.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(`${sql} ORDER BY position LIMIT ?`).raw();
      this.#merged.set(sql, statement);
    }
    return statement;
  }

  #sources(prefixes: readonly string[] | undefined): Source[] {
    if (prefixes === undefined || prefixes.includes('')) return [{ where: '', parameters: [], scans: false }];
    return widest(prefixes).flatMap((prefix): Source[] => {
      const category = categoryOf(prefix);
      if (!category.endsWith('-')) return this.#categories(prefix).map(wholeCategory);
      if (category === prefix) return [wholeCategory(category)];
      const where = 'category = ? AND stream >= ? AND stream < ? AND';
      return [{ where, parameters: [category, prefix, prefix + LAST_CHARACTER], scans: true }];
    });
  }

  /** Those that begin with the prefix: one look into the index for each. */
  #categories(prefix: string): string[] {
    const end = prefix + LAST_CHARACTER;
    const categories: string[] = [];
    let found = this.#firstCategory.get(prefix, end) as { category: string | null };
    while (found.category !== null) {
      categories.push(found.category);
      found = this.#nextCategory.get(found.category, end) as { category: string | null };
    }
    return categories;
  }

  #parse(rows: readonly Row[]): RecordedEvent[] {
    let bytes = 0;
    const events = rows.map(([position, stream, revision, id, type, data, metadata, recordedAt]): RecordedEvent => {
      bytes += data.length + metadata.length;
      return {
        id,
        type,
        data: JSON.parse(data) as JsonObject,
        metadata: JSON.parse(metadata) as EventMetadata,
        stream,
        revision,
        position: toPosition(position),
        recordedAt,
      };
    });
    if (rows.length > 0) {
      const affordable = Math.floor(MAX_BYTES / (bytes / rows.length));
      this.#rows = Math.max(1, Math.min(affordable, 2 * this.#rows, MAX_ROWS));
    }
    return events;
  }
}

/** Without those that another one covers, so that no event is found twice. */
function widest(prefixes: readonly string[]): string[] {
  const distinct = [...new Set(prefixes)];
  return distinct.filter((prefix) => !distinct.some((other) => other !== prefix && prefix.startsWith(other)));
}

function wholeCategory(category: string): Source {
  return { where: 'category = ? AND', parameters: [category], scans: false };
}
