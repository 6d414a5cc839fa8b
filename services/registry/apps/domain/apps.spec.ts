import { NOT_BLANK, UnknownEventError } from '@sluice/kernel';
import { eventTime, specify } from '@sluice/testing';
import fc from 'fast-check';
import {
  APPS_STREAM,
  apps,
  appsOf,
  type AppRegistered,
  type Apps,
  type AppsEvent,
  type RegisterApp,
  type RemoveApp,
} from './apps';

const register = (wish: Partial<RegisterApp> = {}): RegisterApp => ({
  type: 'RegisterApp',
  ownerId: 1,
  tokenId: null,
  name: 'My Shop',
  bundleId: null,
  description: null,
  platform: 'both',
  appLimit: 100,
  ...wish,
});

const remove = (id: number): RemoveApp => ({ type: 'RemoveApp', id });
const registrationsIn = (events: readonly AppsEvent[]) =>
  events.flatMap((event) => (event.type === 'AppRegistered' ? [event.data] : []));

const { given, after, evolve } = specify(apps);
const message = (part: string) => expect.stringContaining(part) as string;

const appIdOf = (command: RegisterApp, state: Apps) => registrationsIn(apps.decide(command, state))[0]!.appId;

describe('registering an app', () => {
  it('given no app, gives the id 1 and carries all that the app is', () => {
    const command = register({
      ownerId: 7,
      tokenId: 3,
      name: 'Shop',
      bundleId: 'com.example.shop',
      description: 'Sells',
      platform: 'ios',
    });
    after()
      .when(command)
      .then({
        type: 'AppRegistered',
        data: {
          id: 1,
          ownerId: 7,
          appId: 'com.example.shop',
          bundleId: 'com.example.shop',
          name: 'Shop',
          description: 'Sells',
          platform: 'ios',
          tokenId: 3,
        },
      });
  });

  it('given two apps, gives the id 3', () => {
    expect(after(register(), register()).when(register()).events[0]!.data.id).toBe(3);
  });

  it.each([
    ['My Shop', 'app.my-shop'],
    ['  Über  Café!! ', 'app.uber-cafe'],
    ['日本語', 'app.app'],
    ['2048', 'app.2048'],
    ['a'.repeat(255), `app.${'a'.repeat(100)}`],
  ])('without a bundle id names the app "%s" %s', (name, appId) => {
    expect(appIdOf(register({ name }), after().state)).toBe(appId);
  });

  it('given apps of the same name, appends the first free suffix', () => {
    const twice = after(register({ name: 'Shop' }), register({ name: 'Shop 2' })).state;
    expect(appIdOf(register({ name: 'Shop' }), twice)).toBe('app.shop-3');
  });

  it('given another owner with the bundle id, rejects BUNDLE_ID_TAKEN', () => {
    const stream = after(register({ ownerId: 1, bundleId: 'com.example.shop' }));
    stream
      .when(register({ ownerId: 2, bundleId: 'com.example.shop' }))
      .rejects({ code: 'BUNDLE_ID_TAKEN', message: message('com.example.shop') });
  });

  it('given an app id made from a name, rejects the same text as a bundle id', () => {
    after(register({ name: 'Shop' }))
      .when(register({ bundleId: 'app.shop' }))
      .rejects('BUNDLE_ID_TAKEN');
  });

  it('given a full quota, rejects APP_LIMIT_REACHED to that owner alone', () => {
    const { when } = after(register({ ownerId: 1 }), register({ ownerId: 1 }));
    when(register({ ownerId: 1, appLimit: 2 })).rejects({ code: 'APP_LIMIT_REACHED', message: message('2') });
    expect(when(register({ ownerId: 2, appLimit: 2 })).events).toHaveLength(1);
  });

  it('given a full quota and a taken bundle id, names the bundle id', () => {
    const { when } = after(register({ bundleId: 'com.example.shop' }));
    when(register({ bundleId: 'com.example.shop', appLimit: 1 })).rejects('BUNDLE_ID_TAKEN');
  });

  it('given 100,000 apps, stays as quick as a map', () => {
    let state = after().state;
    for (let id = 1; id <= 100_000; id += 1) {
      const command = register({ ownerId: id % 1_000, bundleId: `com.example.a${id}`, appLimit: 1_000 });
      state = evolve(state, apps.decide(command, state));
    }
    expect(appsOf(state, 7)).toHaveLength(100);
    expect(state.registered.size).toBe(100_000);
  });

  it('whatever is registered: one namespace, ids 1 to n, reverse-DNS app ids, no quota exceeded', () => {
    const name = fc.oneof(
      fc.constantFrom('Shop', 'shop 2', 'shop-2', 'app', '…'),
      fc.string({ maxLength: 255 }).filter((text) => NOT_BLANK.test(text)),
    );
    const bundleId = fc.constantFrom(null, null, 'app.shop', 'app.shop-2', 'app.app', 'com.example.a', 'com.example.b');
    const wishes = fc.array(fc.record({ ownerId: fc.integer({ min: 1, max: 2 }), name, bundleId }), { maxLength: 40 });
    fc.assert(
      fc.property(wishes, (list) => {
        const registered: AppRegistered['data'][] = [];
        let state = after().state;
        for (const wish of list) {
          try {
            const events = apps.decide(register({ ...wish, appLimit: 8 }), state);
            registered.push(...registrationsIn(events));
            state = evolve(state, events);
          } catch (error) {
            expect(['BUNDLE_ID_TAKEN', 'APP_LIMIT_REACHED']).toContain((error as { code?: string }).code);
          }
        }
        const names = registered.flatMap(({ appId, bundleId }) => [...new Set([appId, bundleId ?? appId])]);
        expect(new Set(names).size).toBe(names.length);
        expect(registered.map((app) => app.id)).toEqual(registered.map((_, index) => index + 1));
        for (const { appId } of registered) {
          expect(appId).toMatch(/^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z0-9_-]+)+$/);
          expect(appId.length).toBeLessThanOrEqual(155);
        }
        for (const ownerId of [1, 2]) {
          expect(registered.filter((app) => app.ownerId === ownerId).length).toBeLessThanOrEqual(8);
        }
      }),
    );
  });
});

