import type Database from 'libsql';
import { openDatabase } from './open-file';

let database: Database.Database;
beforeEach(() => (database = openDatabase(':memory:', 0)));
afterEach(() => database.close());

const bound = (value: unknown): unknown =>
  (database.prepare('SELECT ?, typeof(?1)').raw().get([value]) as unknown[])[0];

/** Of all these libsql 0.5.29 ends the process on booleans alone. */
it.each(['run', 'get', 'all', 'iterate'] as const)(
  'throws for a boolean parameter of %s, which ended the process',
  (method) => {
    const statement = database.prepare('SELECT ?');
    expect(() => statement[method](true)).toThrow(TypeError);
    expect(() => statement[method]([1, false])).toThrow(TypeError);
    expect(statement.get(1)).toMatchObject({ '?': 1 });
  },
);

it.each([
  ['half of a surrogate pair', '\ud800', '\ufffd'],
  ['a text with NUL, cut there', 'a\0b', 'a'],
  ['NaN', NaN, null],
  ['Infinity', Infinity, Infinity],
  ['a number beyond 64 bits', 2 ** 70, 2 ** 70],
  ['undefined', undefined, null],
  ['bytes', Buffer.from('ab'), Buffer.from('ab')],
])('survives the parameter %s', (_, value, read) => {
  expect(bound(value)).toEqual(read);
});

it.each([[2n ** 70n], [{}], [[1]], [Symbol('x')], [() => 1], [new Date()]])('throws for the parameter %p', (value) => {
  expect(() => bound(value)).toThrow();
});

it.each([
  "SELECT '\ud800'",
  'SELECT "\ud800"',
  'SELECT 1 AS "\ud800"',
  "SELECT '\0'",
  '',
  '\ud800',
  `SELECT ${'('.repeat(2_000)}`,
])('survives the statement %p', (sql) => {
  try {
    database.prepare(sql).all();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
  }
});
