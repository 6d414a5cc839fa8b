import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { STANDARD_CHANNELS } from '@sluice/kernel';
import { eventually } from '@sluice/testing';
import { openDatabase } from '../../libs/event-store/sqlite/open-file';
import { STATED_PLATFORMS } from '../../services/device-updates/signing/domain/statements';
import { standalone, type Deployment } from '../support/deployment';
import { embedded } from '../support/engines';
import { call, checkUpdate, management } from '../support/http';
import { MovedClock } from '../support/moved-clock';
import { sluice } from '../support/process';
import { zipOf } from '../support/zip';
import { faultRun, say } from './run';
import { FAULT_SETTINGS } from './scene';

const run = faultRun('previews that end while the process is killed');
const APP = 'com.example.previewed';
const DAY = 24 * 3_600_000;
/** 1,000 in `npm run test:long`. */
const PREVIEWS = Number(process.env['PREVIEWS'] ?? 8);
/** Some between two that are made, the others while they end. */
const KILLS = Math.ceil(run.kills / 4);
/** Made and used concurrently. */
const ABREAST = 4;
/** The history of apps, which events keep forever; and one row for each process manager, sweep, signer and probe. */
const KEPT = /History\/\d+\/|^(projections|generations|probe)$|^rows\/(processes|sweeps|leases)$/;
const TTL = 2 * DAY;

