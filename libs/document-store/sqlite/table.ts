import { wellFormedJson } from '@sluice/kernel';
import type { Query, Row, Where } from '../port';
import type { Reader } from './reader';
import {
  condition,
  grouping,
  groupsOfCounts,
  isMissingTable,
  ordering,
  quoted,
  sumOfCounts,
  type Fragment,
  type Record,
} from './sql';

/** Up to this many rows are read in one go. */
const PAGE = 100;
/** Passing over more rows than this takes milliseconds. */
const DEEP = 20_000;

/** Reads one table. Rows without a document, the tombstones, are found by id alone. */
export interface Table {
  get(columns: string, id: string): Record | undefined;
  getMany<T>(columns: string, ids: readonly string[], read: (record: Record) => T): Promise<T[]>;
  find<R extends Row, T>(columns: string, query: Query<R>, read: (record: Record) => T): Promise<T[]>;
  count<R extends Row>(where?: Where<R>): number;
  countBy<R extends Row, Field extends keyof R & string>(
    fields: readonly Field[],
    where?: Where<R>,
    limit?: number,
  ): Promise<(Pick<R, Field> & { readonly count: number })[]>;
}

/** @param counted members whose counts are kept next to this table */
export function readTable(reader: Reader, table: string, counted: readonly string[] = []): Table {
  const name = quoted(table);
  return {
    get: (columns, id) => reader.get(`SELECT ${columns} FROM ${name} WHERE id = ?`, [id]),

    getMany: async (columns, ids, read) => {
      if (ids.length === 1) return reader.all(`SELECT ${columns} FROM ${name} WHERE id = ?`, ids).map(read);
      const sql = `SELECT ${columns} FROM ${name} WHERE id IN (SELECT value FROM json_each(?))`;
      const values = [wellFormedJson(ids)];
      return ids.length <= PAGE ? reader.all(sql, values).map(read) : reader.scan({ sql, values }, read);
    },

    find: async (columns, { where, sort, offset = 0, limit = -1 }, read) => {
      const wanted = condition(where);
      const sql = `SELECT ${columns} FROM ${name} WHERE doc IS NOT NULL AND ${wanted.sql} ORDER BY ${ordering(sort)} LIMIT ? OFFSET ?`;
      const values = [...wanted.values, limit, offset];
      if (limit < 0 || limit > PAGE) return reader.scan({ sql, values }, read);
      const records = offset > DEEP ? await reader.apart({ sql, values }) : reader.all(sql, values);
      return records.map(read);
    },

    count: (where) => {
      const { sql, values } = sumOfCounts(table, counted, where) ?? countOfRows(name, where);
      return reader.get(sql, values)?.[0] as number;
    },

    countBy: async <R extends Row, Field extends keyof R & string>(
      fields: readonly Field[],
      where?: Where<R>,
      limit?: number,
    ) => {
      const kept = groupsOfCounts(table, counted, fields, where, limit);
      const groups = kept
        ? reader.all(kept.sql, kept.values)
        : await reader.apart(grouping(table, fields, where, limit));
      return groups.map((group) => {
        const values = fields.map((field, at) => [field, JSON.parse((group[at] ?? 'null') as string) as unknown]);
        return { ...Object.fromEntries(values), count: group[fields.length] } as Pick<R, Field> & {
          readonly count: number;
        };
      });
    },
  };
}

function countOfRows<R extends Row>(name: string, where?: Where<R>): Fragment {
  const { sql, values } = condition(where);
  return { sql: `SELECT count(*) FROM ${name} WHERE doc IS NOT NULL AND ${sql}`, values };
}

/** Undefined when the table is not there: dropped with its generation, or not made yet. */
export async function unlessMissing<T>(read: () => T | Promise<T>): Promise<{ readonly found: T } | undefined> {
  try {
    return { found: await read() };
  } catch (error) {
    if (isMissingTable(error)) return undefined;
    throw error;
  }
}
