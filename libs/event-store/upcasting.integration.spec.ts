import { join } from 'node:path';
import { type Decider, systemClock } from '@sluice/kernel';
import { temporaryDirectory } from '@sluice/testing';
import { createCommandHandling } from './command-handling';
import { all, newEvent } from './contract/events.contract';
import { type EventStore, type RecordedEvent, START } from './port';
import { openSqliteEventStore } from './sqlite';
import { upcastEvents, type Upcasters } from './upcasting';

/** Deposited was in whole euros first, then had cents, then a currency. */
type Deposited = { readonly type: 'DepositedIn'; readonly data: { readonly cents: number; readonly currency: string } };
const upcasters: Upcasters = {
  Deposited: ({ amount }) => ({ type: 'DepositedCents', data: { cents: Number(amount) * 100 } }),
  DepositedCents: ({ cents }) => ({ type: 'DepositedIn', data: { cents: cents!, currency: 'EUR' } }),
};
const account: Decider<number, number, Deposited> = {
  initialState: () => 0,
  decide: (cents) => [{ type: 'DepositedIn', data: { cents, currency: 'EUR' } }],
  evolve: (balance, { type, data }) => {
    if ((type as string) !== 'DepositedIn') throw new Error(`The type ${type} reached the decider.`);
    return balance + data.cents;
  },
};

let folder: string;
let stored: EventStore;
let store: EventStore;

beforeEach(async () => {
  folder = temporaryDirectory();
  stored = await openSqliteEventStore({ path: join(folder, 'events.db') });
  store = upcastEvents(stored, upcasters);
  await stored.append('account-1', 'none', [
    newEvent('Deposited', { amount: 1 }),
    newEvent('DepositedCents', { cents: 20 }),
    newEvent('DepositedIn', { cents: 3, currency: 'EUR' }),
  ]);
});
afterEach(() => store.close());

const facts = (events: readonly RecordedEvent[]) => events.map(({ type, data }) => ({ type, data }));
const upcasted = [100, 20, 3].map((cents) => ({ type: 'DepositedIn', data: { cents, currency: 'EUR' } }));

it('gives readers each event under its newest type, with what the store recorded of it', async () => {
  const read = await all(store.readStream('account-1'));
  expect(facts(read)).toEqual(upcasted);
  const before = await all(stored.readStream('account-1'));
  expect(read.map(({ id, position, metadata }) => ({ id, position, metadata }))).toEqual(
    before.map(({ id, position, metadata }) => ({ id, position, metadata })),
  );
  expect(facts(before)[0]).toEqual({ type: 'Deposited', data: { amount: 1 } });
});

it('gives the same to those who read everything and to subscribers', async () => {
  expect(facts(await all(store.readAll()))).toEqual(upcasted);
  const handled: RecordedEvent[] = [];
  const subscription = store.subscribe({
    after: START,
    prefixes: ['account-'],
    handle: ({ events }) => Promise.resolve(void handled.push(...events)),
  });
  await subscription.caughtUp;
  await subscription.close();
  expect(facts(handled)).toEqual(upcasted);
});

it('gives the same to deciders', async () => {
  const commands = createCommandHandling({ store, clock: systemClock });
  expect((await commands.load(account, 'account-1')).state).toBe(123);
  const { state } = await commands.handle(account, 'account-1', 4, { commandId: 'c', actor: 'token:1' });
  expect(state).toBe(127);
});

it('is the store itself without upcasters', () => {
  expect(upcastEvents(stored, {})).toBe(stored);
});
