import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { randomUUID } from 'node:crypto';
import { type Collection, type Row } from '@sluice/document-store';
import { createProjections, type Projection } from '@sluice/projections';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { type DomainEvent, newUlid } from '@sluice/kernel';
import { prefixStreams, START, type EventStore, type NewEvent } from '@sluice/event-store';
import { openEventStoreDb } from '@sluice/event-store/eventstoredb';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { recordingLogger } from '@sluice/testing';
import { bench, decimals, type Bench } from './bench';

/**
 * Events a second from the event store into an embedded read model: `replay.ts [events]`. The event store is that of
 * EVENT_STORE_URL where it is set, else an embedded one.
 */

interface Parcel extends Row {
  readonly depot: string;
  readonly note: string;
  readonly scans: number;
}

type ParcelEvent =
  | DomainEvent<'ParcelSent', { readonly id: string; readonly depot: string; readonly note: string }>
  | DomainEvent<'ParcelScanned', { readonly id: string; readonly depot: string; readonly note: string }>;

const PARCELS: Collection<Parcel> = { name: 'parcels', indexes: [{ fields: ['depot'] }] };

const projectionOf = (name: string, prefix: string): Projection<ParcelEvent> => ({
  name,
  version: 1,
  prefixes: [prefix],
  collections: [PARCELS],
  apply: (event, rows) => {
    const { id, depot, note } = event.data;
    if (event.type !== 'ParcelSent')
      return rows.update(PARCELS, id, (row) => ({ ...row, depot, scans: row.scans + 1 }));
    rows.put(PARCELS, { id, depot, note, scans: 0 });
    return undefined;
  },
});

const EVENTS = Number(process.argv[2] ?? 100_000);
const { EVENT_STORE_URL } = process.env;
/** As many as a process of all services begins with. */
const SUBSCRIPTIONS = 20;
const PER_STREAM = 50;

/** `sent` of ten events send a parcel, the others scan one of the 2,000 parcels sent last. */
async function fill({ say }: Bench, events: EventStore, category: string, sent: number): Promise<void> {
  const ids: string[] = [];
  let bytes = 0;
  for (let stream = 0; stream < EVENTS / PER_STREAM; stream += 64) {
    const appends = Array.from({ length: Math.min(64, EVENTS / PER_STREAM - stream) }, (_, n) => {
      const batch = Array.from({ length: PER_STREAM }, (__, at): NewEvent<ParcelEvent> => {
        const known = at % 10 < sent ? undefined : ids.at(-1 - ((n * 7919 + at * 31) % 2_000));
        const id = known ?? newUlid();
        if (!known) ids.push(id);
        const data = {
          id,
          depot: `depot-${ids.length % 100}`,
          note: 'A note of the length that notes have.'.padEnd(60, '.'),
        };
        const metadata = {
          ...{ commandId: randomUUID(), actor: 'token:7', correlationId: 'c', causationId: 'c' },
          at: '2026-01-01T00:00:00.000Z',
        };
        bytes += JSON.stringify(data).length + JSON.stringify(metadata).length;
        return { id: randomUUID(), type: known ? 'ParcelScanned' : 'ParcelSent', data, metadata };
      });
      return events.append(`${category}-${stream + n}`, 'none', batch);
    });
    await Promise.all(appends);
  }
  say(`${category}: ${EVENTS} events of ${Math.round(bytes / EVENTS)} bytes, ${ids.length} parcels`);
}

async function replay({ folder, say, judge }: Bench, events: EventStore, category: string): Promise<void> {
  const documents = await openSqliteDocumentStore({ path: join(folder, `${category}.db`) });
  const projections = createProjections({
    ...{ events, documents, projections: [projectionOf(category, `${category}-`)] },
    waitMs: 2_000,
    logger: recordingLogger(({ message }) => console.error(message)),
  });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const cpu = process.cpuUsage();
  const begin = performance.now();
  await projections.start();
  await projections.caughtUp;
  const seconds = (performance.now() - begin) / 1000;
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  const rows = await documents.view(category, PARCELS).count();
  const [p50, p99, max] = [delay.percentile(50), delay.percentile(99), delay.max].map((ns) =>
    (ns / 1e6 - 1).toFixed(1),
  );
  judge(category, EVENTS / seconds, 'events/s', { atLeast: EVENT_STORE_URL === undefined ? 50_000 : 20_000 });
  say(
    `into ${rows} rows, ${((user + system) / EVENTS).toFixed(1)} µs of CPU each; thread held up ${p50} ms (p99 ${p99}, max ${max})`,
  );
  await projections.close();
  await documents.close();
}

/** How long the log takes to be read, and to be passed over by subscriptions to other streams that begin together. */
async function readAndPass({ say }: Bench, events: EventStore): Promise<void> {
  const begin = performance.now();
  let read = 0;
  for await (const { revision } of events.readAll()) if (revision >= 0) read += 1;
  const seconds = (performance.now() - begin) / 1_000;
  const passing = performance.now();
  const subscriptions = Array.from({ length: SUBSCRIPTIONS }, (_, n) =>
    events.subscribe({ after: START, prefixes: [`other-${n}-`, 'sends-1-'], handle: () => Promise.resolve() }),
  );
  await Promise.all(subscriptions.map(({ caughtUp }) => caughtUp));
  say(
    `the log of ${read} events read at ${decimals(read / seconds)}/s; ${SUBSCRIPTIONS} subscriptions passed over it in ` +
      `${decimals((performance.now() - passing) / 1_000)} s`,
  );
  await Promise.all(subscriptions.map((subscription) => subscription.close()));
}

async function openEvents(folder: string): Promise<EventStore> {
  if (EVENT_STORE_URL === undefined) return openSqliteEventStore({ path: join(folder, 'events.db') });
  return prefixStreams(openEventStoreDb({ url: EVENT_STORE_URL }), `bench.${newUlid()}.`);
}

void bench('replay', async (run) => {
  const events = await openEvents(run.folder);
  try {
    await fill(run, events, 'sends', 10);
    await fill(run, events, 'scans', 5);
    await replay(run, events, 'sends');
    await replay(run, events, 'scans');
    await readAndPass(run, events);
  } finally {
    await events.close();
  }
});
