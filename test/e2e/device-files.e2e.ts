import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { stableUuid } from '@sluice/kernel';
import { writeHistory } from '../load/history';
import { call, checkUpdate } from '../support/http';
import { natsServerBinary, startNatsServer } from '../support/nats-server';
import { launchProcess, type ServerProcess } from '../support/process';

const here = natsServerBinary() === undefined ? describe.skip : describe;

here('device-updates whose files are moved away while it runs', () => {
  let nats: Awaited<ReturnType<typeof startNatsServer>>;
  let folder: string;
  let key: string;
  let server: ServerProcess;
  let devices = 0;

  beforeAll(async () => {
    nats = await startNatsServer();
    folder = await mkdtemp(join(tmpdir(), 'sluice-files-'));
    key = (await writeHistory(folder, { apps: 1, channels: ['production'], builds: 3 })).apiKey;
    server = await launchProcess('device-updates', { DATA_DIR: folder, BUS_URL: nats.url }).ready;
  }, 60_000);

  afterAll(async () => {
    await server.stop('SIGKILL');
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Every answer on the way there must be that of a ready plane. */
  async function untilAway(expected: readonly string[]): Promise<void> {
    for (;;) {
      const { status, body } = await call<{
        services: Record<string, { ready: boolean }>;
        engines_away?: { engine: string }[];
      }>(`${server.address}/health/ready`);
      expect({ status, ready: body.services['device-updates']?.ready }).toEqual({ status: 200, ready: true });
      const away = (body.engines_away ?? []).map(({ engine }) => engine);
      if (JSON.stringify(away) === JSON.stringify(expected)) return;
      await delay(100);
    }
  }
  const check = async () => (await checkUpdate(server.address, key, `device-${++devices}`, '0.9.0')).body.version;
  const report = () =>
    call<{ error?: { code: string } }>(`${server.address}/api/v1/analytics/install`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'X-Device-ID': `device-${++devices}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ bundle_id: stableUuid('build', 3), status: 'complete' }),
    });

  it.each([
    ['state.db', 'state-store', 503],
    ['read.db', 'read-store', 200],
    ['events.db', 'event-store', 200],
  ])(
    '%s: goes on serving what it knew, stays ready, says so, and stores no report where it would be lost',
    async (file, engine, reported) => {
      const path = join(folder, file);
      expect((await report()).status).toBe(200);
      await rename(path, `${path}.away`);
      await untilAway([engine]);
      expect(await check()).toBe('1.3.0');
      const answer = await report();
      expect(answer.status).toBe(reported);
      if (reported === 503) {
        expect(answer.body.error?.code).toBe('SERVICE_UNAVAILABLE');
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      await rename(`${path}.away`, path);
      await untilAway([]);
      expect((await report()).status).toBe(200);
    },
    60_000,
  );
});
