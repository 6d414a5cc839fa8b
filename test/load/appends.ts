import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type EventStore, type ExpectedRevision, type NewEvent, serializeAppend } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { connect } from '../../libs/event-store/sqlite/database';
import { GroupWriter, NO_EVENTS } from '../../libs/event-store/sqlite/group-writer';
import { bench, decimals } from './bench';

/**
 * Durable appends a second of the embedded event store with 64 writers, compared with the single commits
 * a second of the same file in the same run: `appends.ts [seconds]`.
 */
const WRITERS = 64;
const TARGET = 20_000;
const seconds = Number(process.argv[2] ?? 5);

const event = (): NewEvent => {
  const commandId = randomUUID();
  return {
    id: randomUUID(),
    type: 'BuildAccepted',
    data: {
      buildId: 4711,
      version: '1.2.3',
      sha256: 'a'.repeat(64),
      bytes: 1_234_567,
      job: '01J0000000000000000000000',
    },
    metadata: {
      commandId,
      actor: 'token:12',
      correlationId: commandId,
      causationId: commandId,
      at: new Date().toISOString(),
    },
  };
};

/** Appends one event at a time to a stream of its own until the time is over; answers how many were durable. */
async function write(store: EventStore, stream: string, until: number): Promise<number> {
  let expected: ExpectedRevision = 'none';
  let appended = 0;
  for (; performance.now() < until; appended += 1) {
    expected = (await store.append(stream, expected, [event()])).revision;
  }
  return appended;
}

/** One writer without a thread between: each append is a transaction and a commit of its own. */
function singleRate(path: string): number {
  const database = connect(path);
  const writer = new GroupWriter(database);
  const start = performance.now();
  let revision = NO_EVENTS;
  for (; performance.now() < start + seconds * 1_000; revision += 1) {
    const events = serializeAppend('single-1', 'none', [event()]);
    const [outcome] = writer.write([{ stream: 'single-1', expected: revision, events }]);
    if (outcome?.kind !== 'appended') throw new Error('A single append failed.');
  }
  const rate = ((revision + 1) / (performance.now() - start)) * 1_000;
  database.close();
  return rate;
}

async function rateTogether(store: EventStore): Promise<number> {
  const start = performance.now();
  const until = start + seconds * 1_000;
  const counts = await Promise.all(
    Array.from({ length: WRITERS }, (_, writer) => write(store, `together-${writer}`, until)),
  );
  return (counts.reduce((sum, count) => sum + count, 0) / (performance.now() - start)) * 1_000;
}

void bench('appends', async ({ folder, say, judge }) => {
  const path = join(folder, 'events.db');
  const store = await openSqliteEventStore({ path });
  try {
    const single = singleRate(path);
    const before = process.cpuUsage();
    const together = await rateTogether(store);
    const { user, system } = process.cpuUsage(before);
    say(
      `single-row commits ${decimals(single)}/s, ${decimals(together / single)} times as many by ${WRITERS} writers, who take ${decimals((user + system) / (together * seconds))} µs of CPU each`,
    );
    judge(`${WRITERS} writers`, together, 'appends/s', { atLeast: Math.min(TARGET, (WRITERS / 2) * single) });
  } finally {
    await store.close();
  }
});
