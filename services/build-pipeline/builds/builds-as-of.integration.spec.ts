import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Channel } from '@sluice/contracts';
import { createProjections, type ProjectedRows } from '@sluice/projections';
import { type Row } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import type { EventStore, RecordedEvent } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import type { DomainEvent } from '@sluice/kernel';
import { recordingLogger, temporaryDirectory } from '@sluice/testing';
import fc from 'fast-check';
import { channelStream } from './domain/channel';
import { history } from './builds.history';
import { buildRows, buildsProjection, toBuild, type BuildRow, type BuildWithoutMetadata } from './builds.projection';
import { BuildsAsOf } from './builds-as-of';

const CHANNELS = ['production', 'staging'] as const;
const STATUSES = ['processing', 'active', 'paused', 'archived', 'failed'] as const;
const minute = (n: number): string => new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString();

const steps = fc.array(
  fc.record({
    app: fc.constantFrom(1, 1, 1, 2),
    channel: fc.constantFrom(...CHANNELS),
    what: fc.constantFrom('accept', 'accept', 'activate', 'pause', 'resume', 'roll', 'note', 'archive', 'delete'),
    which: fc.nat(3),
    time: fc.nat(12),
  }),
  { minLength: 40, maxLength: 80 },
);

describe('builds as of a time', () => {
  let folder: string;
  beforeEach(() => {
    folder = temporaryDirectory();
  });

  it('are what a replay of each channel makes of its events before the first later one', async () => {
    let files = 0;
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (given, clocksDiffer) => {
        const file = (files += 1);
        const store = await openSqliteEventStore({ path: join(folder, `events-${file}.db`) });
        const readStore = await openSqliteDocumentStore({ path: join(folder, `read-${file}.db`) });
        const times = new Map<string, string>();
        const events = retimed(store, times);
        const logger = recordingLogger(({ message }) => expect(message).toBe(''));
        const projections = createProjections({
          ...{ events, documents: readStore, projections: [history.projection], waitMs: 20_000, logger },
        });
        await projections.start();
        const asOf = new BuildsAsOf(readStore, projections);
        try {
          const made = new Map<string, number[]>();
          const revisions = new Map<string, number>();
          let builds = 0;
          for (const [at, { app, channel, what, which, time }] of given.entries()) {
            const stream = channelStream(app, channel);
            const known = made.get(stream) ?? [];
            if (what === 'accept') made.set(stream, [...known, (builds += 1)]);
            const buildId = what === 'accept' ? builds : known[which % Math.max(1, known.length)];
            if (buildId === undefined) continue;
            const id = randomUUID();
            times.set(id, minute(clocksDiffer ? Math.max(time, Math.floor(at / 6) - 1) : Math.floor(at / 5)));
            const metadata = { commandId: id, actor: 'token:1', correlationId: id, causationId: id, at: minute(at) };
            const revision = revisions.get(stream) ?? -1;
            revisions.set(stream, revision + 1);
            await events.append(stream, revision < 0 ? 'none' : revision, [
              { ...eventOf(what, buildId, app, channel, at), id, metadata },
            ]);
          }
          const all: RecordedEvent[] = [];
          for await (const event of events.readAll()) all.push(event);

          for (const time of [0, 3, 7, 12, 60]) {
            for (const channel of [undefined, ...CHANNELS]) {
              const expected = await replayed(all, channel === undefined ? CHANNELS : [channel], minute(time));
              for (const status of [undefined, ...STATUSES]) {
                const wanted = expected.filter((build) => (status ?? build.status) === build.status);
                const items: BuildWithoutMetadata[] = [];
                for (let page = 1; page === 1 || items.length === (page - 1) * 2; page += 1) {
                  const found = await asOf.page({ appId: 1, asOf: minute(time), channel, status, page, perPage: 2 });
                  expect(found.total).toBe(wanted.length);
                  if (found.items.length === 0) break;
                  items.push(...found.items);
                }
                expect(items).toEqual(wanted);
              }
            }
            const expected = await replayed(all, CHANNELS, minute(time));
            for (let id = 0; id <= builds + 1; id += 1) {
              expect(await asOf.one(1, id, minute(time))).toEqual(expected.find((build) => build.id === id));
            }
          }
        } finally {
          await projections.close();
          await readStore.close();
          await store.close();
        }
      }),
      { numRuns: 12 },
    );
  }, 120_000);
});

function eventOf(what: string, buildId: number, appId: number, channel: Channel, at: number): DomainEvent {
  switch (what) {
    case 'accept':
      return {
        type: 'BuildAccepted',
        data: {
          ...{ buildId, appId, channel, version: `1.${buildId}.0`, jobId: randomUUID(), bundleId: randomUUID() },
          ...{ objectKey: `bundles/${buildId}.zip`, size: 1, checksum: 'c', signature: null, minNativeVersion: null },
          ...{ releaseNotes: at % 3 === 0 ? null : `Notes ${at % 2}`, rolloutPercentage: 100, mandatory: false },
        },
      };
    case 'roll':
      return { type: 'RolloutChanged', data: { buildId, rolloutPercentage: at, enabled: at % 2 === 0 } };
    case 'note':
      return { type: 'BuildEdited', data: { buildId, releaseNotes: at % 3 === 0 ? null : `Notes ${at}` } };
    case 'delete':
      return { type: 'BuildDeleted', data: { buildId, objectKey: `bundles/${buildId}.zip`, jobId: null } };
    default:
      return {
        type: { activate: 'BuildActivated', pause: 'BuildPaused', resume: 'BuildResumed' }[what] ?? 'BuildArchived',
        data: { buildId },
      };
  }
}

/** The model: app 1's builds, newest first, as the projection makes them of each channel's prefix in memory. */
async function replayed(
  all: readonly RecordedEvent[],
  channels: readonly Channel[],
  asOf: string,
): Promise<BuildWithoutMetadata[]> {
  const rows = new Map<string, Row>();
  const memory: ProjectedRows = {
    put: ({ name }, row) => {
      if (name === buildRows.name) rows.set(row.id, row);
    },
    delete: ({ name }, id) => {
      if (name === buildRows.name) rows.delete(id);
    },
    update: ({ name }, id, change) => {
      const row = name === buildRows.name ? rows.get(id) : undefined;
      const changed = row && change(row as Parameters<typeof change>[0]);
      if (changed) rows.set(id, changed);
      return Promise.resolve();
    },
    deleteWhere: () => Promise.reject(new Error('No event of builds asks for it.')),
  };
  for (const channel of channels) {
    for (const event of all.filter(({ stream }) => stream === channelStream(1, channel))) {
      if (event.recordedAt > asOf) break;
      await (buildsProjection.apply as (event: RecordedEvent, rows: ProjectedRows) => unknown)(event, memory);
    }
  }
  const builds = [...rows.values()] as BuildRow[];
  return builds.sort((one, other) => (one.position < other.position ? 1 : -1)).map(toBuild);
}

/** The same store, whose clock said these times. By event id. */
function retimed(events: EventStore, times: ReadonlyMap<string, string>): EventStore {
  const at = (event: RecordedEvent) => ({ ...event, recordedAt: times.get(event.id) ?? event.recordedAt });
  async function* each(found: AsyncIterable<RecordedEvent>) {
    for await (const event of found) yield at(event);
  }
  return {
    ...events,
    readStream: (...args) => each(events.readStream(...args)),
    readAll: (...args) => each(events.readAll(...args)),
    subscribe: (options) =>
      events.subscribe({ ...options, handle: (batch) => options.handle({ ...batch, events: batch.events.map(at) }) }),
  };
}
