import { join } from 'node:path';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { DocumentStore } from '@sluice/document-store';
import type { EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { systemClock, type Clock } from '@sluice/kernel';
import { eventually, recordingLogger, temporaryDirectory } from '@sluice/testing';
import { append, parcels, sent, signal } from '../projections/contract/parcels.contract';
import { ProjectionTasks } from './projection-tasks';

let folder: string;
let events: EventStore;
let documents: DocumentStore;

beforeEach(async () => {
  folder = temporaryDirectory();
  events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  documents = await openSqliteDocumentStore({ path: join(folder, 'documents.db') });
  await append(events, [sent('p1')]);
});
afterEach(async () => {
  await events.close();
  await documents.close();
});

const tasksOf = (projection = parcels, clock: Clock = systemClock) =>
  new ProjectionTasks({
    ...{ service: 'test', events, readStore: documents, stateStore: documents, projections: [projection] },
    ...{ running: { status: () => new Map() }, clock, logger: recordingLogger() },
  });
async function ended(tasks: ProjectionTasks) {
  return eventually(async () => {
    const [{ task } = { task: null }] = await tasks.list();
    return task?.status !== 'running' && task;
  });
}
/** A projection that waits before its first event. */
function held() {
  const reached = signal();
  const proceed = signal();
  const projection: typeof parcels = {
    ...parcels,
    apply: async (event, rows) => {
      reached.give();
      await proceed.given;
      await parcels.apply(event, rows);
    },
  };
  return { projection, reached, proceed };
}

it('accepts one task of a projection at a time across processes', async () => {
  const { projection, reached, proceed } = held();
  const tasks = tasksOf(projection);
  expect(await tasks.start('rebuild', 'parcels')).toMatchObject({ task: { kind: 'rebuild', status: 'running' } });
  await reached.given;
  await expect(tasks.start('verify', 'parcels')).rejects.toMatchObject({ code: 'PROJECTION_BUSY' });
  await expect(tasksOf().start('rebuild', 'parcels')).rejects.toMatchObject({ code: 'PROJECTION_BUSY' });
  proceed.give();
  expect(await ended(tasks)).toMatchObject({ kind: 'rebuild', status: 'completed', error: null });
  await tasks.start('verify', 'parcels');
  expect(await ended(tasks)).toMatchObject({
    kind: 'verify',
    status: 'completed',
    verification: { rows: 1, different: 0 },
  });
});

it('returns why a task failed, and accepts the next', async () => {
  const faulty = tasksOf({ ...parcels, apply: () => Promise.reject(new Error('out of paint')) });
  await faulty.start('rebuild', 'parcels');
  expect(await ended(faulty)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('out of paint') as string,
  });
  const tasks = tasksOf();
  await tasks.start('rebuild', 'parcels');
  expect(await ended(tasks)).toMatchObject({ status: 'completed' });
});

it('reports a task as interrupted when its process has ended, and accepts the next', async () => {
  const { projection, reached, proceed } = held();
  const stopped = tasksOf(projection);
  await stopped.start('rebuild', 'parcels');
  await reached.given;
  stopped.stop();
  proceed.give();
  const later: Clock = { ...systemClock, now: () => new Date(Date.now() + 60_000) };
  const tasks = tasksOf(parcels, later);
  expect((await tasks.list())[0]!.task).toMatchObject({ status: 'interrupted' });
  await tasks.start('rebuild', 'parcels');
  expect(await ended(tasks)).toMatchObject({ status: 'completed' });
});

it('rejects an unknown projection', async () => {
  await expect(tasksOf().start('rebuild', 'letters')).rejects.toMatchObject({ code: 'PROJECTION_NOT_FOUND' });
});
