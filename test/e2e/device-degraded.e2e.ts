import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeHistory } from '../load/history';
import { checkUpdate } from '../support/http';
import { natsServerBinary, startNatsServer } from '../support/nats-server';
import { launchProcess, type ServerProcess } from '../support/process';

const here = natsServerBinary() === undefined ? describe.skip : describe;

here('device-updates whose bus is away', () => {
  let folder: string;
  let nats: Awaited<ReturnType<typeof startNatsServer>>;
  let server: ServerProcess;
  let key: string;

  const readiness = async () => {
    const { status, ...response } = await fetch(`${server.address}/health/ready`).then(async (answer) => ({
      status: answer.status,
      body: (await answer.json()) as { services: Record<string, { ready: boolean; degraded?: string[] }> },
    }));
    return { status, part: response.body.services['device-updates'] };
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sluice-degraded-'));
    nats = await startNatsServer();
    key = (await writeHistory(folder, { apps: 1, channels: ['production'], builds: 3 })).apiKey;
    server = await launchProcess('device-updates', { DATA_DIR: folder, BUS_URL: nats.url }).ready;
  }, 60_000);

  afterAll(async () => {
    await server.stop('SIGKILL');
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('goes on serving what it knew, stays ready, and says so', async () => {
    expect(await readiness()).toEqual({ status: 200, part: { ready: true } });
    await nats.stop();
    let now = await readiness();
    while (now.part?.degraded === undefined) {
      expect((await checkUpdate(server.address, key, 'device', '0.9.0')).body.version).toBe('1.3.0');
      await delay(100);
      now = await readiness();
    }
    expect(now).toEqual({ status: 200, part: { ready: true, degraded: ['bus'] } });
    expect((await checkUpdate(server.address, key, 'device', '0.9.0')).body.version).toBe('1.3.0');
  }, 60_000);
});
