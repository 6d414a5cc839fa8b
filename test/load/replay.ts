import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { randomUUID } from 'node:crypto';
import { type Collection, createProjections, type Projection, type Row } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { type DomainEvent, newUlid } from '@sluice/kernel';
import type { EventStore, NewEvent } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { bench, type Bench } from './bench';

/** Events a second from the embedded event store into an embedded read model: `replay.ts [events]`. */

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
    report: (message) => console.error(message),
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
  judge(category, EVENTS / seconds, 'events/s', { atLeast: 50_000 });
  say(
    `into ${rows} rows, ${((user + system) / EVENTS).toFixed(1)} µs of CPU each; thread held up ${p50} ms (p99 ${p99}, max ${max})`,
  );
  await projections.close();
  await documents.close();
}

void bench('replay', async (run) => {
  const events = await openSqliteEventStore({ path: join(run.folder, 'events.db') });
  try {
    await fill(run, events, 'sends', 10);
    await fill(run, events, 'scans', 5);
    await replay(run, events, 'sends');
    await replay(run, events, 'scans');
  } finally {
    await events.close();
  }
});
