import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keysHistory } from '@sluice/contracts';
import type { EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import type { DomainEvent } from '@sluice/kernel';
import { PARCELS, parcels, moved, sent } from '../document-store/parcels.contract';
import { defineHistory } from './history';

/** Parcels, told as if each were the build of the number in its id. */
const history = defineHistory({
  calls: keysHistory,
  projection: parcels,
  collection: PARCELS,
  streams: (appId) => [`parcel-${appId}-a`, `parcel-${appId}-b`],
  subject: ({ data: { id } }) => (typeof id === 'string' ? { buildId: Number(id) } : {}),
  view: ({ depot, moves }) => ({ depot, moves }),
});

let folder: string;
let events: EventStore;
let written = 0;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-history-'));
  events = await openSqliteEventStore({ path: join(folder, 'events.db') });
});
afterEach(async () => {
  await events.close();
  await rm(folder, { recursive: true });
});

async function happened(stream: string, event: DomainEvent, actor = 'token:1'): Promise<void> {
  let revision = -1;
  for await (const last of events.readStream(stream)) revision = last.revision;
  const id = `00000000-0000-4000-8000-${String((written += 1)).padStart(12, '0')}`;
  const metadata = { commandId: id, actor, correlationId: id, causationId: id, at: '2026-01-01T00:00:00.000Z' };
  await events.append(stream, revision < 0 ? 'none' : revision, [{ ...event, id, metadata }]);
}

/** The whole history by both calls, oldest first. */
async function told(filter: { buildId?: number; type?: string; actor?: string } = {}) {
  const { positions, total } = await history.positions(events, { appId: 7, ...filter, newest: 100 });
  expect(total).toBe(positions.length);
  expect(positions).toEqual([...positions].sort().reverse());
  if (positions.length === 0) return [];
  const range = { first: positions.at(-1)!, last: positions[0]! };
  const entries = await history.entries(events, { appId: 7, ...filter, ...range });
  expect(entries.map(({ position }) => position).reverse()).toEqual(positions);
  return entries.map(({ entry }) => entry);
}

const delivered = (id: string): DomainEvent => ({ type: 'Delivered', data: { id } });

it('tells what was made, changed and deleted, over several streams in the store’s order', async () => {
  await happened('parcel-7-a', sent('1'));
  await happened('parcel-7-b', sent('2'));
  await happened('parcel-8-a', sent('3'));
  await happened('parcel-7-a', moved('1'));
  await happened('parcel-7-b', delivered('2'));
  expect((await told()).map((entry) => [entry.build_id, entry.before, entry.after])).toEqual([
    [1, null, { depot: 'north', moves: 0 }],
    [2, null, { depot: 'north', moves: 0 }],
    [1, { depot: 'north', moves: 0 }, { depot: 'south', moves: 1 }],
    [2, { depot: 'north', moves: 0 }, null],
  ]);
});

it('knows what one build was before, also where the answer begins later', async () => {
  await happened('parcel-7-a', sent('1'));
  await happened('parcel-7-a', moved('1'));
  await happened('parcel-7-a', moved('1', 'west'), 'owner:1');
  await happened('parcel-7-a', moved('2', 'west'), 'owner:1');
  expect(await told({ buildId: 1, actor: 'owner:1' })).toMatchObject([
    { before: { depot: 'south', moves: 1 }, after: { depot: 'west', moves: 2 } },
  ]);
});

it('counts all, and names the positions of the latest alone', async () => {
  for (let n = 1; n <= 25; n += 1) await happened('parcel-7-a', sent(String(n)));
  const whole = await history.positions(events, { appId: 7, newest: 100 });
  for (const newest of [0, 1, 4, 24, 25]) {
    const { positions, total } = await history.positions(events, { appId: 7, newest });
    expect({ positions, total }).toEqual({ positions: whole.positions.slice(0, newest), total: 25 });
  }
});

it('says nothing of members that an event did not change, nor of an event that changed many rows', async () => {
  await happened('parcel-7-a', sent('1'));
  await happened('parcel-7-a', sent('2'));
  await happened('parcel-7-a', { type: 'Weighed', data: { id: '1', grams: 5 } });
  await happened('parcel-7-a', { type: 'DepotClosed', data: { depot: 'north' } });
  expect((await told()).slice(2)).toMatchObject([
    { type: 'Weighed', build_id: 1, before: null, after: null },
    { type: 'DepotClosed', build_id: null, before: null, after: null },
  ]);
});

it('answers 503 for events of a newer release, whose meaning it does not know', async () => {
  await happened('parcel-7-a', sent('1'));
  await happened('parcel-7-a', { type: 'Teleported', data: { id: '1' } });
  await expect(told()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
});
