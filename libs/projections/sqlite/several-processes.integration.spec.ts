import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { temporaryDirectory, recordingLogger } from '@sluice/testing';
import { append, moved, parcels, PARCELS, sent } from '../contract/parcels.contract';
import { createProjections } from '../projections';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { COUNTERS, countUp } from './second-process.contract';

describe('two processes on one file', () => {
  let folder: string;
  const start = (task: 'count' | 'project', times = 0): ChildProcess =>
    fork(require.resolve('./second-process.contract'), [task, folder, String(times)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });

  beforeEach(() => {
    folder = temporaryDirectory();
  });

  it('hold each other to the versions of rows', async () => {
    const documents = await openSqliteDocumentStore({ path: join(folder, 'documents.db') });
    const exited = once(start('count', 200), 'exit');
    await countUp(documents, 200);
    expect(await exited).toEqual([0, null]);
    expect((await documents.rows(COUNTERS).get('n'))?.count).toBe(400);
    await documents.close();
  }, 60_000);

  it('project the same events once, also when one of them is killed', async () => {
    const events = await openSqliteEventStore({ path: join(folder, 'events.db') });
    const documents = await openSqliteDocumentStore({ path: join(folder, 'documents.db') });
    const logger = recordingLogger(({ message }) => expect(message).toBe(''));
    const projections = createProjections({ events, documents, projections: [parcels], waitMs: 30_000, logger });
    await projections.start();
    const child = start('project');
    await once(child, 'message');
    const exited = once(child, 'exit');

    await append(events, [sent('p')]);
    for (let n = 0; n < 300; n += 1) {
      if (n === 150) child.kill('SIGKILL');
      await append(events, [moved('p'), sent(`q${n}`)]);
    }
    await exited;
    await projections.visible('parcel-x', await events.head());
    const view = documents.view(parcels.name, PARCELS);
    expect((await view.get('p'))?.moves).toBe(300);
    expect(await view.count()).toBe(301);
    await projections.close();
    await documents.close();
    await events.close();
  }, 60_000);
});
