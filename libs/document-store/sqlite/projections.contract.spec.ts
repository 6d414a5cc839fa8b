import { join } from 'node:path';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import type { StoresFixture } from '../parcels.contract';
import { processManagerContract } from '../process-manager.contract';
import { projectionsContract } from '../projections.contract';
import { rebuildContract } from '../rebuild.contract';
import { verifyContract } from '../verify.contract';
import { openSqliteDocumentStore } from './index';

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
