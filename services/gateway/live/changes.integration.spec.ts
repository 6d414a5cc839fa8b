import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readSettings } from '@sluice/config';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import type { EventStore } from '@sluice/event-store';
import { newCommandId } from '@sluice/kernel';
import type { ReplicaPositions, Messaging } from '@sluice/messaging';
import { eventually, failOnLine, recordingLogger, temporaryDirectory } from '@sluice/testing';
import type { AccessIndex } from '../access/access-index';
import { AccessState } from '../access/access-state';
import { Changes } from './changes';

let folder: string;
let events: EventStore;
let changes: Changes;
let told: string[];
/** What services were asked to have applied, with how to answer. */
let asked: { readonly pattern: string; readonly position: string; readonly answer: (error?: Error) => void }[];
const state = new AccessState();

beforeEach(async () => {
  folder = temporaryDirectory();
  events = await openSqliteEventStore({ path: join(folder, 'events.db') });
  [told, asked] = [[], []];
  const messaging = {
    request: ({ pattern }: { pattern: string }, { position }: { position: string }) =>
      new Promise((resolve, reject) => {
        asked.push({ pattern, position, answer: (error) => (error === undefined ? resolve({}) : reject(error)) });
      }),
  } as unknown as Messaging;
  const members = { applied: () => Promise.resolve(true) } as unknown as ReplicaPositions;
  changes = new Changes(events, messaging, members, readSettings({}), recordingLogger(failOnLine), {
    state,
  } as AccessIndex);
  await append('channel-7-staging', 'BuildPaused', { buildId: 1 });
  await changes.onApplicationBootstrap();
  changes.listen(({ topic, app, id }, owners) => told.push(`${topic} ${app} ${id} for ${String(owners)}`));
});

afterEach(async () => {
  await changes.onApplicationShutdown();
  await events.close();
});

beforeAll(() => {
  const app = { appId: 'a.b', bundleId: null, name: 'Shop', description: null, platform: 'both' as const };
  for (const [id, ownerId] of [
    [7, 1],
    [8, 2],
  ] as const) {
    const metadata = { commandId: '', actor: '', correlationId: '', causationId: '', at: '2026-01-01T00:00:00.000Z' };
    state.apply({ type: 'AppRegistered', data: { ...app, id, ownerId, tokenId: null }, metadata });
  }
});

it('begins at the head that an event store reports once it is available', async () => {
  const logger = recordingLogger();
  const head = jest.spyOn(events, 'head').mockRejectedValueOnce(new Error('away'));
  const [messaging, members] = [{} as Messaging, {} as ReplicaPositions];
  const late = new Changes(events, messaging, members, readSettings({}), logger, {
    state,
  } as AccessIndex);
  await late.onApplicationBootstrap();
  expect(head).toHaveBeenCalledTimes(2);
  expect(logger.messages).toEqual(['The feed of changes stopped: away', 'The feed of changes continues.']);
  await late.onApplicationShutdown();
});

async function append(stream: string, type: string, ...all: object[]): Promise<string> {
  const commandId = newCommandId();
  const by = { commandId, actor: 'owner:1', correlationId: commandId, causationId: commandId };
  const metadata = { ...by, at: '2026-01-01T00:00:00.000Z' };
  const made = all.map((data) => ({ id: newCommandId(), type, data, metadata }));
  let last = -1;
  for await (const { revision } of events.readStream(stream, { direction: 'backwards', limit: 1 })) last = revision;
  return (await events.append(stream, last === -1 ? 'none' : last, made)).position;
}

it('are sent once the service that shows them has applied them, those before the start never', async () => {
  const position = await append('channel-7-production', 'BuildPaused', { buildId: 9 });
  await eventually(() => asked.length > 0);
  expect(asked).toMatchObject([{ pattern: 'build-pipeline.projectionsApplied', position }]);
  await delay(5);
  expect(told).toEqual([]);
  asked[0]!.answer();
  await eventually(() => told.length > 0);
  expect(told).toEqual(['builds 7 9 for 1']);
});

it('are sent although this service, or another, is unavailable', async () => {
  await append('apiKeys-7', 'ApiKeyRevoked', { id: 3 });
  await eventually(() => asked.length > 0);
  await append('channel-8-production', 'BuildPaused', { buildId: 9 });
  await eventually(() => asked.length > 1);
  asked[1]!.answer();
  await eventually(() => told.length > 0);
  expect(told).toEqual(['builds 8 9 for 2']);
  asked[0]!.answer(new Error('away'));
  await eventually(() => told.length > 1);
  expect(told[1]).toBe('keys 7 3 for 1');
});

it('are sent as one if they arrive together: with the id of the only thing, or without', async () => {
  await append('channel-7-production', 'BuildEdited', { buildId: 9 }, { buildId: 9 }, { buildId: 9 });
  await append('channel-8-production', 'BuildEdited', { buildId: 1 }, { buildId: 2 }, { buildId: 1 });
  await eventually(() => asked.length > 0);
  asked[0]!.answer();
  await eventually(() => told.length > 0);
  // Changes after the first was taken are sent in a later round.
  for (let round = 1; told.length < 2; round += 1) {
    await eventually(() => asked.length > round);
    asked[round]!.answer();
    await eventually(() => told.length > round);
  }
  expect([...new Set(told)].sort()).toEqual(['builds 7 9 for 1', 'builds 8 undefined for 2']);
});

it('of a job are sent with the app that its first event names', async () => {
  const job = 'job-01ARZ3NDEKTSV4RRFFQ69G5FAV';
  await append(job, 'JobQueued', { appId: 8, channel: 'staging', buildId: 9 });
  await append(job, 'JobClaimed', { holder: 'x', attempt: 1 });
  await eventually(() => asked.length > 0);
  asked[0]!.answer();
  await eventually(() => told.length > 0);
  expect(told[0]).toBe('jobs 8 01ARZ3NDEKTSV4RRFFQ69G5FAV for 2');
});

it('of the listings go to the operator, and of an owner to that owner and the operator', async () => {
  await append('merchant-default', 'FeedSettingsChanged', { changes: {} });
  await append('owner-2', 'OwnerKeyRotated', { id: 2 });
  await eventually(() => asked.length === 2);
  for (const { answer } of asked) answer();
  await eventually(() => told.length === 2);
  expect(told.sort()).toEqual(['listings null undefined for 1', 'owner null 2 for 2,1']);
});

it('are settled once every service has applied what was handled', async () => {
  let settled = false;
  void changes.settled().then(() => (settled = true));
  await eventually(() => asked.length === 4);
  for (const { answer } of asked.slice(1)) answer();
  await delay(5);
  expect(settled).toBe(false);
  asked[0]!.answer();
  await eventually(() => settled);
});
