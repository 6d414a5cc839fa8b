import type { RegistryEvent } from '@sluice/contracts';
import { AccessState, type KnownToken } from './access-state';

const at = (event: RegistryEvent) => ({
  ...event,
  metadata: { commandId: 'c', actor: 'owner:1', correlationId: 'c', causationId: 'c', at: '2026-01-01T00:00:00.000Z' },
});
const owner = (id: number): RegistryEvent => ({ type: 'OwnerCreated', data: { id, name: 'me', hash: `owner-${id}` } });
const token = (
  id: number,
  over: Partial<Extract<RegistryEvent, { type: 'TokenIssued' }>['data']> = {},
): RegistryEvent => ({
  type: 'TokenIssued',
  data: {
    id,
    ownerId: 1,
    name: 'ci',
    permissions: ['manage'],
    allApps: false,
    apps: [],
    expiresAt: null,
    hash: `token-${id}`,
    ...over,
  },
});
const app = (id: number, over: { ownerId?: number; tokenId?: number | null } = {}): RegistryEvent => ({
  type: 'AppRegistered',
  data: {
    id,
    ownerId: 1,
    appId: `com.example.app${id}`,
    bundleId: null,
    name: `App ${id}`,
    description: null,
    platform: 'both',
    tokenId: null,
    ...over,
  },
});

function given(...events: RegistryEvent[]): { state: AccessState; token: (id: number) => KnownToken } {
  const state = new AccessState();
  for (const event of events) state.apply(at(event));
  return { state, token: (id) => state.token(`token-${id}`)! };
}

