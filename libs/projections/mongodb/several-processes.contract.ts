import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import { testDatabase, type TestDatabase } from '@sluice/testing/mongodb';
import { append, moved, parcels, PARCELS, sent } from '../contract/parcels.contract';
import type { DocumentStore, ProjectionTarget } from '@sluice/document-store';
import { createProjections } from '../projections';
import { COUNTERS, countUp } from '../sqlite/second-process.contract';
import { openMongoDocumentStore } from '@sluice/document-store/mongodb';
import { at, parcelRow, type Stage, STAGES } from './second-process.contract';

/** What two processes on one database promise. @param server its address, asked for by each test */
export function severalProcessesContract(engine: string, server: () => string): void {
  describe(`two processes on one database of ${engine}`, () => {
    let folder: string;
    let database: TestDatabase;
    let documents: DocumentStore;
    const eventsPath = () => join(folder, 'events.db');
    const start = (...task: readonly string[]) => startOn(database, ...task);

    beforeEach(async () => {
      folder = temporaryDirectory();
      database = testDatabase(server());
      documents = await openMongoDocumentStore({ url: database.url, database: 'unused' });
    });
    afterEach(async () => {
      await documents.close();
      await database.drop();
    });

    it('hold each other to the versions of rows', async () => {
      const exited = once(start('count', '50'), 'exit');
      await countUp(documents, 50);
      expect(await exited).toEqual([0, null]);
      expect((await documents.rows(COUNTERS).get('n'))?.count).toBe(100);
    });

    it('project the same events once, also when one of them is killed', async () => {
      const events = await openSqliteEventStore({ path: eventsPath() });
      const logger = recordingLogger(({ message }) => expect(message).toBe(''));
      const projections = createProjections({ events, documents, projections: [parcels], waitMs: 120_000, logger });
      await projections.start();
      const child = start('project', eventsPath());
      await once(child, 'message');
      const exited = once(child, 'exit');

      await append(events, [sent('p')]);
      for (let n = 0; n < 100; n += 1) {
        if (n === 50) child.kill('SIGKILL');
        await append(events, [moved('p'), sent(`q${n}`)]);
      }
      await exited;
      await projections.visible('parcel-x', await events.head());
      const view = documents.view(parcels.name, PARCELS);
      expect((await view.get('p'))?.moves).toBe(100);
      expect(await view.count()).toBe(101);
      await projections.close();
      await events.close();
    });

    describe('keep the live rows when one of them is stopped in its turn', () => {
      const outcomes = new Map<Stage, Promise<Awaited<ReturnType<typeof playStopped>>>>();

      // All concurrently: each waits until the turn of the stopped process has expired.
      beforeAll(() => {
        for (const stage of STAGES) {
          const outcome = playStopped(stage);
          outcome.catch(() => undefined);
          outcomes.set(stage, outcome);
        }
      });

      it.each<[string, Stage]>([
        ['its first generation becomes live', 'open'],
        ['it deletes the generations of unfinished rebuilds', 'rebuild'],
        ['it drops their rows', 'rebuild-rows'],
        ['it deletes the generation that it replaced', 'swap'],
        ['it drops the rows that it replaced', 'swap-rows'],
      ])('before %s, and continues later', async (_, stage) => {
        expect(await outcomes.get(stage)).toEqual({
          ...{ exited: [0, null], isSameGeneration: true },
          ...{ rows: [parcelRow('second')], committed: true, rowsAfterwards: [parcelRow('third')] },
        });
      });
    });

    /** Another process takes the turn over, and makes a generation of its own live. */
    async function playStopped(stage: Stage) {
      const own = testDatabase(server());
      const store = await openMongoDocumentStore({ url: own.url, database: 'unused' });
      try {
        if (stage !== 'open') await rebuild(store, 'first');
        const child = startOn(own, 'stop', stage);
        await once(child, 'message');
        child.kill('SIGSTOP');
        const live = await rebuild(store, 'second');

        const ended = once(child, 'exit');
        child.send('continue');
        child.kill('SIGCONT');
        const exited = await ended;
        const view = store.view(parcels.name, PARCELS);
        const rows = await view.find();
        const isSameGeneration = (await store.liveTarget(parcels)).generation === live.generation;
        const write = { collection: PARCELS.name, id: 'p', row: parcelRow('third'), position: '3' };
        const committed = await live.commit(at('2'), at('3'), [write]);
        return { exited, rows, isSameGeneration, committed, rowsAfterwards: await view.find() };
      } finally {
        await store.close();
        await own.drop();
      }
    }
  });
}

/** One row, in a new generation that becomes live. */
async function rebuild(store: DocumentStore, depot: 'first' | 'second'): Promise<ProjectionTarget> {
  await store.liveTarget(parcels);
  const target = await store.rebuildTarget(parcels);
  const position = depot === 'first' ? '1' : '2';
  await target.commit(undefined, at(position), [
    { collection: PARCELS.name, id: 'p', row: parcelRow(depot), position },
  ]);
  await store.swap(parcels, target);
  return target;
}

function startOn({ url }: TestDatabase, ...task: readonly string[]): ChildProcess {
  return fork(require.resolve('./second-process.contract'), [url, ...task], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}
