import { randomBytes } from 'node:crypto';
import { ENGINES } from '../engines/engines';
import { programOf, startOwnEngine, type OwnEngine } from '../engines/start-engine';
import { natsServerBinary, startNatsServer } from '@sluice/testing/nats-server';
import { openRelay, type Relay } from '@sluice/testing/relay';
import { lasting, openSite, type Site } from './outage';
import { faultRun } from './run';

const { random, cutMs } = faultRun('outages of stores');

jest.setTimeout(240_000);

const STOPPED_MS = 3_000;
const CUT_OFF_MS = cutMs(5_000);
/** Longer than any outage: a job that can't reach a store does not use up its attempts. */
const RETRY_DELAYS = '1000,10000,30000';

/** Installed programs of the test's own, whatever TEST_* variables name: it stops them. */
const STORES = ['MongoDB', 'object store'].map((name) => {
  const engine = ENGINES.find((each) => each.name === name)!;
  return { name, engine, available: natsServerBinary() !== undefined && programOf(engine) !== undefined };
});

describe('six services under load', () => {
  const opened: (() => unknown)[] = [];
  const running = new Map<string, { readonly server: OwnEngine; readonly relay: Relay }>();
  let site: Site;

  beforeAll(async () => {
    const settings: Record<string, string> = {};
    for (const { name, engine } of STORES.filter(({ available }) => available)) {
      const server = await startOwnEngine(engine);
      opened.push(() => server.stop());
      const relay = await openRelay({ host: '127.0.0.1', port: server.port });
      opened.push(() => relay.close());
      running.set(name, { server, relay });
      const url = engine.url('127.0.0.1', relay.port);
      if (name === 'object store') settings['OBJECT_STORE_URL'] = url;
      else for (const store of ['READ', 'STATE']) settings[`${store}_STORE_URL`] = url.replace('/?', `/${store}?`);
    }
    if (running.size === 0) return;
    const nats = await startNatsServer();
    opened.push(() => nats.stop());
    const masterKey = randomBytes(32).toString('hex');
    site = await openSite(
      { ...settings, BUS_URL: nats.url, MASTER_KEY: masterKey, JOB_RETRY_DELAYS_MS: RETRY_DELAYS },
      random,
    );
    opened.push(() => site.destroy());
  });

  afterAll(async () => {
    for (const close of opened.reverse()) await close();
  });

  for (const { name, engine, available } of STORES) {
    const test = available ? it : it.skip;
    const store = `${name}${available ? '' : ` (no nats-server, or no ${engine.program!.name})`}`;

    test(`lose nothing when the ${store} is killed and comes back`, async () => {
      const { server } = running.get(name)!;
      await site.outlive({ begin: () => server.kill(), lasts: lasting(STOPPED_MS), end: () => server.restart() });
    });

    test(`lose nothing while the ${store} is cut off`, async () => {
      const { relay } = running.get(name)!;
      await site.outlive({ begin: () => relay.cut(), lasts: lasting(CUT_OFF_MS), end: () => relay.restore() });
    });

    test(`lose nothing while the ${store} takes 500 ms for each call`, () =>
      site.outliveSlowness(running.get(name)!.relay));
  }

  (STORES.some(({ available }) => available) ? it : it.skip)(
    'have answered devices throughout, and counted every report once',
    () => site.end(),
  );
});
