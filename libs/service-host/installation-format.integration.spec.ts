import { join } from 'node:path';
import {
  createCommandHandling,
  EventStoreUnavailableError,
  type EventStore,
  type RecordedEvent,
} from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newCommandId, systemClock } from '@sluice/kernel';
import { temporaryDirectory } from '@sluice/testing';
import {
  installation,
  INSTALLATION_STREAM,
  KNOWN_FORMAT,
  refuseNewerFormat,
  requireFormat,
} from './installation-format';

let events: EventStore;
const processOf = (store: EventStore) => createCommandHandling({ store, clock: systemClock });
const raise = (format: number, commands = processOf(events)) =>
  commands.handle(
    installation,
    INSTALLATION_STREAM,
    { format, replicas: [] },
    { commandId: newCommandId(), actor: 'owner:1' },
  );

beforeEach(async () => {
  events = await openSqliteEventStore({ path: join(temporaryDirectory(), 'events.db') });
});
afterEach(() => events.close());

describe('a command that needs a format', () => {
  it('is rejected until the format is raised, also by another process', async () => {
    const commands = processOf(events);
    await expect(requireFormat(commands, 1)).rejects.toMatchObject({
      code: 'UPGRADE_NOT_FINISHED',
      details: { format: 0, required_format: 1 },
    });
    await raise(1);
    await expect(requireFormat(commands, 1)).resolves.toBeUndefined();
    await expect(requireFormat(commands, 2)).rejects.toMatchObject({ code: 'UPGRADE_NOT_FINISHED' });
  });
});

describe('the format', () => {
  it('is raised by one event, whichever of many processes is faster', async () => {
    await Promise.all(Array.from({ length: 8 }, () => raise(1)));
    const recorded: RecordedEvent[] = [];
    for await (const event of events.readStream(INSTALLATION_STREAM)) recorded.push(event);
    expect(recorded).toMatchObject([
      { type: 'InstallationFormatRaised', data: { format: 1 }, metadata: { actor: 'owner:1' } },
    ]);
  });
});

describe('a start', () => {
  const start = (store = events, isStopping = () => false) => refuseNewerFormat(store, isStopping);

  it('starts with a format that the release supports, and with none', async () => {
    await expect(start()).resolves.toBeUndefined();
    await raise(KNOWN_FORMAT);
    await expect(start()).resolves.toBeUndefined();
  });

  it('fails with a format that the release does not support', async () => {
    await raise(KNOWN_FORMAT + 1);
    await expect(start()).rejects.toThrow(`has format ${KNOWN_FORMAT + 1}`);
  });

  it('waits for an event store that is unavailable, until the process is stopped', async () => {
    jest.useFakeTimers();
    let reads = 0;
    const readStream: EventStore['readStream'] = () => {
      reads += 1;
      throw new EventStoreUnavailableError('No connection.', 'no');
    };
    const started = start({ ...events, readStream }, () => reads === 3);
    await jest.advanceTimersByTimeAsync(2_000);
    jest.useRealTimers();
    await expect(started).resolves.toBeUndefined();
    expect(reads).toBe(3);
  });
});
