import { join } from 'node:path';
import { createCommandHandling, type CommandHandling, type EventStore, START } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, systemClock } from '@sluice/kernel';
import { installation, INSTALLATION_STREAM, TARGETING_FORMAT } from '@sluice/service-host';
import { temporaryDirectory } from '@sluice/testing';
import { ChannelHandlers } from './channel.handlers';

let store: EventStore;
let commands: CommandHandling;
let handlers: ChannelHandlers;

beforeEach(async () => {
  store = await openSqliteEventStore({ path: join(temporaryDirectory(), 'events.db') });
  commands = createCommandHandling({ store, clock: systemClock });
  handlers = new ChannelHandlers(commands, { channelLimit: 10 });
});
afterEach(() => store.close());

const caller = () => ({ actor: 'token:1', commandId: newCommandId() });

it('needs an installation format for what earlier releases would ignore, and for nothing else', async () => {
  const audience = { pinned_only: true } as const;
  const pins = { added: 1, removed: 0, devices: 1, until: '2026-01-01T00:00:00.000Z' };
  const narrowing = () => [
    () => handlers.add({ appId: 1, name: 'beta' }, caller()),
    () => handlers.edit({ appId: 1, name: 'staging', audience }, caller()),
    () => handlers.recordPins({ appId: 1, channel: 'staging', ...pins }, caller()),
  ];
  for (const give of narrowing()) await expect(give()).rejects.toMatchObject({ code: 'UPGRADE_NOT_FINISHED' });
  const all = await handlers.edit({ appId: 1, name: 'staging', audience: null }, caller());
  expect(all).toMatchObject({ name: 'staging', standard: true, audience: null });
  expect(await store.head()).toBe(START);

  await commands.handle(installation, INSTALLATION_STREAM, { format: TARGETING_FORMAT, replicas: [] }, caller());
  for (const give of narrowing()) await give();
  expect(await handlers.get({ appId: 1, name: 'staging' })).toMatchObject({ audience });
});
