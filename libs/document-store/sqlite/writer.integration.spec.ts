import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import Database from 'libsql';
import { DocumentStoreUnavailableError } from '../port';
import type { GenerationTables, WriteCall } from './write-operations';
import { createSchema, createWriter, type Writer } from './writer';

const HOUR_MS = 60 * 60 * 1000;
const TABLE = { table: 'rows/parcels', collection: 'parcels', indexes: [], counted: [] };
const VIEW: GenerationTables = {
  projection: 'depots',
  collections: [{ collection: 'parcels', indexes: [], counted: [] }],
};

describe('the writer of the SQLite document store', () => {
  let folder: string;
  let database: Database.Database;
  let time: number;
  let writer: Writer;

  const put = (id: string, size = 10): WriteCall => ({
    method: 'put',
    args: [TABLE.table, id, JSON.stringify({ id, text: 'x'.repeat(size) }), null],
  });
  const faults = (calls: WriteCall[]): (Error | undefined)[] =>
    writer.run(calls).map((outcome) => ('error' in outcome ? outcome.error : undefined));
  const rowCount = (table: string): number =>
    (database.prepare(`SELECT count(*) AS rows FROM "${table}"`).get() as { readonly rows: number }).rows;

  beforeEach(() => {
    folder = temporaryDirectory();
    database = new Database(join(folder, 'documents.db'), { timeout: 5000 });
    database.pragma('journal_mode = WAL');
    createSchema(database);
    time = Date.parse('2026-01-01T00:00:00Z');
    writer = createWriter(database, () => time);
    writer.run([{ method: 'createTable', args: [TABLE] }]);
  });
  afterEach(() => {
    database.close();
  });

  it('reports that the engine is unavailable while the disk is full, and continues when there is space', () => {
    expect(faults([put('before')])).toEqual([undefined]);
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as { readonly page_count: number };
    database.pragma(`max_page_count = ${pages + 2}`);
    const calls = [put('small'), put('large', 1_000_000)];
    for (const fault of faults(calls)) expect(fault).toBeInstanceOf(DocumentStoreUnavailableError);
    expect(faults([put('large', 1_000_000)])[0]).toBeInstanceOf(DocumentStoreUnavailableError);
    expect(rowCount(TABLE.table)).toBe(1);

    database.pragma('max_page_count = 1000000');
    expect(faults(calls)).toEqual([undefined, undefined]);
    expect(rowCount(TABLE.table)).toBe(3);
  });

  it('reports that the engine is unavailable while another process keeps the file locked', () => {
    const impatient = new Database(join(folder, 'documents.db'), { timeout: 1 });
    database.exec('BEGIN IMMEDIATE');
    const waiting = createWriter(impatient);
    expect(waiting.run([put('p1')])).toMatchObject([{ error: { name: 'DocumentStoreUnavailableError' } }]);
    database.exec('ROLLBACK');
    expect(waiting.run([put('p1')])[0]).toHaveProperty('value');
    expect(rowCount(TABLE.table)).toBe(1);
    impatient.close();
  });

  it('undoes an operation of several writes that fails, and keeps the others of its group', () => {
    writer.run([
      {
        method: 'createTable',
        args: [
          { table: 'rows/seats', collection: 'seats', indexes: [{ fields: ['number'], unique: true }], counted: [] },
        ],
      },
    ]);
    const docs = [1, 2, 1].map((number) => JSON.stringify({ number }));
    const outcomes = faults([
      put('p1'),
      { method: 'putMany', args: ['rows/seats', ['a', 'b', 'c'], docs, false] },
      put('p2'),
    ]);
    expect(outcomes).toEqual([undefined, expect.objectContaining({ name: 'DuplicateRowError', id: 'c' }), undefined]);
    expect(rowCount('rows/seats')).toBe(0);
    expect(rowCount(TABLE.table)).toBe(2);
  });

  it('drops indexes that are declared no longer, but unique ones, and makes those that were not there', () => {
    const table = 'rows/seats';
    const declare = (...indexes: { fields: string[]; unique: boolean }[]): void =>
      expect(faults([{ method: 'createTable', args: [{ table, collection: 'seats', indexes, counted: [] }] }])).toEqual(
        [undefined],
      );
    const indexes = (): unknown[] =>
      database
        .prepare(`SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ? ORDER BY 1`)
        .raw()
        .all(table)
        .flat();
    declare({ fields: ['hall'], unique: false }, { fields: ['row'], unique: false }, { fields: ['row'], unique: true });
    expect(indexes()).toEqual([`${table}/hall`, `${table}/row`, `${table}/row/unique`]);
    declare({ fields: ['hall'], unique: false }, { fields: ['guest'], unique: false });
    expect(indexes()).toEqual([`${table}/guest`, `${table}/hall`, `${table}/row/unique`]);
  });

  describe('in a view', () => {
    let stored: string | null;
    const commit = (position: string, id: string, doc: string | null): void => {
      const at = (reached: string) => ({ position: reached, store: 's', version: 1 });
      const write = ['view/depots/1/parcels', id, position, doc] as const;
      const args = ['depots', 1, stored === null ? null : at(stored), at(position), [write]] as const;
      expect(writer.run([{ method: 'commit', args: [...args] }])).toEqual([{ value: true }]);
      stored = position;
    };

    beforeEach(() => (stored = null));

    it('removes tombstones an hour after', () => {
      writer.run([{ method: 'openLive', args: [VIEW] }]);
      commit('01', 'kept', '{}');
      commit('02', 'gone', null);
      time += HOUR_MS - 1;
      commit('03', 'later', null);
      expect(rowCount('view/depots/1/parcels')).toBe(3);
      time += HOUR_MS / 2;
      commit('04', 'kept', '{}');
      expect(rowCount('view/depots/1/parcels')).toBe(2);
    });

    it('keeps no count of values that no row has any longer', () => {
      const collections = [{ collection: 'parcels', indexes: [], counted: ['depot'] }];
      writer.run([{ method: 'openLive', args: [{ ...VIEW, collections }] }]);
      const counts = () =>
        database.prepare(`SELECT depot, rows FROM "view/depots/1/parcels/counts" ORDER BY depot`).raw().all();
      commit('01', 'a', '{"depot":"north"}');
      commit('02', 'b', '{"depot":"north"}');
      commit('03', 'a', '{"depot":"south"}');
      expect(counts()).toEqual([
        ['north', 1],
        ['south', 1],
      ]);
      commit('04', 'a', '{"depot":"south"}');
      commit('05', 'b', null);
      expect(counts()).toEqual([['south', 1]]);
      commit('06', 'a', null);
      expect(counts()).toEqual([]);
    });
  });
});
