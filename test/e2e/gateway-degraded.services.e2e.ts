import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { management } from '../support/http';
import { natsServerBinary, startNatsServer, type NatsServer } from '@sluice/testing/nats-server';
import { launchProcess, sluice, type ServerProcess } from '../support/process';

interface Ready {
  readonly status: string;
  readonly engines_away?: readonly { readonly engine: string; readonly since: string }[];
  readonly services: Readonly<Record<string, { readonly ready: boolean }>>;
}

const here = natsServerBinary() === undefined ? describe.skip : describe;

here('a gateway and registry of six services whose engines go away', () => {
  let folder: string;
  let nats: NatsServer;
  let processes: ServerProcess[];
  let token: string;

  const readiness = async (name: string) => {
    const { address } = processes.find((process) => process.name === name)!;
    const answer = await fetch(`${address}/health/ready`);
    return { status: answer.status, body: (await answer.json()) as Ready };
  };
  /** Each answer on the way there is that of a process which may be sent requests. */
  const until = async (away: readonly string[]) => {
    for (const name of ['gateway', 'registry']) {
      for (;;) {
        const { status, body } = await readiness(name);
        expect({ status, ready: body.services[name]?.ready }).toEqual({ status: 200, ready: true });
        expect(body.status).toBe(body.engines_away === undefined ? 'ok' : 'degraded');
        const found = (body.engines_away ?? []).map(({ engine }) => engine);
        if (JSON.stringify(found) === JSON.stringify(away)) break;
        await delay(50);
      }
    }
  };
  const register = () => management(processes[0]!.address, token).post('/apps', { name: 'Shop', platform: 'ios' });

  beforeAll(async () => {
    folder = temporaryDirectory();
    nats = await startNatsServer();
    const env = { DATA_DIR: folder, BUS_URL: nats.url };
    processes = await Promise.all(['gateway', 'registry'].map((name) => launchProcess(name, env).ready));
    const made = await sluice(['token', 'create', '--name', 'ci', '--all-apps', '--json'], {
      ...{ SLUICE_SERVER: processes[0]!.address, DATA_DIR: folder },
    });
    token = (JSON.parse(made.stdout) as { token: string }).token;
  }, 120_000);

  afterAll(async () => {
    await Promise.all(processes.map((process) => process.stop()));
    await nats.stop();
  });

  it.each([
    [
      'bus',
      () => nats.kill(),
      async () => {
        nats = await startNatsServer({ port: nats.port });
      },
    ],
    [
      'event-store',
      () => rename(join(folder, 'events.db'), join(folder, 'events.away')),
      () => rename(join(folder, 'events.away'), join(folder, 'events.db')),
    ],
  ])(
    '%s: stay ready, name it with its time, reject cleanly what needs it, and recover by themselves',
    async (engine, takeAway, putBack) => {
      await until([]);
      expect((await register()).status).toBe(201);
      const before = new Date().toISOString();
      await takeAway();
      await until([engine]);
      const { body } = await readiness('gateway');
      expect(body.engines_away![0]!.since > before).toBe(true);
      const told = await (await fetch(`${processes[0]!.address}/metrics`)).text();
      expect(told).toContain(`sluice_engine_up{engine="${engine}"} 0`);
      const refused = await register();
      expect(refused).toMatchObject({ status: 503, body: { error: { code: 'SERVICE_UNAVAILABLE' } } });
      expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(0);

      await putBack();
      await until([]);
      await eventually(async () => (await register()).status === 201);
    },
    120_000,
  );
});
