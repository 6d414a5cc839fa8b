import { join } from 'node:path';
import { type Clock, type Decider, DomainError, stableUuid, UnavailableError, UnknownEventError } from '@sluice/kernel';
import { temporaryDirectory } from '@sluice/testing';
import fc from 'fast-check';
import { type CommandContext, type CommandHandling, createCommandHandling } from './command-handling';
import { all, failure, newEvent } from './contract/events.contract';
import { type EventStore, EventStoreUnavailableError, type Position, START, WrongExpectedRevisionError } from './port';
import { openSqliteEventStore } from './sqlite';

type Deposited = { readonly type: 'Deposited'; readonly data: { readonly amount: number } };
type Deposit = { readonly amounts: readonly number[] };

/** An account: a command deposits several amounts; the balance stays below 1,000. */
const account: Decider<{ readonly balance: number }, Deposit, Deposited> = {
  initialState: () => ({ balance: 0 }),
  decide: ({ amounts }, { balance }) => {
    if (balance + amounts.reduce((sum, amount) => sum + amount, 0) >= 1_000) {
      throw new DomainError('STORAGE_LIMIT_REACHED', 'The balance would be too large.');
    }
    return amounts.map((amount) => ({ type: 'Deposited', data: { amount } }));
  },
  evolve: ({ balance }, { type, data }) => {
    if ((type as string) !== 'Deposited') throw new UnknownEventError(type);
    return { balance: balance + data.amount };
  },
};

const context = (commandId: string): CommandContext => ({ commandId, actor: 'token:7' });

let folder: string;
let store: EventStore;
let now: number;
let elapsed: number;
const clock: Clock = { now: () => new Date(now), monotonic: () => elapsed };
const openStore = () => openSqliteEventStore({ path: join(folder, 'events.db') });

beforeEach(async () => {
  folder = temporaryDirectory();
  store = await openStore();
  now = Date.parse('2026-01-01T00:00:00Z');
  elapsed = 0;
});
afterEach(() => store.close());

/** The store with some of its operations replaced. */
const storeWith = (replaced: Partial<EventStore>): EventStore => ({ ...store, ...replaced });

