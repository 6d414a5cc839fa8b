import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { eventually, temporaryDirectory } from '@sluice/testing';
import { writeHistory } from '../load/history';
import { checkUpdate } from '../support/http';
import { natsServerBinary, startNatsServer } from '@sluice/testing/nats-server';
import { launchProcess, type ServerProcess } from '../support/process';

const WORKERS = 3;
const here = natsServerBinary() !== undefined && process.platform === 'linux' ? describe : describe.skip;

here('device-updates in several processes on one machine', () => {
  let folder: string;
  let nats: Awaited<ReturnType<typeof startNatsServer>>;
  let server: ServerProcess;
  let key: string;
  let asked = 0;

  const workers = () => {
    const { pid } = server.child;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  };
  const check = async () => (await checkUpdate(server.address, key, `device-${++asked}`, '0.9.0')).body.version;
  /** Each over a connection of its own, so that every worker gets some. */
  const checkOnItsOwn = () =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = { 'X-API-Key': key, 'X-Device-ID': `device-${++asked}`, 'X-Current-Version': '0.9.0' };
      const url = `${server.address}/api/v1/updates/check`;
      get(url, { agent: false, headers: { ...headers, 'X-Platform': 'ios' } }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode));
      }).once('error', reject);
    });
  const ready = () => server.log.filter((line) => line.includes('"Sluice is ready"')).length;

  beforeAll(async () => {
    folder = temporaryDirectory();
    nats = await startNatsServer();
    key = (await writeHistory(folder, { apps: 1, channels: ['production'], builds: 3 })).apiKey;
    const env = { DATA_DIR: folder, BUS_URL: nats.url, DEVICE_WORKERS: String(WORKERS) };
    server = await launchProcess('device-updates', env).ready;
    await eventually(() => ready() === WORKERS);
  }, 60_000);

  afterAll(async () => {
    await server.stop('SIGKILL');
    await nats.stop();
  });

  it('answers from all of them at one address, and exports the metrics of all', async () => {
    expect(workers()).toHaveLength(WORKERS);
    for (let n = 0; n < 12; n += 1) expect(await check()).toBe('1.3.0');
    const told = await (await fetch(`${server.address}/metrics`)).text();
    expect(told).toContain('sluice_update_checks{outcome="offered"} 12');
  }, 30_000);

  it('restarts one that died, while the others answer', async () => {
    const before = workers();
    process.kill(Number(before[0]), 'SIGKILL');
    await eventually(() => server.log.some((line) => line.includes('A worker process died')));
    const statuses = new Set<number | undefined>();
    do for (let n = 0; n < WORKERS; n += 1) statuses.add(await checkOnItsOwn());
    while (ready() < WORKERS + 1);
    expect([...statuses]).toEqual([200]);
    expect(workers()).not.toContain(before[0]);
    expect(await check()).toBe('1.3.0');
    expect(workers()).toHaveLength(WORKERS);
  }, 60_000);

  it('drains all of them when it is stopped', async () => {
    const before = workers();
    expect(await server.stop()).toBe(0);
    expect(server.log.filter((line) => line.includes('"Stopped"'))).toHaveLength(WORKERS);
    for (const pid of before) expect(() => process.kill(Number(pid), 0)).toThrow();
  }, 30_000);
});
