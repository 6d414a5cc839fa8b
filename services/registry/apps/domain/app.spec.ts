import { UnknownEventError } from '@sluice/kernel';
import { specify } from '@sluice/testing';
import { app, type AppCommand, type AppDetails, type AppEvent, appStream, registeredApp } from './app';
import { apps } from './apps';

const registered = { name: 'Shop', description: 'Sells', platform: 'both' } as const;
const edit = (edits: Partial<AppDetails>): AppCommand => ({ type: 'EditApp', id: 7, registered, edits });
const edited = (edits: Partial<AppDetails>): AppEvent => ({ type: 'AppEdited', data: { id: 7, ...edits } });
const remove: AppCommand = { type: 'StartRemoval', id: 7 };
const removal: AppEvent = { type: 'AppRemovalStarted', data: { id: 7 } };

type RolloutEdits = Extract<AppCommand, { type: 'EditApp' }>['edits']['defaultRollout'];

const { given } = specify(app);

describe('expecting a revision of an app', () => {
  it('takes a change for the revision that the app has, and rejects another one with it', () => {
    for (const command of [edit({ platform: 'ios' }), remove, edit({ name: 'Store' })]) {
      const changed = given(edited({ name: 'Store' }), edited({ description: null }));
      changed.when({ ...command, ifRevision: 2 }).rejects({ code: 'APP_CHANGED', details: { revision: 3 } });
    }
    expect(given().when({ ...edit({ name: 'Store' }), ifRevision: 1 }).events).toHaveLength(1);
    expect(given(edited({ name: 'Store' })).when({ ...remove, ifRevision: 2 }).events).toHaveLength(1);
  });
});

