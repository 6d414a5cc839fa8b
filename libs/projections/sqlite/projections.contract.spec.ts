import { join } from 'node:path';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import type { StoresFixture } from '../contract/parcels.contract';
import { processManagerContract } from '../contract/process-manager.contract';
import { projectionsContract } from '../contract/projections.contract';
import { rebuildContract } from '../contract/rebuild.contract';
import { verifyContract } from '../contract/verify.contract';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';

function createStores(): Promise<StoresFixture> {
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
}

projectionsContract('sqlite', createStores);
rebuildContract('sqlite', createStores);
verifyContract('sqlite', createStores);
processManagerContract('sqlite', createStores);
