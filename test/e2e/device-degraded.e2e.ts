import { setTimeout as delay } from 'node:timers/promises';
import { temporaryDirectory } from '@sluice/testing';
import { writeHistory } from '../load/history';
import { checkUpdate } from '../support/http';
import { natsServerBinary, startNatsServer } from '@sluice/testing/nats-server';
import { launchProcess, type ServerProcess } from '../support/process';

const here = natsServerBinary() === undefined ? describe.skip : describe;

here('device-updates whose bus is unavailable', () => {
  let folder: string;
  let nats: Awaited<ReturnType<typeof startNatsServer>>;
  let server: ServerProcess;
  let key: string;

  const readiness = async () => {
    const answer = await fetch(`${server.address}/health/ready`);
    const { services, engines_away: away = [] } = (await answer.json()) as {
      services: Record<string, { ready: boolean }>;
      engines_away?: { engine: string; since: string }[];
    };
    return { status: answer.status, part: services['device-updates'], away: away.map(({ engine }) => engine) };
  };

  beforeAll(async () => {
    folder = temporaryDirectory();
    nats = await startNatsServer();
    key = (await writeHistory(folder, { apps: 1, channels: ['production'], builds: 3 })).apiKey;
    server = await launchProcess('device-updates', { DATA_DIR: folder, BUS_URL: nats.url }).ready;
  }, 60_000);

  afterAll(async () => {
    await server.stop('SIGKILL');
    await nats.stop();
  });

  it('continues to serve what it has loaded, stays ready, and reports it', async () => {
    expect(await readiness()).toEqual({ status: 200, part: { ready: true }, away: [] });
    await nats.stop();
    let now = await readiness();
    while (now.away.length === 0) {
      expect((await checkUpdate(server.address, key, 'device', '0.9.0')).body.version).toBe('1.3.0');
      await delay(100);
      now = await readiness();
    }
    expect(now).toEqual({ status: 200, part: { ready: true }, away: ['bus'] });
    expect((await checkUpdate(server.address, key, 'device', '0.9.0')).body.version).toBe('1.3.0');
  }, 60_000);
});
