import { once } from 'node:events';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { Collection, Db } from 'mongodb';
import { parcels, PARCELS } from '../contract/parcels.contract';
import type { Checkpoint, DocumentStore } from '@sluice/document-store';
import { recordingLogger } from '@sluice/testing';
import { createProjections } from '../projections';
import { countUp } from '../sqlite/second-process.contract';
import { openMongoDocumentStore } from '@sluice/document-store/mongodb';

/** Where in its turn a process waits: before a command of the first start, of a rebuild's, or of a swap. */
export const STAGES = ['open', 'rebuild', 'rebuild-rows', 'swap', 'swap-rows'] as const;
export type Stage = (typeof STAGES)[number];

export const at = (position: string): Checkpoint => ({ position, store: 'store-1', version: parcels.version });
export const parcelRow = (depot: string) => ({ id: 'p', depot, grams: 1, moves: 0 });

/** What several-processes.contract.ts runs as a process of its own: `count`, `stop`, or `project` until killed. */
async function main([url = '', task, of = '']: readonly string[]): Promise<void> {
  const documents = await openMongoDocumentStore({ url, database: 'unused' });
  if (task === 'project') {
    const projections = createProjections({
      ...{ events: await openSqliteEventStore({ path: of }), documents, projections: [parcels], waitMs: 1_000 },
      logger: recordingLogger(({ message }) => void process.stderr.write(`${message}\n`)),
    });
    await projections.start();
    process.send?.('started');
    return;
  }
  if (task === 'count') await countUp(documents, Number(of));
  else await changeGenerations(documents, of as Stage);
  await documents.close();
  process.disconnect();
}

async function changeGenerations(documents: DocumentStore, stage: Stage): Promise<void> {
  const isSwap = stage.startsWith('swap');
  const target = isSwap ? await documents.rebuildTarget(parcels) : undefined;
  const row = { collection: PARCELS.name, id: 'p', row: parcelRow('stopped'), position: '1' };
  await target?.commit(undefined, at('1'), [row]);

  if (stage.endsWith('-rows')) waitBeforeListing();
  else if (stage === 'open') waitBefore('updateOne', '_projections');
  else waitBefore('deleteMany', '_generations');
  if (target) await documents.swap(parcels, target).catch(refusedAsGone);
  else if (stage === 'open') await documents.liveTarget(parcels);
  else await documents.rebuildTarget(parcels);
}

function refusedAsGone(error: unknown): void {
  if (!(error instanceof Error && error.message.includes('is gone'))) throw error;
}

let waited: Promise<unknown> | undefined;
const wait = (): Promise<unknown> => {
  if (waited) return waited;
  process.send?.('waiting');
  return (waited = once(process, 'message'));
};

function waitBefore(method: 'updateOne' | 'deleteMany', collection: string): void {
  const original = Reflect.get(Collection.prototype, method) as (...given: unknown[]) => Promise<unknown>;
  Reflect.set(Collection.prototype, method, async function (this: Collection, ...given: unknown[]) {
    if (this.collectionName === collection) await wait();
    return Reflect.apply(original, this, given);
  });
}

function waitBeforeListing(): void {
  // eslint-disable-next-line @typescript-eslint/unbound-method -- It is called with the database that it was called on.
  const original = Db.prototype.listCollections;
  Reflect.set(Db.prototype, 'listCollections', function (this: Db) {
    return { toArray: () => wait().then(() => original.call(this).toArray()) };
  });
}

if (require.main === module) void main(process.argv.slice(2));
