import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { EventStore, ExpectedRevision } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId } from '@sluice/kernel';
import type { ReplicaPositions } from '@sluice/messaging';
import { eventually, recordingLogger, temporaryDirectory, type RecordingLogger } from '@sluice/testing';
import { gateway } from '../gateway.service';
import { AccessIndex } from './access-index';

let folder: string;
let events: EventStore;
let applied: number;
let logger: RecordingLogger;
let index: AccessIndex;

beforeEach(async () => {
  folder = temporaryDirectory();
  events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  [applied, logger] = [0, recordingLogger()];
  const member = {
    ...{ announced: Promise.resolve(), leave: () => undefined },
    applied: () => {
      applied += 1;
    },
  };
  index = new AccessIndex(events, { join: () => member } as unknown as ReplicaPositions, logger);
  await append('none', 'OwnerCreated', 'first');
  await index.onApplicationBootstrap();
});

afterEach(async () => {
  await index.onApplicationShutdown();
  await events.close();
});

/** The first owner's next events, in one batch. */
async function append(expected: ExpectedRevision, type: string, ...hashes: string[]): Promise<void> {
  const commandId = newCommandId();
  const by = { commandId, actor: 'system:registry', correlationId: commandId, causationId: commandId };
  const metadata = { ...by, at: '2026-01-01T00:00:00.000Z' };
  const data = { id: 1, name: 'operator', sealId: null };
  const made = hashes.map((hash) => ({ id: newCommandId(), type, data: { ...data, hash }, metadata }));
  await events.append('owner-1', expected, made);
}

/** As /health/ready reports it. */
function degraded() {
  return gateway.plane?.readiness?.({ get: () => index } as unknown as NestFastifyApplication).degraded;
}

it('continues after an event that could not be applied, reports that, and keeps its state meanwhile', async () => {
  const apply = jest.spyOn(index.state, 'apply').mockImplementation(() => {
    throw new Error('out of memory');
  });
  await append(0, 'OwnerKeyRotated', 'second', 'third');
  await eventually(() => apply.mock.calls.length > 2);
  expect(degraded()).toEqual(['access-events']);
  expect(index.state.owner('first')).toMatchObject({ id: 1 });
  expect(logger.messages).toEqual(['The access index stopped: out of memory']);

  const before = applied;
  apply.mockRestore();
  await eventually(() => index.state.owner('third') !== undefined && applied > before);
  expect(index.state.owner('first')).toBeUndefined();
  expect(index.state.owner('second')).toBeUndefined();
  await eventually(() => index.current);
  expect(degraded()).toEqual([]);
  expect(logger.messages[1]).toBe('The access index continues.');
});

it('takes no event twice', async () => {
  const apply = jest.spyOn(index.state, 'apply');
  apply
    .mockImplementationOnce(() => undefined)
    .mockImplementationOnce(() => {
      throw new Error('once');
    });
  await append(0, 'OwnerKeyRotated', 'second', 'third');
  await eventually(() => index.state.owner('third') !== undefined);
  expect(apply.mock.calls.map(([{ data }]) => (data as { hash: string }).hash)).toEqual(['second', 'third', 'third']);
});

it('ends immediately while it waits for its next attempt', async () => {
  const apply = jest.spyOn(index.state, 'apply').mockImplementation(() => {
    throw new Error('never succeeds');
  });
  await append(0, 'OwnerKeyRotated', 'second');
  await eventually(() => !index.current);
  await index.onApplicationShutdown();
  const tries = apply.mock.calls.length;
  await delay(300);
  expect(apply.mock.calls.length).toBe(tries);
});
