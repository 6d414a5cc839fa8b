import { EngineHealth } from '@sluice/service-host';
import { buildFacts, openDeviceStores, startDevicePlane, type DeviceStores } from '../../../test/support/device-plane';
import { checkUpdate } from '../../../test/support/http';

jest.setTimeout(30_000);

/** Every call of the engine fails while it is unavailable. */
function takenAway<Engine extends object>(engine: Engine, isAway: () => boolean): Engine {
  return new Proxy(engine, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        if (isAway()) throw new Error('The engine is unavailable.');
        return Reflect.apply(member, target, given) as unknown;
      };
    },
  });
}

describe('the device plane with an engine away', () => {
  let stores: DeviceStores;
  beforeAll(async () => {
    stores = await openDeviceStores();
    await stores.registerApp(1);
  });
  afterAll(() => stores.close());

  it.each(['event-store', 'read-store', 'state-store'])(
    '%s: serves what it knew, stays ready, and says so',
    async (name) => {
      let away = false;
      const is = (engine: string) => () => away && engine === name;
      const key = await stores.createKey(['event-store', 'read-store', 'state-store'].indexOf(name) + 1, 1);
      const faulty = {
        ...stores,
        events: takenAway(stores.events, is('event-store')),
        documents: takenAway(stores.documents, is('read-store')),
      };
      const state = takenAway(stores.documents, is('state-store'));
      if (name === 'event-store') await stores.publish(buildFacts(1, '1.0.0'));
      const plane = await startDevicePlane(faulty, { state });
      const health = new EngineHealth({
        'event-store': async () => faulty.events.head(),
        'read-store': async () => faulty.documents.ping(),
        'state-store': async () => state.ping(),
      });
      try {
        await plane.index.open();
        away = true;
        await health.probe();
        expect(health.away).toMatchObject([{ engine: name }]);
        expect(plane.index.ready).toBe(true);
        expect((await checkUpdate(plane.address, key, 'device', '0.9.0')).body.version).toBe('1.0.0');
        away = false;
        await health.probe();
        expect(health.away).toEqual([]);
      } finally {
        await plane.close();
      }
    },
  );
});
