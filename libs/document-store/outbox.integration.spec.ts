import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { Outbox } from './outbox';
import type { DocumentStore } from './port';
import { openSqliteDocumentStore } from './sqlite';

let folder: string;
let store: DocumentStore;
const outbox = () => new Outbox<number>(store, 'notes');

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
});
afterEach(() => store.close());

it('gives each note to one of the processes that take them at the same time', async () => {
  await outbox().add([1, 2]);
  await outbox().add([3]);
  await outbox().add([]);
  const taken: number[] = [];
  await Promise.all(Array.from({ length: 4 }, () => outbox().take((note) => taken.push(note))));
  expect(taken.sort()).toEqual([1, 2, 3]);
  await outbox().take((note) => taken.push(note));
  expect(taken).toHaveLength(3);
});