describe('previews', () => {
  const clock = new MovedClock();
  let deployment: Deployment;
  let token: string;
  let kills = 0;

  const api = () => management(deployment.gateways[0]!, token);

  /** The rows of every table of the read store and the state store, by table. Indexes are SQLite's own. */
  function stored(): Record<string, string[]> {
    const tables: Record<string, string[]> = {};
    for (const name of ['read.db', 'state.db']) {
      const file = openDatabase(join(deployment.dataDir, name), 5_000);
      const all = (sql: string) => file.prepare(sql).all() as Record<string, unknown>[];
      for (const { name: table } of all(`SELECT name FROM sqlite_master WHERE type = 'table'`)) {
        const rows = all(`SELECT * FROM "${String(table)}"`).filter(({ doc }) => doc !== null);
        tables[String(table)] = rows
          .map((row) => (typeof row['id'] === 'string' ? row['id'] : JSON.stringify(row)))
          .sort();
      }
      file.close();
    }
    return tables;
  }

  /** Whether what was counted of each preview was deleted once. It is deleted again two days later. */
  function isSwept(): boolean {
    const file = openDatabase(join(deployment.dataDir, 'state.db'), 5_000);
    const rows = file.prepare(`SELECT doc FROM "rows/formerMetrics" WHERE doc IS NOT NULL`).all() as { doc: string }[];
    file.close();
    // Of its channel, and of its build.
    return rows.filter(({ doc }) => (JSON.parse(doc) as { again: boolean }).again).length === 2 * PREVIEWS;
  }

  /** The manifest of the one build, and the states of the standard channels. */
  function isSigned(): boolean {
    const ids = Object.entries(stored()).flatMap(([table, rows]) => (table.endsWith('signedStatements') ? rows : []));
    return ids.length === 1 + STANDARD_CHANNELS.length * STATED_PLATFORMS.length;
  }

  async function use(number: number): Promise<void> {
    const name = `pr-${number}`;
    const channels = `/apps/${APP}/channels`;
    const expires = new Date(clock.now() + TTL).toISOString();
    expect((await api().post(channels, { name, expires_at: expires })).status).toBe(201);
    const made = await api().post<{ data: { plaintext_key: string } }>(`${channels}/${name}/keys`, { name });
    const key = made.body.data.plaintext_key;
    const bundle = await zipOf({ 'index.html': name });
    const build = await api().release(`/apps/${APP}/builds`, bundle, { version: '1000.0.0', channel: name });
    const steps = [{ percentage: 100, hold_minutes: 1, min_devices: 0 }];
    expect((await api().put(`/apps/${APP}/builds/${build}/plan`, { steps })).status).toBe(200);
    const device = `phone-${number}`;
    const pinned = [
      await api().patch(`/apps/${APP}/builds/${build}/pins`, { add: ['tester'] }),
      await api().patch(`${channels}/${name}`, { audience: { pinned_only: true } }),
      await api().patch(`${channels}/${name}/pins`, { add: [device] }),
    ];
    expect(pinned.map(({ status }) => status)).toEqual([200, 200, 200]);
    await eventually(
      async () => (await checkUpdate(deployment.devices[0]!, key, device, '1.0.0', name)).body.available,
    );
    const { body } = await checkUpdate(deployment.devices[0]!, key, device, '1.0.0', name);
    expect((await fetch(body.downloadUrl)).status).toBe(200);
    for (const status of ['failed', 'complete', 'rollback']) {
      const reported = await call(`${deployment.devices[0]!}/api/v1/analytics/install`, {
        method: 'POST',
        headers: { 'X-API-Key': key, 'X-Device-ID': device, 'Content-Type': 'application/json' },
        body: JSON.stringify({ bundle_id: body.bundleId, status, error: `of ${name}` }),
      });
      expect(reported.status).toBe(200);
    }
  }

  async function kill(): Promise<void> {
    const [server] = deployment.processes;
    await server!.stop('SIGKILL');
    kills += 1;
    await deployment.revive(server!).ready;
  }

  beforeAll(async () => {
    deployment = await standalone.deploy({ ...FAULT_SETTINGS, ...clock.env, OBJECT_GRACE_SECONDS: '0' });
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      SLUICE_SERVER: deployment.gateways[0]!,
      DATA_DIR: deployment.dataDir,
    });
    ({ token } = JSON.parse(made.stdout) as { token: string });
    await api().post('/apps', { name: 'Previewed', bundle_id: APP });
    await api().post(`/apps/${APP}/signing-key`, { size: 2048 });
    await api().post(`/apps/${APP}/api-keys`, { name: 'installs' });
    await api().release(`/apps/${APP}/builds`, await zipOf({ 'index.html': '1' }), {
      ...{ version: '1.0.0', channel: 'production' },
    });
  }, 60_000);

  afterAll(() => deployment.destroy(), 60_000);

  (embedded ? it : it.skip)(
    `leave nothing behind, ${PREVIEWS} that were made, used and expired under ${KILLS} kills`,
    async () => {
      const { random } = run;
      // They belong to the app, and would else look like something that previews left.
      await eventually(isSigned, { withinMs: 30_000 });
      await deployment.stop();
      const before = stored();
      const objects = (await deployment.objects()).sort();
      await deployment.start();
      const numbers = Array.from({ length: PREVIEWS }, (_, index) => index + 1);
      for (const step of Array.from({ length: Math.ceil(PREVIEWS / ABREAST) }, (_, index) => index * ABREAST)) {
        await Promise.all(numbers.slice(step, step + ABREAST).map(use));
        if (kills < KILLS / 3 && random.chance(0.5)) await kill();
      }
      const used = stored();
      // They expire, and what follows from that is interrupted.
      clock.advance(TTL + 1);
      while (kills < KILLS) {
        await kill();
        await delay(random.below(1_500));
      }
      const isOver = async () => {
        const { body } = await api().get<{ meta: { total: number } }>(`/apps/${APP}/builds?per_page=1`);
        return body.meta.total === 1;
      };
      await eventually(isOver, { everyMs: 200, withinMs: 60_000 + PREVIEWS * 500 });
      await eventually(isSwept, { everyMs: 500, withinMs: 60_000 + PREVIEWS * 500 });
      // Devices are no longer notified of them; nothing that was in flight is left.
      for (const days of [3, 31]) {
        clock.advance(days * DAY);
        await kill();
        await delay(1_000);
      }
      const excess = () => {
        const added = Object.entries(stored()).flatMap(([table, ids]) => {
          const known = new Set(before[table]);
          const more = KEPT.test(table) ? [] : ids.filter((id) => !known.has(id));
          return more.length === 0 ? [] : [[table, more.slice(0, 5)]];
        });
        return Object.fromEntries(added) as Record<string, string[]>;
      };
      const isGone = async () =>
        Object.keys(excess()).length === 0 && (await deployment.objects()).length === objects.length;
      await eventually(isGone, { everyMs: 500, withinMs: 60_000 + PREVIEWS * 500 }).catch(() => undefined);
      expect(excess()).toEqual({});
      expect((await deployment.objects()).sort()).toEqual(objects);
      const peak = Object.entries(used).flatMap(([table, ids]) =>
        KEPT.test(table) ? [] : [ids.length - (before[table]?.length ?? 0)],
      );
      say(
        `previews: ${JSON.stringify({ previews: PREVIEWS, kills, rows: peak.reduce((sum, more) => sum + Math.max(0, more), 0) })}`,
      );
    },
    180_000 + PREVIEWS * 3_000 + KILLS * 15_000,
  );
});
