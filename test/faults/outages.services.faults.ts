import { sixServices } from '../support/deployment';
import { startNatsServer, type NatsServer } from '@sluice/testing/nats-server';
import { openRelay, type Relay } from '@sluice/testing/relay';
import { lasting, openSite, type Site } from './outage';
import { faultRun } from './run';

const { random } = faultRun('outages');
const test = sixServices.available ? it : it.skip;

jest.setTimeout(240_000);

const SERVICES = ['registry', 'keys', 'build-pipeline', 'merchant-sync', 'gateway', 'device-updates'];
const STOPPED_MS = 3_000;
const CUT_OFF_MS = 30_000;

/** What was opened, and is to be closed in the opposite order. */
const opened: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of opened.reverse()) await close();
});

describe('six services under load', () => {
  let nats: NatsServer;
  let relay: Relay;
  let site: Site;

  beforeAll(async () => {
    if (!sixServices.available) return;
    nats = await startNatsServer();
    opened.push(() => nats.stop());
    relay = await openRelay({ host: '127.0.0.1', port: nats.port });
    opened.push(() => relay.close());
    site = await openSite({ BUS_URL: `nats://127.0.0.1:${relay.port}` }, random);
    opened.push(() => site.destroy());
  });

  test.each(SERVICES)('lose nothing when %s is killed', async (name) => {
    const { deployment } = site;
    const victim = deployment.processes.find((process) => process.name === name)!;
    await site.outlive({
      begin: () => victim.stop('SIGKILL'),
      lasts: lasting(random.below(2_000)),
      end: () => deployment.revive(victim).ready,
    });
  });

  test('lose nothing when NATS is killed and comes back', () =>
    site.outlive({
      begin: () => nats.kill(),
      lasts: lasting(STOPPED_MS),
      end: async () => {
        nats = await startNatsServer({ port: nats.port });
      },
    }));

  test('lose nothing while NATS is cut off for 30 s', () =>
    site.outlive({ begin: () => relay.cut(), lasts: lasting(CUT_OFF_MS), end: () => relay.restore() }));

  test('lose nothing while NATS takes 500 ms for each message', () => site.outliveSlowness(relay));

  test('have answered devices throughout, and counted every report once', () => site.end());
});