describe('removing an app', () => {
  const shop = register({ bundleId: 'com.example.shop' });

  it('given the app, removes it; given none, or once more, does nothing', () => {
    after(shop)
      .when(remove(1))
      .then({ type: 'AppRemoved', data: { id: 1 } });
    after(shop).when(remove(2)).then();
    after(shop, remove(1)).when(remove(1)).then();
  });

  it('ignores the removal of an app that is not registered', () => {
    const removed: AppsEvent = { type: 'AppRemoved', data: { id: 1 } };
    expect(given(removed).when(shop).events).toHaveLength(1);
  });

  it('frees the bundle id, and never gives the id again', () => {
    expect(after(shop, remove(1)).when(shop).events[0]).toMatchObject({ data: { id: 2, appId: 'com.example.shop' } });
    expect(appIdOf(register({ name: 'Shop' }), after(register({ name: 'Shop' }), remove(1)).state)).toBe('app.shop');
  });

  it('frees the place in the quota of its owner', () => {
    const last = register({ appLimit: 1 });
    after(last).when(last).rejects('APP_LIMIT_REACHED');
    expect(after(last, remove(1)).when(last).events).toHaveLength(1);
  });

  it('leaves the apps of the owner by id, each with the time of its registration', () => {
    const state = after(register(), register({ ownerId: 2 }), remove(1), register(), register()).state;
    expect(appsOf(state, 1).map(({ id, createdAt }) => [id, createdAt])).toEqual([
      [3, eventTime(3)],
      [4, eventTime(4)],
    ]);
    expect(appsOf(state, 9)).toEqual([]);
  });
});

it('stops at an event of a newer release', () => {
  const unknown = { type: 'AppPainted', data: {} } as unknown as AppRegistered;
  expect(() => evolve(apps.initialState(), [unknown])).toThrow(UnknownEventError);
});

it('rejects a name that is blank', () => {
  after()
    .when(register({ name: ' ' }))
    .rejects({ errors: { name: ['The name must not be empty.'] } });
});

it('rejects a bundle id that is no reverse-DNS name', () => {
  after()
    .when(register({ bundleId: 'shop' }))
    .rejects({ errors: { bundle_id: ['The bundle_id must be in reverse-DNS style, for example com.example.app.'] } });
});

it('remembers all that was registered, and when', () => {
  const { state } = after(register(), register({ name: 'Other', description: 'Sells' }));
  expect(state.registered.get(2)).toMatchObject({ name: 'Other', description: 'Sells', createdAt: eventTime(1) });
});

it('keeps its events in the stream apps', () => {
  expect(APPS_STREAM).toBe('apps');
});