describe('editing an app', () => {
  it('records only what changed', () => {
    given()
      .when(edit({ name: 'Store', platform: 'both' }))
      .then(edited({ name: 'Store' }));
    given()
      .when(edit({ description: null }))
      .then(edited({ description: null }));
  });

  it('changes the platform', () => {
    given()
      .when(edit({ platform: 'ios' }))
      .then(edited({ platform: 'ios' }));
  });

  it('records nothing when nothing changes', () => {
    given().when(edit({})).then();
    given()
      .when(edit({ name: 'Shop', description: 'Sells' }))
      .then();
    given(edited({ name: 'Store' }))
      .when(edit({ name: 'Store' }))
      .then();
  });

  it('keeps the signing keys for the owner, and gives them back to the tokens', () => {
    const [kept, returned] = [{ signingKeyRotation: 'owner_only' }, { signingKeyRotation: 'any_token' }] as const;
    given().when(edit(returned)).then();
    given()
      .when(edit({ ...kept, uniqueSignatures: true }))
      .then(edited({ ...kept, uniqueSignatures: true }));
    given(edited(kept)).when(edit(kept)).then();
    given(edited(kept)).when(edit(returned)).then(edited(returned));
  });

  it('keeps the number of builds that the owner sets, and null puts back that of the installation', () => {
    given()
      .when(edit({ keepBuilds: null }))
      .then();
    given()
      .when(edit({ keepBuilds: 5 }))
      .then(edited({ keepBuilds: 5 }));
    given(edited({ keepBuilds: 5 }))
      .when(edit({ name: 'Store' }))
      .then(edited({ name: 'Store' }));
    given(edited({ keepBuilds: 5 }))
      .when(edit({ keepBuilds: null }))
      .then(edited({ keepBuilds: null }));
    given(edited({ keepBuilds: 5 }))
      .when(edit({ keepBuilds: 0 }))
      .then(edited({ keepBuilds: 0 }));
  });

  it('changes the default rollout of the channels that an edit names', () => {
    const now = { production: 'careful', staging: 50 };
    const editRollout = (defaultRollout: RolloutEdits, templates = ['careful', 'fast']): AppCommand => ({
      ...{ type: 'EditApp', id: 7, registered, edits: { defaultRollout }, templates },
    });
    given()
      .when(editRollout({ production: 'careful', staging: 50 }))
      .then(edited({ defaultRollout: now }));
    given(edited({ defaultRollout: now }))
      .when(editRollout({ staging: null, development: 100 }))
      .then(edited({ defaultRollout: { production: 'careful', development: 100 } }));
    given(edited({ defaultRollout: now }))
      .when(editRollout(null))
      .then(edited({ defaultRollout: {} }));
    for (const unchanged of [{}, { production: 'careful' }, { development: null }, { staging: 50 }]) {
      given(edited({ defaultRollout: now }))
        .when(editRollout(unchanged))
        .then();
    }
    given(edited({ defaultRollout: now }))
      .when(edit({ name: 'Store' }))
      .then(edited({ name: 'Store' }));
  });

  it('rejects a default rollout that names no plan template of the app', () => {
    const command: AppCommand = {
      ...{ type: 'EditApp', id: 7, registered, edits: { name: 'Store', defaultRollout: { staging: 'fast' } } },
      templates: ['careful'],
    };
    given()
      .when(command)
      .rejects({ code: 'PLAN_TEMPLATE_NOT_FOUND', details: { templates: ['careful'] } });
  });

  it('changes the default channel of the platforms that an edit names', () => {
    const now = { ios: 'beta', all: 'staging' };
    const editChannels = (defaultChannels: Record<string, string | null> | null): AppCommand => ({
      ...{ type: 'EditApp', id: 7, registered, edits: { defaultChannels } },
    });
    given()
      .when(editChannels(now))
      .then(edited({ defaultChannels: now }));
    given(edited({ defaultChannels: now }))
      .when(editChannels({ all: null, web: 'beta' }))
      .then(edited({ defaultChannels: { ios: 'beta', web: 'beta' } }));
    given(edited({ defaultChannels: now }))
      .when(editChannels(null))
      .then(edited({ defaultChannels: {} }));
    for (const unchanged of [{}, { ios: 'beta' }, { android: null }]) {
      given(edited({ defaultChannels: now }))
        .when(editChannels(unchanged))
        .then();
    }
  });

  it('declares and removes attributes, and keeps those that an edit leaves out', () => {
    const attributes = { plan: 'string', os: 'version' } as const;
    const editAttributes = (edits: Readonly<Record<string, 'string' | 'version' | null>>): AppCommand => ({
      ...{ type: 'EditApp', id: 7, registered, edits: { attributes: edits } },
    });
    given().when(editAttributes(attributes)).then(edited({ attributes }));
    given(edited({ attributes }))
      .when(editAttributes({ plan: null, tier: 'string' }))
      .then(edited({ attributes: { os: 'version', tier: 'string' } }));
    given(edited({ attributes }))
      .when(editAttributes({ os: 'string' }))
      .then(edited({ attributes: { plan: 'string', os: 'string' } }));
    for (const unchanged of [{}, { plan: 'string' }, { constructor: null }] as const) {
      given(edited({ attributes })).when(editAttributes(unchanged)).then();
    }
  });

  it('rejects a ninth attribute', () => {
    const attributes = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`a${n}`, 'string' as const]));
    const command = (edits: Readonly<Record<string, 'string' | null>>): AppCommand => ({
      ...{ type: 'EditApp', id: 7, registered, edits: { attributes: edits } },
    });
    given(edited({ attributes }))
      .when(command({ ninth: 'string' }))
      .rejects({ errors: { attributes: [expect.stringContaining('at most 8') as string] } });
    given(edited({ attributes }))
      .when(command({ ninth: 'string', a0: null }))
      .then(edited({ attributes: { ...Object.fromEntries(Object.entries(attributes).slice(1)), ninth: 'string' } }));
  });

  it('keeps the aliases of channels that are there', () => {
    const channels = ['production', 'beta.2'];
    const alias = (edits: Readonly<Record<string, string | null>> | null): AppCommand => ({
      ...{ type: 'EditApp', id: 7, registered, edits: { channelAliases: edits }, channels },
    });
    given()
      .when(alias({ Live: 'production', 'Beta testers': 'beta.2' }))
      .then(edited({ channelAliases: { Live: 'production', 'Beta testers': 'beta.2' } }));
    const before = given(edited({ channelAliases: { Live: 'production', gone: 'beta.1' } }));
    before.when(edit({ name: 'Shop' })).then();
    before.when(alias({ Next: 'beta.2' })).then(edited({ channelAliases: { Live: 'production', Next: 'beta.2' } }));
    before.when(alias({ Live: null })).then(edited({ channelAliases: {} }));
    before.when(alias(null)).then(edited({ channelAliases: {} }));
    given().when(alias(null)).then();
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`a${n}`, 'production']));
    given()
      .when(alias(many))
      .rejects({ errors: { channel_aliases: [expect.stringContaining('at most 100') as string] } });
  });

  it('given an edit, can be put back as it was registered', () => {
    given(edited({ name: 'Store', platform: 'ios' }))
      .when(edit({ name: 'Shop' }))
      .then(edited({ name: 'Shop' }));
  });
});

describe('removing an app', () => {
  it('starts', () =>
    given(edited({ name: 'Store' }))
      .when(remove)
      .then(removal));

  it.each([
    ['another removal', remove],
    ['an edit', edit({ name: 'Store' })],
    ['an edit that changes nothing', edit({})],
  ])('given its start, rejects %s as APP_NOT_FOUND', (_, command) => {
    given(removal).when(command).rejects('APP_NOT_FOUND');
  });
});

it('stops at an event of a newer release', () => {
  expect(() => given({ type: 'AppPainted', data: {} } as unknown as AppEvent).when(remove).events).toThrow(
    UnknownEventError,
  );
});

it('rejects a name that is blank', () => {
  given()
    .when(edit({ name: ' ' }))
    .rejects({ errors: { name: ['The name must not be empty.'] } });
});

it('keeps its events in the stream app-7', () => {
  expect(appStream(7)).toBe('app-7');
});

it('finds a registered app, and rejects any other id with APP_NOT_FOUND', () => {
  const data = { ...registered, id: 1, ownerId: 1, appId: 'app.shop', bundleId: null, tokenId: null };
  const { state } = specify(apps).given({ type: 'AppRegistered', data });
  expect(registeredApp(state, 1)).toMatchObject(data);
  expect(() => registeredApp(state, 2)).toThrow(expect.objectContaining({ code: 'APP_NOT_FOUND' }) as Error);
});
