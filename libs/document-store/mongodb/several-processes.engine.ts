import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { testDatabase, type TestDatabase } from '../../../test/support/mongodb';
import { append, moved, parcels, PARCELS, sent } from '../parcels.contract';
import type { DocumentStore } from '../port';
import { createProjections } from '../projections';
import { COUNTERS, countUp } from '../sqlite/second-process.contract';
import { openMongoDocumentStore } from './index';

const server = process.env['TEST_MONGODB_URL'];

jest.setTimeout(180_000);

(server === undefined ? describe.skip : describe)(
  `two processes on one database of MongoDB${server === undefined ? ' (no TEST_MONGODB_URL)' : ''}`,
  () => {
    let folder: string;
    let database: TestDatabase;
    let documents: DocumentStore;
    const eventsPath = () => join(folder, 'events.db');
    const start = (task: 'count' | 'project', times = 0): ChildProcess =>
      fork(require.resolve('./second-process.contract'), [task, database.url, eventsPath(), String(times)], {
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'sluice-documents-'));
      database = testDatabase(server!);
      documents = await openMongoDocumentStore({ url: database.url, database: 'unused' });
    });
    afterEach(async () => {
      await documents.close();
      await database.drop();
      await rm(folder, { recursive: true });
    });

    it('hold each other to the versions of rows', async () => {
      const exited = once(start('count', 50), 'exit');
      await countUp(documents, 50);
      expect(await exited).toEqual([0, null]);
      expect((await documents.rows(COUNTERS).get('n'))?.count).toBe(100);
    });

    it('project the same events once, also when one of them is killed', async () => {
      const events = await openSqliteEventStore({ path: eventsPath() });
      const report = (message: string): void => expect(message).toBe('');
      const projections = createProjections({ events, documents, projections: [parcels], waitMs: 120_000, report });
      await projections.start();
      const child = start('project');
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
  },
);