describe('a command', () => {
  it('appends what was decided and answers the state after it', async () => {
    const commands = createCommandHandling({ store, clock });
    await commands.handle(account, 'account-1', { amounts: [1] }, context('c1'));
    const handled = await commands.handle(account, 'account-1', { amounts: [2, 3] }, context('c2'));
    const stored = await all(store.readStream('account-1'));
    expect(handled).toEqual({
      state: { balance: 6 },
      events: stored.slice(1),
      revision: 2,
      position: stored[2]!.position,
      repeated: false,
    });
    expect(stored.map(({ id }) => id)).toEqual([
      stableUuid('c1', 'account-1', 0),
      stableUuid('c2', 'account-1', 0),
      stableUuid('c2', 'account-1', 1),
    ]);
  });

  it('leaves its context and the time in the metadata', async () => {
    const commands = createCommandHandling({ store, clock });
    await commands.handle(account, 'account-1', { amounts: [1] }, context('c1'));
    const full = { ...context('c2'), correlationId: 'r', causationId: 'e', traceparent: '00-1-2-01', bodyHash: 'f00d' };
    await commands.handle(account, 'account-1', { amounts: [1] }, full);
    const at = '2026-01-01T00:00:00.000Z';
    expect((await all(store.readStream('account-1'))).map(({ metadata }) => metadata)).toEqual([
      { commandId: 'c1', actor: 'token:7', correlationId: 'c1', causationId: 'c1', at },
      { ...full, at },
    ]);
  });

  it('that is refused appends nothing and throws what decide threw', async () => {
    const commands = createCommandHandling({ store, clock });
    const refused = await failure(commands.handle(account, 'account-1', { amounts: [5, 995] }, context('c1')));
    expect(refused).toMatchObject({ name: 'DomainError', code: 'STORAGE_LIMIT_REACHED' });
    expect(await all(store.readStream('account-1'))).toEqual([]);
  });

  it('that changes nothing returns the current state of the stream', async () => {
    const commands = createCommandHandling({ store, clock });
    const nothing = { amounts: [] };
    expect(await commands.handle(account, 'account-1', nothing, context('c1'))).toEqual({
      state: { balance: 0 },
      events: [],
      revision: 'none',
      position: START,
      repeated: false,
    });
    const { position } = await commands.handle(account, 'account-1', { amounts: [4] }, context('c2'));
    expect(await commands.handle(account, 'account-1', nothing, context('c3'))).toMatchObject({
      state: { balance: 4 },
      revision: 0,
      position,
    });
  });

  it('gives evolve the time that each event records, loaded and just appended', async () => {
    const times: Decider<readonly string[], Deposit, Deposited> = {
      ...account,
      initialState: () => [],
      decide: ({ amounts }) => amounts.map((amount) => ({ type: 'Deposited', data: { amount } })),
      evolve: (state, _event, at) => [...state, at],
    };
    const commands = createCommandHandling({ store, clock });
    await commands.handle(times, 'account-1', { amounts: [1] }, context('c1'));
    now += 1_000;
    const expected = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z', '2026-01-01T00:00:01.000Z'];
    const { state, events } = await commands.handle(times, 'account-1', { amounts: [2, 3] }, context('c2'));
    expect(state).toEqual(expected);
    expect(events.map(({ metadata }) => metadata.at)).toEqual(expected.slice(1));
    now += 1_000;
    expect((await commands.load(times, 'account-1')).state).toEqual(expected);
    expect((await createCommandHandling({ store, clock }).load(times, 'account-1')).state).toEqual(expected);
  });

  it('sees what other processes appended since', async () => {
    const [here, there] = [createCommandHandling({ store, clock }), createCommandHandling({ store, clock })];
    await here.handle(account, 'account-1', { amounts: [1] }, context('c1'));
    await there.handle(account, 'account-1', { amounts: [2] }, context('c2'));
    expect((await here.handle(account, 'account-1', { amounts: [4] }, context('c3'))).state).toEqual({ balance: 7 });
    expect(await there.load(account, 'account-1')).toMatchObject({ state: { balance: 7 }, revision: 2 });
  });

  it('counts once though the state is loaded while its append is under way', async () => {
    const commands = createCommandHandling({
      clock,
      store: storeWith({
        append: async (...given) => {
          const appended = await store.append(...given);
          await commands.load(account, given[0]);
          return appended;
        },
      }),
    });
    for (const [commandId, balance] of Object.entries({ c1: 3, c2: 6 })) {
      const handled = await commands.handle(account, 'account-1', { amounts: [1, 2] }, context(commandId));
      expect(handled.state).toEqual({ balance });
      expect((await commands.load(account, 'account-1')).state).toEqual({ balance });
    }
  });

  it('is decided by its own decider, also on a stream that another one has read', async () => {
    const counter: Decider<number, Deposit, Deposited> = {
      initialState: () => 0,
      decide: () => [],
      evolve: (count) => count + 1,
    };
    const commands = createCommandHandling({ store, clock });
    await commands.handle(account, 'account-1', { amounts: [10, 20] }, context('c1'));
    expect((await commands.load(counter, 'account-1')).state).toBe(2);
    expect((await commands.load(account, 'account-1')).state).toEqual({ balance: 30 });
  });

  it('finds its state again when the stream left the cache', async () => {
    const commands = createCommandHandling({ store, clock, cachedStreams: 1 });
    for (const stream of ['account-1', 'account-2', 'account-1', 'account-2']) {
      await commands.handle(account, stream, { amounts: [3] }, context(`${stream}-${now++}`));
    }
    expect((await commands.load(account, 'account-1')).state).toEqual({ balance: 6 });
  });
});

