import { join } from 'node:path';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { temporaryDirectory } from '@sluice/testing';
import { memoryLimiter, SharedLimiter, sweepLimits } from './shared-limiter';

const options = { points: 10, duration: 60, keyPrefix: 'token' };

let folder: string;
let stores: DocumentStore[];

/** A limiter as another process would have it: on a connection of its own. */
async function openLimiter(wish: Partial<typeof options> = {}) {
  const store = await openSqliteDocumentStore({ path: join(folder, 'state.db') });
  stores.push(store);
  return { limiter: new SharedLimiter(store, { ...options, ...wish }), store };
}

beforeEach(() => {
  folder = temporaryDirectory();
  stores = [];
});

afterEach(async () => {
  for (const store of stores) await store.close();
});

it('lets exactly the budget pass in two processes together, and reports what remains', async () => {
  const limiters = [(await openLimiter()).limiter, (await openLimiter()).limiter];
  const uses = await Promise.all(Array.from({ length: 40 }, (_, use) => limiters[use % 2]!.consume(7)));
  const passed = uses.filter(({ consumedPoints }) => consumedPoints <= 10);
  expect(passed.map(({ remainingPoints }) => remainingPoints).sort((a, b) => a - b)).toEqual([
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
  ]);
  for (const { msBeforeNext } of uses) {
    expect(msBeforeNext).toBeGreaterThan(0);
    expect(msBeforeNext).toBeLessThanOrEqual(60_000);
  }
});

it('counts subjects and limits apart', async () => {
  const { limiter: uploads } = await openLimiter({ points: 1, keyPrefix: 'uploads' });
  const { limiter: requests } = await openLimiter({ points: 1 });
  expect((await uploads.consume(7)).consumedPoints).toBe(1);
  expect((await uploads.consume(8)).consumedPoints).toBe(1);
  expect((await requests.consume(7)).consumedPoints).toBe(1);
  expect((await uploads.consume(7)).consumedPoints).toBe(2);
});

it.each(['the state store', 'memory'])('takes a use back, in %s', async (kept) => {
  const { limiter, store } = await openLimiter();
  if (kept === 'memory') await store.close();
  await limiter.consume(7);
  await limiter.consume(7);
  await limiter.credit(7);
  expect((await limiter.consume(7)).consumedPoints).toBe(2);
  await limiter.credit(8);
  expect((await limiter.consume(8)).consumedPoints).toBeLessThanOrEqual(1);
});

it('begins again when the window has ended, and a sweep deletes the former one', async () => {
  const { limiter, store } = await openLimiter();
  const rows = store.rows<{ id: string; used: number; endsAt: number }>({ name: 'limitUsage', indexes: [] });
  await rows.put({ id: 'token:7', used: 10, endsAt: Date.now() - 1 });
  await rows.put({ id: 'token:8', used: 10, endsAt: Date.now() - 1 });
  expect((await limiter.consume(7)).remainingPoints).toBe(9);
  expect(await sweepLimits(store)).toBe(1);
  expect((await rows.find()).map(({ id }) => id)).toEqual(['token:7']);
});

it('counts in memory while the store is unavailable', async () => {
  const { limiter, store } = await openLimiter();
  await store.close();
  const left = [];
  for (let use = 0; use < 10; use += 1) left.push((await limiter.consume(7)).remainingPoints);
  expect(left).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  expect((await limiter.consume(7)).consumedPoints).toBe(11);
});

describe('a budget in memory', () => {
  it('counts subjects apart, and again from the start once a window has ended', async () => {
    jest.useFakeTimers();
    const limiter = memoryLimiter({ ...options, points: 1 });
    expect((await limiter.consume(7)).consumedPoints).toBe(1);
    expect(await limiter.consume(7)).toMatchObject({ consumedPoints: 2, remainingPoints: 0, msBeforeNext: 60_000 });
    expect((await limiter.consume(8)).consumedPoints).toBe(1);
    await limiter.credit(7);
    await limiter.credit(9);
    expect((await limiter.consume(7)).consumedPoints).toBe(2);
    jest.advanceTimersByTime(60_000);
    expect((await limiter.consume(7)).consumedPoints).toBe(1);
    jest.useRealTimers();
  });

  it('forgets the subject that was quiet for longest when it counts too many', async () => {
    const limiter = memoryLimiter(options, 2);
    for (const subject of ['busy', 'quiet', 'busy', 'new']) await limiter.consume(subject);
    expect((await limiter.consume('busy')).consumedPoints).toBe(3);
    expect((await limiter.consume('quiet')).consumedPoints).toBe(1);
  });
});
