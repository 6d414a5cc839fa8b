import type { AnyBulkWriteOperation } from 'mongodb';
import type { Stored } from './documents';
import { inSmallCommands, productIn, saysDuplicate, updatesAtOnce, withIds } from './ferretdb';

it.each([
  [{ version: '7.0.14' }, 'MongoDB 7.0.14', true],
  [{ version: '7.0.42', ferretdbVersion: 'v1.24.2' }, 'FerretDB v1.24.2', false],
  [{ version: '7.0.77', ferretdb: { version: 'v2.5.0' } }, 'FerretDB v2.5.0', false],
])('reads from %j the product %s, which updates in one step: %s', (build, product, atOnce) => {
  expect([productIn(build), updatesAtOnce(build)]).toEqual([product, atOnce]);
});

it('recognises a duplicate by the message of FerretDB', () => {
  expect(saysDuplicate('constraint failed: UNIQUE constraint failed: rows.slug (2067)')).toBe(true);
  expect(saysDuplicate('E11000 duplicate key error collection')).toBe(false);
});

it.each([
  [['one'], { _id: 'one' }],
  [['one', 'two'], { _id: { $in: ['one', 'two'] } }],
  [[], { _id: { $in: [] } }],
])('looks the ids %j up by %j', (ids, filter) => {
  expect(withIds(ids)).toEqual(filter);
});

describe('a bulk write', () => {
  type Operation = AnyBulkWriteOperation<Stored>;
  const insert = (id: string): Operation => ({ insertOne: { document: { _id: id } } });
  const change = (id: string): Operation => ({ deleteOne: { filter: { _id: id } } });
  const ids = (count: number) => Array.from({ length: count }, (_, at) => String(at));

  it('has no command without an operation', () => {
    expect(inSmallCommands([])).toEqual([]);
  });

  it('changes at most eight rows a command, in their order', () => {
    const operations = ids(17).map(change);
    const commands = inSmallCommands(operations);
    expect(commands.map((command) => command.length)).toEqual([8, 8, 1]);
    expect(commands.flat()).toEqual(operations);
  });

  it('inserts any number of rows in one command', () => {
    expect(inSmallCommands(ids(100).map(insert))).toHaveLength(1);
  });

  it('keeps inserts and changes apart, and counts the changes of a command alone', () => {
    const operations = [...ids(7).map(change), insert('a'), ...ids(9).map(change)];
    expect(inSmallCommands(operations).map((command) => command.length)).toEqual([7, 1, 8, 1]);
  });
});
