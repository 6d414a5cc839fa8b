import { join } from 'node:path';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import { historyContract } from './contract/history.contract';

historyContract('sqlite', () => {
  const folder = temporaryDirectory();
  const opened: { close(): Promise<void> }[] = [];
  const kept = async <Store extends { close(): Promise<void> }>(opening: Promise<Store>): Promise<Store> => {
    const store = await opening;
    opened.push(store);
    return store;
  };
  return Promise.resolve({
    events: () => kept(openSqliteEventStore({ path: join(folder, 'events.db') })),
    otherEvents: () => kept(openSqliteEventStore({ path: join(folder, 'other-events.db') })),
    documents: () => kept(openSqliteDocumentStore({ path: join(folder, 'documents.db') })),
    remove: async () => {
      await Promise.all(opened.map((store) => store.close()));
    },
  });
});