describe('AccessState', () => {
  it('finds an app by id and by app_id', () => {
    const { state, token: the } = given(owner(1), app(7), token(1, { apps: [7] }));
    expect(state.reachableApp(the(1), '7')).toMatchObject({ id: 7 });
    expect(state.reachableApp(the(1), 'com.example.app7')).toMatchObject({ id: 7 });
  });

  it('hides apps that were not selected for the token', () => {
    const { state, token: the } = given(app(7), app(8), token(1, { apps: [7] }));
    expect(state.reachableApp(the(1), '8')).toBeUndefined();
    expect(state.reachableApps(the(1)).map(({ id }) => id)).toEqual([7]);
  });

  it('attaches an app to the token that registered it', () => {
    const { state, token: the } = given(token(1), token(2), app(7, { tokenId: 1 }));
    expect(state.reachableApp(the(1), '7')).toBeDefined();
    expect(state.reachableApp(the(2), '7')).toBeUndefined();
  });

  it('lets a token for all apps reach later ones, but none of another owner', () => {
    const { state, token: the } = given(token(1, { allApps: true }), app(7), app(8, { ownerId: 2 }));
    expect(state.reachableApps(the(1)).map(({ id }) => id)).toEqual([7]);
    expect(state.reachableApp(the(1), '8')).toBeUndefined();
  });

  it('follows an edit: the apps are those named, and those that the token registers from then on', () => {
    const edited = (over: object): RegistryEvent => ({
      type: 'TokenEdited',
      data: {
        ...{ id: 1, name: 'new', permissions: ['manage', 'keys.delete'], allApps: false, apps: [], ownAppsAfter: 0 },
        expiresAt: '2030-01-01T00:00:00.000Z',
        ...over,
      },
    });
    const before = [app(7), token(1, { apps: [7] }), app(8, { tokenId: 1 }), app(9, { tokenId: 1 })];
    const { state, token: the } = given(...before, edited({ apps: [7], ownAppsAfter: 8 }), app(10, { tokenId: 1 }));
    // 9 was registered while the edit was under way.
    expect(state.reachableApps(the(1)).map(({ id }) => id)).toEqual([7, 9, 10]);
    expect(the(1)).toMatchObject({
      ...{ name: 'new', permissions: ['manage', 'keys.delete'], ownerId: 1, hash: 'token-1' },
      expiresAt: '2030-01-01T00:00:00.000Z',
      createdAt: '2026-01-01T00:00:00.000Z',
    });
    state.apply(at(edited({ allApps: true, ownAppsAfter: 10 })));
    expect(state.reachableApps(the(1)).map(({ id }) => id)).toEqual([7, 8, 9, 10]);
  });

  it('knows a rotated token by its new secret alone', () => {
    const { state } = given(token(1), { type: 'TokenRotated', data: { id: 1, hash: 'fresh' } });
    expect(state.token('token-1')).toBeUndefined();
    expect(state.token('fresh')).toMatchObject({ id: 1, hash: 'fresh' });
  });

  it('forgets a revoked token, whatever became of it before', () => {
    const { state } = given(
      token(1),
      { type: 'TokenRotated', data: { id: 1, hash: 'fresh' } },
      { type: 'TokenRevoked', data: { id: 1 } },
    );
    expect([state.token('token-1'), state.token('fresh')]).toEqual([undefined, undefined]);
  });

  it('knows an app by its new name once it was edited', () => {
    const { state, token: the } = given(app(7), token(1, { allApps: true }), {
      type: 'AppEdited',
      data: { id: 7, name: 'Renamed', description: null },
    });
    expect(state.reachableApp(the(1), '7')).toMatchObject({ name: 'Renamed', appId: 'com.example.app7' });
    expect(state.reachableApp(the(1), 'com.example.app7')).toMatchObject({ name: 'Renamed' });
  });

  it('knows what the owner decided about the signatures of an app, by either id', () => {
    const decided = (data: object) => ({ type: 'AppEdited', data: { id: 7, ...data } }) as RegistryEvent;
    const { state, token: the } = given(app(7), token(1, { allApps: true }), decided({ uniqueSignatures: true }));
    expect(state.reachableApp(the(1), '7')).toMatchObject({ ownerHoldsSigningKeys: false, uniqueSignatures: true });
    state.apply(at(decided({ signingKeyRotation: 'owner_only' })));
    for (const id of ['7', 'com.example.app7']) {
      expect(state.reachableApp(the(1), id)).toMatchObject({ ownerHoldsSigningKeys: true, uniqueSignatures: true });
    }
    state.apply(at(decided({ signingKeyRotation: 'any_token', name: 'Renamed', keepBuilds: 3 })));
    const [changed, kept] = [{ ownerHoldsSigningKeys: false, name: 'Renamed' }, { keepBuilds: 3 }];
    expect(state.reachableApp(the(1), '7')).toMatchObject({ ...changed, ...kept });
    state.apply(at(decided({ keepBuilds: null })));
    expect(state.reachableApp(the(1), '7')).toMatchObject({ ...changed, keepBuilds: null });
  });

  it('forgets an app as soon as its removal begins, and finds the next one of that app_id', () => {
    const { state, token: the } = given(app(7), token(1, { apps: [7] }), token(2, { allApps: true }), {
      type: 'AppRemovalStarted',
      data: { id: 7 },
    });
    for (const reference of ['7', 'com.example.app7']) {
      expect(state.reachableApp(the(1), reference)).toBeUndefined();
      expect(state.reachableApp(the(2), reference)).toBeUndefined();
    }
    expect([...the(1).apps]).toEqual([]);
    const next = app(8);
    if (next.type === 'AppRegistered') Object.assign(next.data, { appId: 'com.example.app7' });
    state.apply(at({ type: 'AppRemoved', data: { id: 7 } }));
    state.apply(at(next));
    expect(state.reachableApp(the(2), 'com.example.app7')).toMatchObject({ id: 8 });
  });

  it('knows an owner by its present key alone', () => {
    const { state } = given(owner(1), { type: 'OwnerKeyRotated', data: { id: 1, hash: 'fresh' } });
    expect(state.owner('owner-1')).toBeUndefined();
    expect(state.owner('fresh')).toEqual({ id: 1, name: 'me', hash: 'fresh', suspended: false });
  });

  it('knows a suspended owner as such until it is resumed', () => {
    const suspension: RegistryEvent = { type: 'OwnerSuspended', data: { id: 1, reason: 'x', stopDevices: false } };
    const resumption: RegistryEvent = { type: 'OwnerResumed', data: { id: 1 } };
    expect(given(owner(1), suspension).state.ownerById(1)).toMatchObject({ suspended: true });
    expect(given(owner(1), suspension, resumption).state.owner('owner-1')).toMatchObject({ suspended: false });
  });

  it('resolves an app reference of an owner among the owner’s apps alone', () => {
    const { state } = given(owner(1), app(7), app(8, { ownerId: 2 }));
    expect(state.ownedApp(state.owner('owner-1')!, '7')).toBeDefined();
    expect(state.ownedApp(state.owner('owner-1')!, '8')).toBeUndefined();
  });

  it('remembers a removed app for its owner, by its id alone', () => {
    const { state } = given(owner(1), owner(2), app(7), app(8), { type: 'AppRemovalStarted', data: { id: 7 } });
    const [one, other] = [state.owner('owner-1')!, state.owner('owner-2')!];
    expect(['7', '8', 'com.example.app8'].map((reference) => state.everOwnedApp(one, reference)?.id)).toEqual([
      7, 8, 8,
    ]);
    expect(['com.example.app7', '9'].map((reference) => state.everOwnedApp(one, reference))).toEqual([
      undefined,
      undefined,
    ]);
    expect(['7', '8'].map((reference) => state.everOwnedApp(other, reference))).toEqual([undefined, undefined]);
    expect(state.ownedApp(one, '7')).toBeUndefined();
  });
});
