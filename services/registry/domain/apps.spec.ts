import { evolveAll, UnknownEventError } from '@sluice/kernel';
import fc from 'fast-check';
import { apps, type AppRegistered, type Apps, type RegisterApp } from './apps';

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

const after = (...commands: RegisterApp[]): Apps =>
  commands.reduce((state, command) => evolveAll(apps, state, apps.decide(command, state)), apps.initialState());

const appIdOf = (command: RegisterApp, state: Apps) => apps.decide(command, state)[0]!.data.appId;

const refusal = (code: string) => expect.objectContaining({ code }) as Error;

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
    expect(apps.decide(command, after())).toEqual<AppRegistered[]>([
      {
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
      },
    ]);
  });

  it('given two apps, gives the id 3', () => {
    expect(apps.decide(register(), after(register(), register()))[0]!.data.id).toBe(3);
  });

  it.each([
    ['My Shop', 'app.my-shop'],
    ['  Über  Café!! ', 'app.uber-cafe'],
    ['日本語', 'app.app'],
    ['2048', 'app.2048'],
  ])('without a bundle id names the app "%s" %s', (name, appId) => {
    expect(appIdOf(register({ name }), after())).toBe(appId);
  });

  it('given apps of the same name, appends the first free suffix', () => {
    const twice = after(register({ name: 'Shop' }), register({ name: 'Shop 2' }));
    expect(appIdOf(register({ name: 'Shop' }), twice)).toBe('app.shop-3');
  });

  it('given another owner with the bundle id, refuses BUNDLE_ID_TAKEN', () => {
    const state = after(register({ ownerId: 1, bundleId: 'com.example.shop' }));
    expect(() => apps.decide(register({ ownerId: 2, bundleId: 'com.example.shop' }), state)).toThrow(
      refusal('BUNDLE_ID_TAKEN'),
    );
  });

  it('given an app id made from a name, refuses the same text as a bundle id', () => {
    const state = after(register({ name: 'Shop' }));
    expect(() => apps.decide(register({ bundleId: 'app.shop' }), state)).toThrow(refusal('BUNDLE_ID_TAKEN'));
  });

  it('given a full quota, refuses APP_LIMIT_REACHED to that owner alone', () => {
    const state = after(register({ ownerId: 1 }), register({ ownerId: 1 }));
    expect(() => apps.decide(register({ ownerId: 1, appLimit: 2 }), state)).toThrow(refusal('APP_LIMIT_REACHED'));
    expect(apps.decide(register({ ownerId: 2, appLimit: 2 }), state)).toHaveLength(1);
  });

  it('given a full quota and a taken bundle id, names the bundle id', () => {
    const state = after(register({ bundleId: 'com.example.shop' }));
    expect(() => apps.decide(register({ bundleId: 'com.example.shop', appLimit: 1 }), state)).toThrow(
      refusal('BUNDLE_ID_TAKEN'),
    );
  });

  it('whatever is registered: one namespace, ids 1 to n, reverse-DNS app ids, no quota exceeded', () => {
    const name = fc.oneof(fc.constantFrom('Shop', 'shop 2', 'shop-2', 'app', '…'), fc.string({ maxLength: 255 }));
    const bundleId = fc.constantFrom(null, null, 'app.shop', 'app.shop-2', 'app.app', 'com.example.a', 'com.example.b');
    const wishes = fc.array(fc.record({ ownerId: fc.integer({ min: 1, max: 2 }), name, bundleId }), { maxLength: 40 });
    fc.assert(
      fc.property(wishes, (list) => {
        const registered: AppRegistered['data'][] = [];
        let state = after();
        for (const wish of list) {
          try {
            const events = apps.decide(register({ ...wish, appLimit: 8 }), state);
            registered.push(...events.map((event) => event.data));
            state = evolveAll(apps, state, events);
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

it('stops at an event of a newer release', () => {
  const unknown = { type: 'AppPainted', data: {} } as unknown as AppRegistered;
  expect(() => apps.evolve(apps.initialState(), unknown)).toThrow(UnknownEventError);
});
