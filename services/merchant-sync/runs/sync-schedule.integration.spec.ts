import { join } from 'node:path';
import { createProjections, type Projections } from '@sluice/projections';
import { type DocumentStore } from '@sluice/document-store';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';
import { createCommandHandling, type CommandHandling, type EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { DomainError, newCommandId, newUlid, systemClock } from '@sluice/kernel';
import { temporaryDirectory, recordingLogger } from '@sluice/testing';
import { merchant, type MerchantCommand, merchantStream, STORE_ID } from '../settings/domain/merchant';
import { syncRun, syncRunStream } from './domain/sync-run';
import { projections as all } from '../projections';
import { syncLogRows, syncLogsProjection } from './sync-logs.projection';
import type { RunStarts } from './run-starts';
import { SyncSchedule } from './sync-schedule';

const MINUTE = 60_000;
const DAY = 86_400_000;
const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
const firstValues = { enabled: true, entitled: true };

describe('the schedule of the listings', () => {
  let dataDir: string;
  let events: EventStore;
  let documents: DocumentStore;
  let projections: Projections;
  let commands: CommandHandling;
  let now: number;
  let logger: ReturnType<typeof recordingLogger>;
  const clock = { now: () => new Date(now), monotonic: () => systemClock.monotonic() };

  const context = () => ({ commandId: newCommandId(), actor: 'system:test' });
  const command = (order: MerchantCommand) => commands.handle(merchant, merchantStream(STORE_ID), order, context());
  const runs = async () => (await commands.load(merchant, merchantStream(STORE_ID))).state.runs;
  const iso = () => new Date(now).toISOString();

  async function startRun(...[, , trigger = 'manual', after]: Parameters<RunStarts['start']>) {
    const run = { runId: newUlid(), runType: undefined, productId: undefined, trigger } as const;
    await command({ type: 'StartRun', ...run, now: iso(), offerPrefix: 'svc', after: after ?? null, firstValues });
    return { log_id: run.runId };
  }
  const schedule = (begin = startRun) =>
    new SyncSchedule({
      ...{ commands, readStore: documents, clock, firstValues, logger },
      ...{ remote: { adapter: 'merchant_api_v1' }, starts: { start: begin }, settings: { pluginName: 'svc' } },
    });
  /** As each replica looks. */
  const look = () => schedule().look();

  /** Completes the current run. */
  async function end(): Promise<string> {
    const { current } = await runs();
    const runId = current?.runId ?? '';
    const { state } = await commands.load(merchant, merchantStream(STORE_ID));
    const run = { order: current!, settings: state.sync };
    const record = (order: Parameters<typeof syncRun.decide>[0]) =>
      commands.handle(syncRun, syncRunStream(runId), order, context());
    await record({ type: 'TakeRun', holder: 'h', takes: 0, run });
    await record({ type: 'CloseRun', holder: 'h', outcome: 'completed', skipped: 0, error: null, details: {} });
    await command({ type: 'EndRun', runId, outcome: 'completed' });
    return runId;
  }
  const logs = async () => {
    const rows = await documents.view(syncLogsProjection.name, syncLogRows).find();
    return rows.map(({ id }) => id);
  };

  beforeEach(async () => {
    now = BEGIN;
    logger = recordingLogger();
    dataDir = temporaryDirectory();
    events = await openSqliteEventStore({ path: join(dataDir, 'events.db') });
    documents = await openSqliteDocumentStore({ path: join(dataDir, 'read.db') });
    projections = createProjections({ events, documents, projections: all, waitMs: 5_000, logger: recordingLogger() });
    await projections.start();
    commands = createCommandHandling({
      ...{ store: events, clock },
      visible: (stream, position) => projections.visible(stream, position),
    });
    await command({ type: 'SaveSyncSettings', changes: { sync_interval_minutes: 60 }, firstValues });
    const connection = { id: newUlid(), connectedAt: iso(), adapter: 'merchant_api_v1', scopes: [] } as const;
    await command({ type: 'Connect', connection, firstValues });
  });

  afterEach(async () => {
    await projections.close();
    await documents.close();
    await events.close();
  });

  it('starts a run one interval after connecting, and then one each interval', async () => {
    now = BEGIN + 60 * MINUTE - 1;
    await look();
    expect((await runs()).current).toBeNull();
    // The jitter is at most a twentieth.
    now = BEGIN + 63 * MINUTE;
    await Promise.all([look(), look()]);
    expect((await runs()).current).toMatchObject({ runType: 'full', trigger: 'schedule', startedAt: iso() });
    await end();
    await look();
    expect((await runs()).current).toBeNull();
    now += 63 * MINUTE;
    await look();
    expect((await runs()).current).toMatchObject({ runType: 'incremental', trigger: 'schedule' });
  });

  it.each<[string, MerchantCommand]>([
    ['the module is off', { type: 'SetModule', enabled: false }],
    ['it is not entitled', { type: 'SetModule', entitled: false }],
    ['nothing is connected', { type: 'Disconnect' }],
  ])('does nothing while %s', async (_, turnOff) => {
    await command(turnOff);
    now = BEGIN + 2 * DAY;
    await look();
    expect((await runs()).current).toBeNull();
  });

  it('reports each job that did what was due', async () => {
    const one = schedule();
    const ran = () => logger.lines.map(({ fields, message }) => ({ ...fields, message }));
    const line = (job: string) => ({ job, message: 'Scheduled job ran' });
    await one.look();
    expect(ran()).toEqual([line('svc_sync_cleanup')]);
    now = BEGIN + 63 * MINUTE;
    await one.look();
    await one.look();
    expect(ran()).toEqual([line('svc_sync_cleanup'), line('svc_product_sync')]);
  });

  it('asks ever less often while a run is refused', async () => {
    let asked = 0;
    let refusing = true;
    const refused = schedule((...order) => {
      asked += 1;
      return refusing ? Promise.reject(new DomainError('account_not_chosen', 'Choose one.')) : startRun(...order);
    });
    now = BEGIN + 63 * MINUTE;
    for (const end = now + DAY; now < end; now += MINUTE) await refused.look();
    expect(asked).toBeGreaterThan(24);
    expect(asked).toBeLessThan(32);
    refusing = false;
    now += 60 * MINUTE;
    await refused.look();
    expect((await runs()).current).toMatchObject({ trigger: 'schedule' });
  });

  it('prunes logs that are older than log_retention_days, of a store that is disconnected too', async () => {
    now = BEGIN + 63 * MINUTE;
    await look();
    const old = await end();
    now += 29 * DAY;
    await look();
    const young = await end();
    expect((await logs()).sort()).toEqual([old, young].sort());
    now += 2 * DAY;
    await look();
    const latest = await end();
    expect((await logs()).sort()).toEqual([young, latest].sort());
    await command({ type: 'Disconnect' });
    now += 31 * DAY;
    await look();
    await projections.find(syncLogsProjection.name, () => Promise.resolve(undefined));
    expect(await logs()).toEqual([]);
  });
});
