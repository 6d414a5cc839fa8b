import { checkedCondition, checkedField, checkedName } from '../adapter-rules';
import type { AnyCollection, Condition, Query, Row, Where } from '../port';

export type Value = string | number | null;

/** A row of an answer. */
export type Record = readonly Value[];

export interface Fragment {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** What the writer needs to know to make a table; crosses to its thread. */
export interface TableDefinition {
  readonly table: string;
  readonly collection: string;
  readonly indexes: readonly {
    readonly fields: readonly string[];
    readonly unique: boolean;
    readonly unordered?: boolean;
  }[];
  readonly counted: readonly string[];
}

const FIELD = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The table was dropped with its generation, or is not made yet. */
export function isMissingTable(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('no such table');
}

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

export function stateTable(collection: string): string {
  return `rows/${checkedName(collection)}`;
}

export function viewTable(projection: string, generation: number, collection: string): string {
  return `view/${checkedName(projection)}/${generation}/${checkedName(collection)}`;
}

export function tableDefinition(table: string, collection: AnyCollection): TableDefinition {
  return {
    table,
    collection: collection.name,
    indexes: collection.indexes.map(({ fields, unique = false, unordered = false }) => ({
      fields: fields.map(plain),
      unique,
      unordered,
    })),
    counted: (collection.counted ?? []).map(plain),
  };
}

export function indexName(table: string, { fields, unique }: TableDefinition['indexes'][number]): string {
  return `${table}/${fields.join('+')}${unique ? UNIQUE : ''}`;
}

/** By the end of its name. */
export const UNIQUE = '/unique';

/** The id comes last in an index that is not unique: it is the last criterion of every sort. */
export function createIndex({ table }: TableDefinition, index: TableDefinition['indexes'][number]): string {
  const { fields, unique, unordered = false } = index;
  const columns = unique || unordered || fields.includes('id') ? fields : [...fields, 'id'];
  const name = indexName(table, index);
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${quoted(name)} ON ${quoted(table)} (${columns.map((column) => member(column)).join(', ')})`;
}

/** Holds how many rows a view's table has of each combination of values of its counted members. */
export function countsTable(table: string): string {
  return `${table}/counts`;
}

/**
 * Makes the table of counts, filled, and what keeps it: a change of a row and that of its count are
 * one change of the file.
 */
export function createCounts({ table, counted }: TableDefinition): string[] {
  const name = quoted(table);
  const counts = quoted(countsTable(table));
  const columns = counted.map(quoted).join(', ');
  const values = (document: string) => counted.map((field) => member(field, document)).join(', ');
  const add = (document: string, rows: 1 | -1) =>
    `INSERT INTO ${counts} (${columns}, rows) VALUES (${values(document)}, ${rows})
     ON CONFLICT (${columns}) DO UPDATE SET rows = rows + excluded.rows;`;
  const forgetNone = `DELETE FROM ${counts} WHERE (${columns}) = (${values('OLD.doc')}) AND rows = 0;`;
  const on = (change: string, document: 'OLD.doc' | 'NEW.doc') =>
    `CREATE TRIGGER ${quoted(`${table}/${change}/${document}`)} AFTER ${change} ON ${name}
     WHEN ${document} IS NOT NULL BEGIN ${document === 'NEW.doc' ? add(document, 1) : add(document, -1) + forgetNone} END`;
  return [
    `CREATE TABLE ${counts} (${columns}, rows INTEGER NOT NULL, PRIMARY KEY (${columns})) WITHOUT ROWID`,
    `INSERT INTO ${counts} SELECT ${values('doc')}, count(*) FROM ${name} WHERE doc IS NOT NULL GROUP BY ${values('doc')}`,
    on('INSERT', 'NEW.doc'),
    on('UPDATE', 'OLD.doc'),
    on('UPDATE', 'NEW.doc'),
    on('DELETE', 'OLD.doc'),
  ];
}

/** Undefined when the counts don't tell: the condition asks for more than equal values of counted members. */
export function sumOfCounts<R extends Row>(
  table: string,
  counted: readonly string[],
  where: Where<R> = {},
): Fragment | undefined {
  const wanted = Object.entries(where) as [string, Condition | undefined][];
  const told = wanted.every(([field, value]) => counted.includes(field) && value !== null && typeof value !== 'object');
  if (counted.length === 0 || !told) return undefined;
  const { sql, values } = condition(where, quoted);
  return { sql: `SELECT coalesce(sum(rows), 0) FROM ${quoted(countsTable(table))} WHERE ${sql}`, values };
}

/** As grouping, from the counts; undefined when more is asked for than counted members. */
export function groupsOfCounts<R extends Row>(
  table: string,
  counted: readonly string[],
  fields: readonly string[],
  where: Where<R> = {},
  limit = -1,
): Fragment | undefined {
  if (![...fields, ...Object.keys(where)].every((field) => counted.includes(field))) return undefined;
  const members = fields.map(quoted).join(', ');
  const values = fields.map((field) => `json_quote(${quoted(field)})`).join(', ');
  const wanted = condition(where, quoted);
  const sql = `SELECT ${values}, sum(rows) AS rows_in_group FROM ${quoted(countsTable(table))} WHERE ${wanted.sql}
    GROUP BY ${members} HAVING rows_in_group > 0 ORDER BY rows_in_group DESC, ${members} LIMIT ?`;
  return { sql, values: [...wanted.values, limit] };
}

/** An SQL condition without parameters other than its own; `1` when there is none. */
export function condition<R extends Row>(
  where: Where<R> = {},
  expression: (field: string) => string = member,
): Fragment {
  const parts = Object.entries(where).map(([field, wanted]) =>
    holds(expression(field), checkedCondition(field, wanted as Condition | undefined)),
  );
  return {
    sql: parts.length === 0 ? '1' : parts.map(({ sql }) => sql).join(' AND '),
    values: parts.flatMap(({ values }) => values),
  };
}

export function ordering<R extends Row>(sort: Query<R>['sort'] = []): string {
  const criteria = sort.map(([field, direction]) => `${member(field)} ${direction === 'desc' ? 'DESC' : 'ASC'}`);
  return sort.some(([field]) => field === 'id') ? criteria.join(', ') : [...criteria, 'id ASC'].join(', ');
}

/**
 * Groups by members: the largest first, then by their values; the last column of the answer is the size,
 * those before it are the values as JSON, undefined members as null. Never as text: SQLite makes of an
 * escape such as \ud800 bytes that are no UTF-8, on which libsql ends the process, and libsql cuts a text at NUL.
 *
 * Where several values of a member are wanted, the rows are first counted for each of these values, and then these counts are
 * summed. An index has the rows in that order, so that even a million rows are not sorted.
 */
export function grouping<R extends Row>(
  table: string,
  fields: readonly string[],
  where: Where<R> = {},
  limit = -1,
): Fragment {
  const wanted = condition(where);
  const listed = Object.entries(where).flatMap(([field, value]) =>
    typeof value === 'object' && value !== null && 'in' in value && !fields.includes(field) ? [member(field)] : [],
  );
  const values = fields.map((_, at) => `value_${at}`).join(', ');
  const keys = fields.map((_, at) => `key_${at}`).join(', ');
  const read = fields.map((field, at) => `doc -> '$.${plain(field)}' AS value_${at}, ${member(field)} AS key_${at}`);
  const parts = `SELECT ${read.join(', ')}, count(*) AS rows_in_part FROM ${quoted(table)}
    WHERE doc IS NOT NULL AND ${wanted.sql} GROUP BY ${[...fields.map((field) => member(field)), ...listed].join(', ')}`;
  const sql = `SELECT ${values}, sum(rows_in_part) AS rows_in_group FROM (${parts})
    GROUP BY ${keys} ORDER BY rows_in_group DESC, ${keys} LIMIT ?`;
  return { sql, values: [...wanted.values, limit] };
}

const plain = (field: string): string => checkedField(field, FIELD);

/**
 * A member of a document, as an expression. Not by json_extract, whose values SQLite never takes from
 * an index: it would read and parse each document that it counts or sorts.
 */
export function member(field: string, document = 'doc'): string {
  return field === 'id' ? 'id' : `(${document} ->> '$.${plain(field)}')`;
}

function holds(expression: string, wanted: Condition): Fragment {
  if (wanted === null) return { sql: `${expression} IS NULL`, values: [] };
  if (typeof wanted !== 'object') return { sql: `${expression} = ?`, values: [bindable(wanted)] };
  if ('in' in wanted) {
    const values = wanted.in.filter((value) => value !== null).map(bindable);
    const among: Fragment = {
      sql: `${expression} IN (SELECT value FROM json_each(?))`,
      values: [JSON.stringify(values)],
    };
    return wanted.in.includes(null) ? { sql: `(${among.sql} OR ${expression} IS NULL)`, values: among.values } : among;
  }
  const bounds = (['gt', 'gte', 'lt', 'lte'] as const).flatMap((operator) => {
    const bound = wanted[operator];
    return bound === undefined ? [] : [{ sql: `${expression} ${OPERATORS[operator]} ?`, value: bindable(bound) }];
  });
  return {
    sql: bounds.length === 0 ? '1' : bounds.map(({ sql }) => sql).join(' AND '),
    values: bounds.map(({ value }) => value),
  };
}

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** libsql aborts the process on a boolean parameter, and SQLite reads JSON's as 1 and 0. Texts are as rows hold them. */
function bindable(value: string | number | boolean | null): Value {
  if (typeof value === 'string') return value.toWellFormed();
  return typeof value === 'boolean' ? Number(value) : value;
}
