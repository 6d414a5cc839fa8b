import type { AnyCollection, Condition, Query, Row, Where } from '../port';

export type Value = string | number | null;

export interface Fragment {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** What the writer needs to know to make a table; crosses to its thread. */
export interface TableDefinition {
  readonly table: string;
  readonly collection: string;
  readonly indexes: readonly { readonly fields: readonly string[]; readonly unique: boolean }[];
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]*$/;
const FIELD = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

export function checkedName(name: string): string {
  if (!NAME.test(name)) {
    throw new TypeError(
      `"${name}" can't name a collection or projection: expected a letter, then letters, digits, _ or -.`,
    );
  }
  return name;
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
    indexes: collection.indexes.map(({ fields, unique }) => ({
      fields: fields.map(checkedField),
      unique: unique ?? false,
    })),
  };
}

/** The id comes last in an index that is not unique: it is the last criterion of every sort. */
export function createIndex(
  { table }: TableDefinition,
  { fields, unique }: TableDefinition['indexes'][number],
): string {
  const columns = unique || fields.includes('id') ? fields : [...fields, 'id'];
  const name = `${table}/${fields.join('+')}${unique ? '/unique' : ''}`;
  return `CREATE ${unique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${quoted(name)} ON ${quoted(table)} (${columns.map((column) => member(column)).join(', ')})`;
}

/** An SQL condition without parameters other than its own; `1` when there is none. */
export function condition<R extends Row>(where: Where<R> = {}): Fragment {
  const parts = Object.entries(where).map(([field, wanted]) => holds(member(field), field, wanted as Condition));
  return {
    sql: parts.length === 0 ? '1' : parts.map(({ sql }) => sql).join(' AND '),
    values: parts.flatMap(({ values }) => values),
  };
}

export function ordering<R extends Row>(sort: Query<R>['sort'] = []): string {
  const criteria = sort.map(([field, direction]) => `${member(field)} ${direction === 'desc' ? 'DESC' : 'ASC'}`);
  return [...criteria, 'id ASC'].join(', ');
}

/** Groups by members: the largest first, then by their values; the last column of the answer is the size. */
export function grouping(table: string, fields: readonly string[], where: Fragment, limit = -1): Fragment {
  const members = fields.map((field) => member(field)).join(', ');
  const sql = `SELECT ${members}, count(*) AS rows_in_group FROM ${quoted(table)} WHERE ${where.sql}
    GROUP BY ${members} ORDER BY rows_in_group DESC, ${members} LIMIT ?`;
  return { sql, values: [...where.values, limit] };
}

function checkedField(field: string): string {
  if (!FIELD.test(field))
    throw new TypeError(`"${field}" can't be filtered, sorted or indexed by: expected a plain member name.`);
  return field;
}

/**
 * A member of a document, as an expression. Not by json_extract, whose values SQLite never takes from
 * an index: it would read and parse each document that it counts or sorts.
 */
export function member(field: string, document = 'doc'): string {
  return field === 'id' ? 'id' : `(${document} ->> '$.${checkedField(field)}')`;
}

function holds(expression: string, field: string, wanted: Condition | undefined): Fragment {
  if (wanted === undefined) throw new TypeError(`The condition on "${field}" is undefined; leave it out or give null.`);
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
    return bound === undefined ? [] : [{ sql: `${expression} ${OPERATORS[operator]} ?`, value: bound }];
  });
  return {
    sql: bounds.length === 0 ? '1' : bounds.map(({ sql }) => sql).join(' AND '),
    values: bounds.map(({ value }) => value),
  };
}

const OPERATORS = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

/** libsql aborts the process on a boolean parameter, and SQLite reads JSON's as 1 and 0. */
function bindable(value: string | number | boolean | null): Value {
  return typeof value === 'boolean' ? Number(value) : value;
}
