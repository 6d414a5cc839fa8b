import { randomBytes } from 'node:crypto';
import { newCredential } from '@sluice/contracts';
import { sixServices } from '../support/deployment';
import { startEventStoreServer, type EventStoreServer } from '@sluice/testing/event-store-server';
import { startNatsServer } from '@sluice/testing/nats-server';
import { openRelay, type Relay } from '@sluice/testing/relay';
import { lasting, openSite, type Site } from './outage';
import { faultRun } from './run';

const { random, cutMs } = faultRun('outages of the event store');
const test = sixServices.available ? it : it.skip;

jest.setTimeout(240_000);

const STOPPED_MS = 3_000;

/** What was opened, and is to be closed in the opposite order. */
const opened: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of opened.reverse()) await close();
});

describe('six services under load, on a loopback server of EventStoreDB’s protocol', () => {
  let events: EventStoreServer;
  let relay: Relay;
  let site: Site;

  beforeAll(async () => {
    if (!sixServices.available) return;
    const nats = await startNatsServer();
    opened.push(() => nats.stop());
    events = await startEventStoreServer();
    opened.push(() => events.stop());
    relay = await openRelay({ host: '127.0.0.1', port: Number(new URL(events.url).port) });
    opened.push(() => relay.close());
    const settings = {
      BUS_URL: nats.url,
      EVENT_STORE_URL: `esdb://127.0.0.1:${relay.port}?tls=false`,
      MASTER_KEY: randomBytes(32).toString('hex'),
      OWNER_KEY: newCredential('svc_own_'),
    };
    site = await openSite(settings, random);
    opened.push(() => site.destroy());
  });

  test('lose nothing when it stops and comes back', () =>
    site.outlive({ begin: () => events.stop(), lasts: lasting(STOPPED_MS), end: () => events.start() }));

  test('lose nothing while it is cut off', () =>
    site.outlive({ begin: () => relay.cut(), lasts: lasting(cutMs(STOPPED_MS)), end: () => relay.restore() }));

  test('lose nothing while it takes 500 ms for each call', () => site.outliveSlowness(relay));

  test('have answered devices throughout, and counted every report once', () => site.end());
});
