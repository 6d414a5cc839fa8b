import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import type Database from 'libsql';
import { connect, createSchema, toPosition } from './database';
import { type Append, GroupWriter, NO_EVENTS } from './group-writer';

let folder: string;
let database: Database.Database;
let writer: GroupWriter;

beforeEach(() => {
  folder = temporaryDirectory();
  database = connect(join(folder, 'events.db'));
  createSchema(database);
  writer = new GroupWriter(database);
});
afterEach(() => {
  database.close();
});

const append = (stream: string, expected: number, count = 1, data = '{}'): Append => ({
  stream,
  expected,
  events: Array.from({ length: count }, () => ({ id: randomUUID(), type: 'Happened', data, metadata: '{}' })),
});

const pages = (): number => (database.prepare('PRAGMA page_count').get() as { page_count: number }).page_count;

describe('a group of appends', () => {
  it('gives each its own outcome, those to one stream in their order', () => {
    const repeated = append('b', NO_EVENTS, 2);
    const group = [
      append('a', NO_EVENTS),
      repeated,
      append('a', NO_EVENTS),
      append('a', 0, 3),
      repeated,
      append('c', 4),
    ];
    expect(writer.write(group)).toEqual([
      { kind: 'appended', revision: 0, position: toPosition(1) },
      { kind: 'appended', revision: 1, position: toPosition(3) },
      { kind: 'conflict', actual: 0 },
      { kind: 'appended', revision: 3, position: toPosition(6) },
      { kind: 'appended', revision: 1, position: toPosition(3) },
      { kind: 'conflict', actual: NO_EVENTS },
    ]);
  });

  it('takes any number of appends', () => {
    const group = Array.from({ length: 333 }, (_, index) => append(`s-${index}`, NO_EVENTS, 1 + (index % 3)));
    expect(writer.write(group).every(({ kind }) => kind === 'appended')).toBe(true);
    const { count } = database.prepare('SELECT count(*) AS count FROM events').get() as { count: number };
    expect(count).toBe(group.reduce((sum, { events }) => sum + events.length, 0));
  });
});

describe('a disk that fails', () => {
  it('fails the whole group as not written, and the next one works once there is space', () => {
    writer.write([append('a', NO_EVENTS)]);
    database.prepare(`PRAGMA max_page_count = ${pages() + 4}`).get();
    const group = [append('a', 0), append('b', NO_EVENTS, 1, JSON.stringify('x'.repeat(100_000)))];
    expect(writer.write(group)).toEqual([
      { kind: 'failed', written: 'no', message: expect.stringMatching(/full/) },
      { kind: 'failed', written: 'no', message: expect.stringMatching(/full/) },
    ]);
    database.prepare('PRAGMA max_page_count = 1000000').get();
    expect(writer.write(group)).toEqual([
      { kind: 'appended', revision: 1, position: toPosition(2) },
      { kind: 'appended', revision: 0, position: toPosition(3) },
    ]);
  });

  it('leaves no transaction open when it fails in the middle of one', () => {
    database.exec(`
      CREATE TEMP TRIGGER broken BEFORE INSERT ON main.events WHEN NEW.stream = 'broken'
      BEGIN SELECT RAISE(ABORT, 'disk I/O error'); END`);
    const group = [append('a', NO_EVENTS), append('broken', NO_EVENTS)];
    expect(writer.write(group)).toMatchObject([
      { kind: 'failed', written: 'no' },
      { kind: 'failed', written: 'no' },
    ]);
    expect(writer.write([append('a', NO_EVENTS)])).toMatchObject([{ kind: 'appended', position: toPosition(1) }]);
  });
});