describe('a repeated command', () => {
  it.each([
    [
      'the same process',
      () => Promise.resolve({ again: createCommandHandling({ store, clock }), close: () => Promise.resolve() }),
    ],
    [
      'another one',
      async () => {
        const other = await openStore();
        return { again: createCommandHandling({ store: other, clock }), close: () => other.close() };
      },
    ],
  ])('in %s appends nothing and answers its first events with the state of now', async (_where, other) => {
    const commands = createCommandHandling({ store, clock });
    const first = await commands.handle(account, 'account-1', { amounts: [1, 2] }, context('c1'));
    const later = await commands.handle(account, 'account-1', { amounts: [4] }, context('c2'));
    const { again, close } = await other();
    for (const handling of [commands, again]) {
      expect(await handling.handle(account, 'account-1', { amounts: [1, 2] }, context('c1'))).toEqual({
        state: { balance: 7 },
        events: first.events,
        revision: 2,
        position: later.position,
        repeated: true,
      });
    }
    expect(await all(store.readStream('account-1'))).toHaveLength(3);
    await close();
  });

  it('is found before anything is decided, and refused with another body, after a restart too', async () => {
    const named = { ...context('c1'), bodyHash: 'f00d' };
    const other = { ...named, bodyHash: 'beef' };
    await createCommandHandling({ store, clock }).handle(account, 'account-1', { amounts: [1] }, named);
    const commands = createCommandHandling({ store, clock });
    expect(await commands.repeat(account, 'account-1', named)).toMatchObject({ repeated: true, state: { balance: 1 } });
    expect(await commands.repeat(account, 'account-1', context('c2'))).toBeUndefined();
    const reused = { code: 'IDEMPOTENCY_KEY_REUSED' };
    await expect(commands.repeat(account, 'account-1', other)).rejects.toMatchObject(reused);
    await expect(commands.handle(account, 'account-1', { amounts: [2] }, other)).rejects.toMatchObject(reused);
  });

  it('counts for 24 hours and on its own stream alone', async () => {
    const commands = createCommandHandling({ store, clock });
    const deposit = async (stream: string) =>
      (await commands.handle(account, stream, { amounts: [1] }, context('c1'))).repeated;
    expect(await deposit('account-1')).toBe(false);
    expect(await deposit('account-2')).toBe(false);
    now += 24 * 3_600_000 - 1;
    expect(await deposit('account-1')).toBe(true);
    now += 1;
    expect(await deposit('account-1')).toBe(false);
    expect(await createCommandHandling({ store, clock }).load(account, 'account-1')).toMatchObject({
      state: { balance: 2 },
    });
  });

  it('is recognised when it runs concurrently with the first, in one process and in two', async () => {
    const other = await openStore();
    const handlings = [createCommandHandling({ store, clock }), createCommandHandling({ store: other, clock })];
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        handlings[index % 2]!.handle(account, 'account-1', { amounts: [1, 1] }, context('same')),
      ),
    );
    expect(results.filter(({ repeated }) => !repeated).length).toBeLessThanOrEqual(2);
    for (const { events } of results) expect(events).toEqual(results[0]!.events);
    expect(await all(store.readStream('account-1'))).toHaveLength(2);
    await other.close();
  });

  it('is recognised when the answer to its own append was lost', async () => {
    let lost = false;
    const losing = storeWith({
      append: async (...given) => {
        const appended = await store.append(...given);
        if (lost) return appended;
        lost = true;
        throw new WrongExpectedRevisionError(given[0], given[1], appended.revision);
      },
    });
    const handled = await createCommandHandling({ store: losing, clock }).handle(
      account,
      'account-1',
      { amounts: [1, 2] },
      context('c1'),
    );
    expect(handled).toMatchObject({ repeated: true, state: { balance: 3 }, revision: 1 });
    expect(handled.events).toEqual(await all(store.readStream('account-1')));
  });
});

describe('visibility', () => {
  let waits: [stream: string, position: Position][];
  let commands: CommandHandling;
  beforeEach(() => {
    waits = [];
    commands = createCommandHandling({
      store,
      clock,
      visible: (stream, position) => {
        waits.push([stream, position]);
        return Promise.resolve();
      },
    });
  });

  it('is awaited for new events, repeats and commands that change nothing', async () => {
    await commands.handle(account, 'account-1', { amounts: [] }, context('c0'));
    expect(waits).toEqual([]);
    const { position } = await commands.handle(account, 'account-1', { amounts: [1] }, context('c1'));
    await commands.handle(account, 'account-1', { amounts: [1] }, context('c1'));
    await commands.handle(account, 'account-1', { amounts: [] }, context('c2'));
    expect(waits).toEqual(Array(3).fill(['account-1', position]));
  });

  it('is not awaited when no reader is affected', async () => {
    await commands.handle(account, 'account-1', { amounts: [1] }, context('c1'), { waitForReaders: false });
    expect(waits).toEqual([]);
  });

  it('does not hold up the next command of the stream', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const waiting = createCommandHandling({ store, clock, visible: () => released });
    const first = waiting.handle(account, 'account-1', { amounts: [1] }, context('c1'));
    await waiting.handle(account, 'account-1', { amounts: [2] }, context('c2'), { waitForReaders: false });
    release();
    expect((await first).state).toEqual({ balance: 1 });
  });
});

