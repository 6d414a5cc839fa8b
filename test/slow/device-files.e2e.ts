import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { stableUuid } from '@sluice/kernel';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { writeHistory } from '../load/history';
import { call, checkUpdate } from '../support/http';
import { natsServerBinary, startNatsServer } from '@sluice/testing/nats-server';
import { launchProcess, type ServerProcess } from '../support/process';

const here = natsServerBinary() === undefined ? describe.skip : describe;

interface Step {
  readonly file: string;
  readonly engine: string;
  readonly reported: number;
}

const STEPS: readonly Step[] = [
  { file: 'state.db', engine: 'state-store', reported: 503 },
  { file: 'read.db', engine: 'read-store', reported: 200 },
  { file: 'events.db', engine: 'event-store', reported: 200 },
];

here('device-updates whose files are moved away while it runs', () => {
  let nats: Awaited<ReturnType<typeof startNatsServer>>;
  /** Each on a process of its own, all concurrently: a process looks at its engines every few seconds. */
  let played: ReadonlyMap<Step, Promise<void>>;

  beforeAll(async () => {
    nats = await startNatsServer();
    played = new Map(STEPS.map((step) => [step, play(step)]));
    for (const outcome of played.values()) outcome.catch(() => undefined);
  }, 60_000);

  afterAll(async () => {
    await Promise.allSettled(played.values());
    await nats.stop();
  }, 60_000);

  async function play({ file, engine, reported }: Step): Promise<void> {
    const folder = temporaryDirectory();
    const { apiKey } = await writeHistory(folder, { apps: 1, channels: ['production'], builds: 3 });
    const server = await launchProcess('device-updates', { DATA_DIR: folder, BUS_URL: nats.url }).ready;
    let devices = 0;
    const check = async () => (await checkUpdate(server.address, apiKey, `device-${++devices}`, '0.9.0')).body.version;
    const report = () =>
      call<{ error?: { code: string } }>(`${server.address}/api/v1/analytics/install`, {
        method: 'POST',
        headers: { 'X-API-Key': apiKey, 'X-Device-ID': `device-${++devices}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ bundle_id: stableUuid('build', 3), status: 'complete' }),
      });
    try {
      const path = join(folder, file);
      expect((await report()).status).toBe(200);
      await rename(path, `${path}.away`);
      await untilAway(server, [engine]);
      expect(await check()).toBe('1.3.0');
      const answer = await report();
      expect(answer.status).toBe(reported);
      if (reported === 503) {
        expect(answer.body.error?.code).toBe('SERVICE_UNAVAILABLE');
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      await rename(`${path}.away`, path);
      await untilAway(server, []);
      expect((await report()).status).toBe(200);
    } finally {
      await server.stop('SIGKILL');
    }
  }

  it.each(STEPS.map((step) => [step.file, step] as const))(
    '%s: continues to serve what it has loaded, stays ready, reports it, and stores no report where it would be lost',
    (_, step) => played.get(step),
    60_000,
  );
});

/** Every answer on the way there must be that of a ready plane. */
async function untilAway({ address }: ServerProcess, expected: readonly string[]): Promise<void> {
  await eventually(
    async () => {
      const { status, body } = await call<{
        services: Record<string, { ready: boolean }>;
        engines_away?: { engine: string }[];
      }>(`${address}/health/ready`);
      expect({ status, ready: body.services['device-updates']?.ready }).toEqual({ status: 200, ready: true });
      const away = (body.engines_away ?? []).map(({ engine }) => engine);
      return JSON.stringify(away) === JSON.stringify(expected);
    },
    { everyMs: 100 },
  );
}
