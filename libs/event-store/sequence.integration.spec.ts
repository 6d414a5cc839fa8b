import { join } from 'node:path';
import { type Clock, UnavailableError } from '@sluice/kernel';
import { temporaryDirectory } from '@sluice/testing';
import { createCommandHandling } from './command-handling';
import { all, failure } from './contract/events.contract';
import { type EventStore, EventStoreUnavailableError } from './port';
import { createSequence, sequence } from './sequence';
import { openSqliteEventStore } from './sqlite';

let folder: string;
let store: EventStore;
let elapsed: number;
const clock: Clock = { now: () => new Date('2026-01-01T00:00:00Z'), monotonic: () => elapsed };
const openStore = () => openSqliteEventStore({ path: join(folder, 'events.db') });
const newSequence = (events = store) =>
  createSequence({ commands: createCommandHandling({ store: events, clock }), name: 'builds', clock });
const blocks = async () => (await all(store.readStream('sequence-builds'))).map(({ data }) => data);

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openStore();
  elapsed = 0;
});
afterEach(() => store.close());

describe('the blocks of a sequence', () => {
  it('follow each other without a gap', () => {
    const [first] = sequence.decide({ size: 4 }, sequence.initialState());
    expect(first).toEqual({ type: 'BlockReserved', data: { first: 1, size: 4 } });
    const state = sequence.evolve(
      sequence.initialState(),
      first!,
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.000Z',
    );
    expect(sequence.decide({ size: 1 }, state)).toEqual([{ type: 'BlockReserved', data: { first: 5, size: 1 } }]);
  });

  it('hold one number each while little is asked for, so that a restart loses none', async () => {
    for (let expected = 1; expected <= 5; expected += 1) {
      expect(await newSequence().next()).toBe(expected);
    }
    const quiet = newSequence();
    for (let expected = 6; expected <= 9; expected += 1) {
      expect(await quiet.next()).toBe(expected);
      elapsed += 60_000;
    }
    expect(await blocks()).toHaveLength(9);
  });

  it('double up to 64 while they are used up quickly, and begin at one again afterwards', async () => {
    const ids = newSequence();
    for (let expected = 1; expected <= 255; expected += 1) expect(await ids.next()).toBe(expected);
    expect((await blocks()).map(({ size }) => size)).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
    elapsed += 60_000;
    await ids.next();
    expect((await blocks()).at(-1)).toEqual({ first: 256, size: 1 });
  });

  it('hold one number for a command that is named, the same for its repeat, wherever it is asked', async () => {
    const context = { commandId: 'c', actor: 'owner:1', bodyHash: 'a' };
    const ids = newSequence();
    expect(await ids.given(context)).toBeUndefined();
    expect(await ids.of(context)).toBe(1);
    expect(await newSequence().given(context)).toBe(1);
    expect(await ids.next()).toBe(2);
    expect(await newSequence().of(context)).toBe(1);
    expect(await ids.of({ ...context, commandId: 'd' })).toBe(3);
    await expect(ids.of({ ...context, bodyHash: 'b' })).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('are shared by those who ask at the same time', async () => {
    const ids = newSequence();
    const numbers = await Promise.all(Array.from({ length: 40 }, () => ids.next()));
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    expect(await blocks()).toEqual([{ first: 1, size: 40 }]);
  });

  it('name the command that asked', async () => {
    const ids = newSequence();
    await ids.next({ commandId: 'c1', actor: 'token:7', traceparent: '00-1-2-01' });
    await ids.next();
    const [asked, unasked] = (await all(store.readStream('sequence-builds'))).map(({ metadata }) => metadata);
    expect(asked).toMatchObject({ actor: 'token:7', correlationId: 'c1', causationId: 'c1', traceparent: '00-1-2-01' });
    expect(asked!.commandId).not.toBe('c1');
    expect(unasked).toMatchObject({ actor: 'system:sequence', correlationId: unasked!.commandId });
  });
});

describe('a number', () => {
  it('is never given twice: two processes, many askers, restarts', async () => {
    const other = await openStore();
    const given: number[] = [];
    for (let restart = 0; restart < 4; restart += 1) {
      const sequences = [newSequence(), newSequence(other)];
      await Promise.all(
        Array.from({ length: 60 }, async (_, asker) => {
          for (let count = 0; count < 3; count += 1) given.push(await sequences[asker % 2]!.next());
        }),
      );
    }
    expect(given).toHaveLength(4 * 60 * 3);
    expect(new Set(given).size).toBe(given.length);
    await other.close();
  });

  it('is not given while the store is unavailable, and again when it is back', async () => {
    let isAway = true;
    const ids = newSequence({
      ...store,
      append: (...given) =>
        isAway ? Promise.reject(new EventStoreUnavailableError('away', 'unknown')) : store.append(...given),
    });
    const refused = await Promise.all([failure(ids.next()), failure(ids.next())]);
    for (const error of refused) {
      expect(error).toBeInstanceOf(UnavailableError);
      expect(error).toMatchObject({ done: 'no' });
    }
    isAway = false;
    expect(await ids.next()).toBe(1);
  });
});