describe('trouble', () => {
  const away = (written: 'no' | 'unknown') => new EventStoreUnavailableError('The disk is unavailable.', written);

  it.each(['no', 'unknown'] as const)(
    'with an append whose outcome is "%s" is rejected; the repeat finds the outcome',
    async (written) => {
      let failing = true;
      const commands = createCommandHandling({
        clock,
        store: storeWith({
          append: async (...given) => {
            if (!failing) return store.append(...given);
            failing = false;
            if (written === 'unknown') await store.append(...given);
            throw away(written);
          },
        }),
      });
      const command = () => commands.handle(account, 'account-1', { amounts: [1] }, context('c1'));
      const refused = await failure(command());
      expect(refused).toBeInstanceOf(UnavailableError);
      expect(refused).toMatchObject({
        message: expect.not.stringContaining('disk'),
        done: written,
        cause: { written },
      });
      expect(await command()).toMatchObject({ state: { balance: 1 }, repeated: written === 'unknown' });
      expect(await all(store.readStream('account-1'))).toHaveLength(1);
    },
  );

  it('with reading is rejected', async () => {
    const commands = createCommandHandling({
      clock,
      store: storeWith({
        readStream: () => {
          throw away('no');
        },
      }),
    });
    const refused = await failure(commands.handle(account, 'account-1', { amounts: [1] }, context('c1')));
    expect(refused).toBeInstanceOf(UnavailableError);
    expect(refused).toMatchObject({ done: 'no' });
    expect(await failure(commands.load(account, 'account-1'))).toBeInstanceOf(UnavailableError);
  });

  it('with reading back what was appended does not say that nothing was done', async () => {
    let appended = false;
    const commands = createCommandHandling({
      clock,
      store: storeWith({
        append: async (...given) => {
          const answer = await store.append(...given);
          appended = true;
          return answer;
        },
        readStream: (...given) => {
          if (appended) throw away('no');
          return store.readStream(...given);
        },
      }),
    });
    const refused = await failure(commands.handle(account, 'account-1', { amounts: [1] }, context('c1')));
    expect(refused).toBeInstanceOf(UnavailableError);
    expect(refused).toMatchObject({ done: 'unknown' });
  });

  it('with an event of a newer release rejects every command on that stream', async () => {
    const commands = createCommandHandling({ store, clock });
    await commands.handle(account, 'account-1', { amounts: [1] }, context('c1'));
    await store.append('account-1', 0, [newEvent('Blocked')]);
    for (const commandId of ['c2', 'c3']) {
      const refused = await failure(commands.handle(account, 'account-1', { amounts: [1] }, context(commandId)));
      expect(refused).toBeInstanceOf(UnavailableError);
      expect(refused).toMatchObject({ message: expect.stringContaining('"Blocked"'), done: 'no' });
    }
    expect(await all(store.readStream('account-1'))).toHaveLength(2);
  });

  it('with others who are always first ends when the budget is spent', async () => {
    let attempts = 0;
    const commands = createCommandHandling({
      clock,
      store: storeWith({
        append: (stream, expected) => {
          attempts += 1;
          elapsed += 40;
          return Promise.reject(new WrongExpectedRevisionError(stream, expected, 9));
        },
      }),
    });
    const command = commands.handle(account, 'account-1', { amounts: [1] }, context('c1'), { budgetMs: 100 });
    const refused = await failure(command);
    expect(refused).toBeInstanceOf(UnavailableError);
    expect(refused).toMatchObject({ done: 'no' });
    expect(attempts).toBe(3);
  });

  it('of one command leaves those behind it alone', async () => {
    const commands = createCommandHandling({ store, clock });
    const results = await Promise.allSettled(
      [1, 2_000, 3].map((amount) =>
        commands.handle(account, 'account-1', { amounts: [amount] }, context(`c${amount}`)),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });
});

describe('commands at the same time', () => {
  it('through two handlings on one file lose nothing, double nothing and keep the rule', async () => {
    const other = await openStore();
    const handlings = [store, other].map((each) => createCommandHandling({ store: each, clock }));
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            handling: fc.integer({ min: 0, max: 1 }),
            command: fc.integer({ min: 0, max: 8 }),
            amounts: fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 3 }),
          }),
          { minLength: 2, maxLength: 24 },
        ),
        async (calls) => {
          const stream = `account-${(round += 1)}`;
          const given = new Map(calls.map(({ command, amounts }) => [command, amounts]));
          const results = await Promise.allSettled(
            calls.map(async ({ handling, command }) => ({
              command,
              ...(await handlings[handling]!.handle(
                account,
                stream,
                { amounts: given.get(command)! },
                context(`c${command}`),
              )),
            })),
          );
          const stored = await all(store.readStream(stream));
          const balance = stored.reduce((sum, { data }) => sum + Number(data.amount), 0);
          expect(balance).toBeLessThan(1_000);
          for (const result of results) {
            if (result.status === 'rejected') {
              expect(result.reason).toMatchObject({ code: 'STORAGE_LIMIT_REACHED' });
              continue;
            }
            const { command, events } = result.value;
            expect(events).toEqual(stored.filter(({ metadata }) => metadata.commandId === `c${command}`));
            expect(events.map(({ data }) => data.amount)).toEqual(given.get(command));
          }
          for (const handling of handlings) {
            expect(await handling.load(account, stream)).toMatchObject({ state: { balance } });
          }
        },
      ),
      { numRuns: 40 },
    );
    await other.close();
  }, 60_000);
});
