import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Build, listBuilds, RequestOf } from '@sluice/contracts';
import type { DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { createCommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { systemClock } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import { createProjections, rebuildProjection, verifyProjection, type Projections } from '@sluice/projections';
import { temporaryDirectory, recordingLogger } from '@sluice/testing';
import fc from 'fast-check';
import { BuildHandlers } from './build.handlers';
import { StoredMetadata } from './build-metadata';
import { BuildResources } from './build-resources';
import { BuildsAsOf } from './builds-as-of';
import { buildsProjection } from './builds.projection';
import { channelDecider, channelStream, type ChannelCommand, type ChannelState } from './domain/channel';
import { PlanSetter } from './plan-setter';
import { PlanEffects } from '../plans/plan-effects';

const APPS = [1, 2];
const CHANNELS = ['production', 'staging'] as const;
const STATUSES = ['uploading', 'processing', 'active', 'paused', 'archived', 'failed'] as const;

/** A command that may be rejected; then nothing happens. */
const wishes = fc.array(
  fc.record({
    appId: fc.constantFrom(...APPS),
    channel: fc.constantFrom(...CHANNELS),
    what: fc.constantFrom('accept', 'accept', 'accept', 'activate', 'activate', 'fail', 'pause', 'archive', 'delete'),
    which: fc.nat(5),
  }),
  { minLength: 1, maxLength: 40 },
);

describe('the list of builds', () => {
  let folder: string;
  let events: EventStore;
  let documents: DocumentStore;
  let projections: Projections;
  let handlers: BuildHandlers;

  beforeEach(async () => {
    folder = temporaryDirectory();
    events = await openSqliteEventStore({ path: join(folder, 'events.db') });
    documents = await openSqliteDocumentStore({ path: join(folder, 'read.db') });
    const logger = recordingLogger(({ message }) => expect(message).toBe(''));
    projections = createProjections({ events, documents, projections: [buildsProjection], waitMs: 20_000, logger });
    await projections.start();
    const commands = createCommandHandling({ store: events, clock: systemClock });
    handlers = new BuildHandlers(
      commands,
      documents,
      new BuildsAsOf(documents, projections),
      new StoredMetadata(documents),
      new BuildResources(documents, projections, new StoredMetadata(documents)),
      new PlanEffects(commands, events),
      new PlanSetter(commands, {} as Messaging, new PlanEffects(commands, events)),
    );
  });
  afterEach(async () => {
    await projections.close();
    await documents.close();
    await events.close();
  });

  const list = (request: Partial<RequestOf<typeof listBuilds>>) =>
    handlers.list({ appId: 1, page: 1, perPage: 50, ...request });

  /** Every page of a list, and the one behind the last: together the whole, and the same total on each. */
  async function pages(request: Partial<RequestOf<typeof listBuilds>>): Promise<Build[]> {
    const builds: Build[] = [];
    for (let page = 1; ; page += 1) {
      const { items, total } = await list({ ...request, page, perPage: 3 });
      builds.push(...items);
      if (items.length > 0) continue;
      expect(total).toBe(builds.length);
      return builds;
    }
  }

  it('is whole and newest first on every page, and its total is what a look at every build counts', async () => {
    let apps = 0;
    let buildId = 0;
    await fc.assert(
      fc.asyncProperty(wishes, fc.constantFrom('closed', 'rebuilt', 'left'), async (given, end) => {
        const states = new Map<string, ChannelState>();
        const revisions = new Map<string, number>();
        const newest: { readonly appId: number; readonly id: number }[] = [];
        let position = '';
        apps += APPS.length;
        const decide = async (appId: number, channel: (typeof CHANNELS)[number], command: ChannelCommand) => {
          const stream = channelStream(appId, channel);
          const state = states.get(stream) ?? channelDecider.initialState();
          const decided = channelDecider.decide(command, state);
          const at = '2026-01-01T00:00:00.000Z';
          if (decided.length === 0) return;
          states.set(
            stream,
            decided.reduce((current, event) => channelDecider.evolve(current, event, at, at), state),
          );
          const revision = revisions.get(stream) ?? -1;
          revisions.set(stream, revision + decided.length);
          const metadata = { commandId: randomUUID(), actor: 'token:1', correlationId: 'c', causationId: 'c' };
          const recorded = decided.map((event) => ({
            ...event,
            ...{ id: randomUUID(), metadata: { ...metadata, at } },
          }));
          ({ position } = await events.append(stream, revision === -1 ? 'none' : revision, recorded));
        };

        for (const wish of given) {
          const [appId, { channel, what, which }] = [apps + wish.appId, wish];
          const ids = [...(states.get(channelStream(appId, channel))?.builds.values() ?? [])].map(
            (each) => each.buildId,
          );
          const id = ids[which % Math.max(1, ids.length)] ?? 0;
          if (what === 'accept') newest.unshift({ appId, id: (buildId += 1) });
          try {
            await decide(appId, channel, commandOf(what, what === 'accept' ? buildId : id, appId, channel));
          } catch (refusal) {
            expect(refusal).toMatchObject({ name: 'DomainError' });
          }
        }
        if (end === 'closed') {
          await decide(apps + 1, 'staging', { type: 'CloseChannel', appId: apps + 1, channel: 'staging' });
          await decide(apps + 1, 'staging', { type: 'EmptyChannel' });
        }
        if (position !== '') await projections.visible('channel-', position);
        if (end === 'rebuilt') await rebuildProjection({ events, documents, projection: buildsProjection });

        for (const appId of APPS.map((each) => apps + each)) {
          const known = CHANNELS.flatMap((channel) => [
            ...(states.get(channelStream(appId, channel))?.builds.values() ?? []),
          ]);
          const order = newest.map(({ id }) => id);
          known.sort((one, other) => order.indexOf(one.buildId) - order.indexOf(other.buildId));
          for (const channel of [undefined, ...CHANNELS]) {
            for (const status of [undefined, ...STATUSES]) {
              const wanted = known.filter(
                (build) => (channel ?? build.channel) === build.channel && (status ?? build.status) === build.status,
              );
              const found = await pages({ appId, ...(channel && { channel }), ...(status && { status }) });
              expect(found.map(({ id }) => id)).toEqual(wanted.map((build) => build.buildId));
            }
          }
        }
      }),
      { numRuns: 15 },
    );
    expect(await verifyProjection({ events, documents, projection: buildsProjection })).toMatchObject({ different: 0 });
  }, 120_000);

  it('answers a page behind the last with nothing but the total', async () => {
    expect(await list({ page: Number.MAX_SAFE_INTEGER })).toEqual({ items: [], total: 0 });
  });
});

function commandOf(what: string, buildId: number, appId: number, channel: (typeof CHANNELS)[number]): ChannelCommand {
  switch (what) {
    case 'activate':
      return { type: 'ActivateBuild', buildId };
    case 'fail':
      return { type: 'FailBuild', buildId, error: 'No zip.' };
    case 'pause':
      return { type: 'EditBuild', buildId, status: 'paused' };
    case 'archive':
      return { type: 'EditBuild', buildId, status: 'archived' };
    case 'delete':
      return { type: 'DeleteBuild', buildId };
    default:
      return {
        type: 'AcceptBuild',
        build: {
          ...{ buildId, appId, channel, version: `1.${buildId}.0`, jobId: randomUUID(), bundleId: randomUUID() },
          ...{ objectKey: `bundles/${buildId}.zip`, size: 1, checksum: 'c', signature: null, releaseNotes: null },
          ...{ minNativeVersion: null, rolloutPercentage: 100, mandatory: false },
        },
      };
  }
}
