import type { ErrorReport } from './adapter';
import { createTracker } from './tracker';
import { given, YES } from './tracker.fixture';

describe('one provider and the others', () => {
  it.each([
    [
      'throws',
      () => {
        throw new Error('broken with secret-key-4');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken with secret-key-4'))],
  ])('is reported, without its credentials, and harms no other when it %s', async (_, send) => {
    const { tracker, five } = given({}, { send });
    await tracker.initialize();
    await tracker.setConsent(YES);
    expect(await tracker.logError('heard')).toEqual({
      dispatched: ['provider_5'],
      skipped: [],
      failed: [{ id: 'provider_4', message: 'broken with ***' }],
    });
    expect(five.reports).toHaveLength(1);
  });

  it('fails after 5 s when it hangs, without holding up the others', async () => {
    jest.useFakeTimers();
    try {
      const { tracker, five } = given({}, { send: () => new Promise(() => undefined) });
      await tracker.initialize();
      await tracker.setConsent(YES);
      const logged = tracker.logError('heard');
      await jest.advanceTimersByTimeAsync(0);
      expect(five.reports).toHaveLength(1);
      await jest.advanceTimersByTimeAsync(5_000);
      expect((await logged).failed).toEqual([{ id: 'provider_4', message: 'no answer within 5000 ms' }]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is not handed an error that was given up while it loaded', async () => {
    jest.useFakeTimers();
    try {
      let loaded = (): void => undefined;
      const { tracker, four } = given({}, { load: () => new Promise((resolve) => (loaded = resolve)) });
      await tracker.initialize();
      void tracker.setConsent(YES);
      const logged = tracker.logError('given up');
      await jest.advanceTimersByTimeAsync(5_000);
      expect((await logged).failed).toHaveLength(1);
      loaded();
      await jest.advanceTimersByTimeAsync(0);
      expect(four.reports).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('warns when its SDK is missing, and tries again with the next error', async () => {
    let installed = false;
    const load = (): Promise<void> => (installed ? Promise.resolve() : Promise.reject(new Error('not found')));
    const { tracker, printed } = given({}, { load });
    await tracker.setConsent(YES);
    const { activeProviders, warnings } = await tracker.initialize();
    expect(activeProviders).toEqual(['provider_5']);
    expect(warnings).toEqual(['provider_4 could not be loaded: not found']);
    expect((await tracker.logError('unheard')).failed).toEqual([{ id: 'provider_4', message: 'not found' }]);
    expect(printed).toHaveLength(1);

    installed = true;
    expect((await tracker.logError('heard')).dispatched).toEqual(['provider_4', 'provider_5']);
  });

  it('warns when its SDK does not start, and tries again with the next error', async () => {
    let broken = true;
    const start = (): void => {
      if (broken) throw new Error('secret-key-4 refused');
    };
    const { tracker } = given({}, { start });
    await tracker.setConsent(YES);
    expect(await tracker.initialize()).toEqual({
      success: true,
      activeProviders: ['provider_5'],
      warnings: ['provider_4 could not be started: *** refused'],
    });

    broken = false;
    expect((await tracker.logError('heard')).dispatched).toEqual(['provider_4', 'provider_5']);
  });

  it('is stopped by a no though it did not take the user', async () => {
    const setUser = (): void => {
      throw new Error('no user');
    };
    const { tracker, four } = given({}, { setUser });
    tracker.setUser({ id: 'app' });
    await tracker.setConsent(YES);
    expect((await tracker.initialize()).warnings).toEqual(['provider_4 did not take the user: no user']);
    await tracker.setConsent({ errorTracking: false });
    expect(four.calls).toEqual(['fetch', 'load', 'start', 'user app', 'stop']);
  });

  it('gets a copy of its own', async () => {
    const send = (report: ErrorReport): Promise<undefined> => {
      report.tags['spoilt'] = 'yes';
      report.extra['nested'] = null;
      report.error.message = 'spoilt';
      return Promise.resolve(undefined);
    };
    const { tracker, five } = given({}, { send });
    await tracker.initialize();
    await tracker.setConsent(YES);
    await tracker.logError('whole', { tags: { a: 'b' }, extra: { nested: { value: 1 } } });
    expect(five.reports).toMatchObject([
      { error: { message: 'whole' }, tags: { a: 'b' }, extra: { nested: { value: 1 } } },
    ]);
    expect(five.reports[0]?.tags).toEqual({ a: 'b' });
  });

  it('may report an error of its own without an endless loop', async () => {
    const inner: unknown[] = [];
    const state = given(
      {},
      {
        send: async () => {
          inner.push(await state.tracker.logError('from inside'));
          return undefined;
        },
      },
    );
    await state.tracker.initialize();
    await state.tracker.setConsent(YES);
    await state.tracker.logError('from outside');
    expect(inner).toMatchObject([{ skipped: [{ reason: 'recursion' }, { reason: 'recursion' }] }]);
    expect(state.five.reports).toHaveLength(1);
  });
});

describe('what is sent with the error', () => {
  async function reported(
    tell: (tracker: ReturnType<typeof given>['tracker']) => Promise<unknown>,
    options = {},
  ): Promise<ErrorReport> {
    const { tracker, four } = given(options);
    await tracker.initialize();
    await tracker.setConsent(YES);
    await tell(tracker);
    return four.reports[0]!;
  }

  it('is the user of the app unless the error names one', async () => {
    const { tracker, four } = given();
    await tracker.initialize();
    tracker.setUser({ id: 'app' });
    await tracker.setConsent(YES);
    await tracker.logError('one');
    await tracker.logError('two', { user: { id: 'other' } });
    tracker.setUser(null);
    await tracker.logError('three');
    expect(four.reports.map(({ user }) => user?.id)).toEqual(['app', 'other', undefined]);
    expect(four.calls).toEqual(['fetch', 'load', 'start', 'user app', 'user none']);
  });

  it('has the last 100 breadcrumbs of the app before those of the error', async () => {
    const { breadcrumbs } = await reported((tracker) => {
      for (let count = 1; count <= 101; count += 1)
        tracker.addBreadcrumb({ message: `step ${count}`, timestamp: count });
      return tracker.logError('after', { breadcrumbs: [{ message: 'last', category: 'ui', data: { a: 1 } }] });
    });
    expect(breadcrumbs).toHaveLength(101);
    expect(breadcrumbs[0]).toEqual({ message: 'step 2', timestamp: 2 });
    expect(breadcrumbs.at(-1)).toEqual({ message: 'last', category: 'ui', data: { a: 1 }, timestamp: 1_000_000 });
  });

  it('has the values of redacted names replaced wherever they stand', async () => {
    const report = await reported(
      (tracker) => {
        tracker.addBreadcrumb({ message: 'signed in', data: { Token: 'x' } });
        return tracker.logError(new Error('outer', { cause: { token: 'x' } }), {
          tags: { TOKEN: 'x', kept: 'y' },
          extra: { list: [{ deep: { token: { any: 'x' } } }], map: new Map([['Token', 'x']]) },
          user: { id: 'u', email: 'x' },
        });
      },
      { redactKeys: ['token', 'Email'] },
    );
    expect(report).toMatchObject({
      error: { cause: { token: '[Redacted]' } },
      tags: { TOKEN: '[Redacted]', kept: 'y' },
      extra: { list: [{ deep: { token: '[Redacted]' } }], map: [['Token', '[Redacted]']] },
      user: { id: 'u', email: '[Redacted]' },
      breadcrumbs: [{ data: { Token: '[Redacted]' } }],
    });
  });

  it('never makes logError reject, whatever it is', async () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('no');
        },
        ownKeys: () => {
          throw new Error('no');
        },
      },
    );
    const { proxy: revoked, revoke } = Proxy.revocable([], {});
    revoke();
    const nested = Object.assign(new Error(), { name: hostile, message: () => 1 });
    for (const context of [
      null,
      17,
      'text',
      hostile,
      revoked,
      { severity: 'loud', tags: 5, breadcrumbs: [null, hostile] },
      { extra: { revoked, nested }, tags: revoked, user: revoked, breadcrumbs: revoked },
    ]) {
      expect(await reported((tracker) => tracker.logError('x', context as never))).toMatchObject({ severity: 'error' });
    }
    const odd = Object.freeze(Object.assign(new Error(), { message: { not: 'text' }, cause: revoked }));
    for (const thrown of [undefined, null, 17, hostile, revoked, odd, Symbol('s'), { message: 'plain' }]) {
      expect((await reported((tracker) => tracker.logError(thrown as never))).error).toBeInstanceOf(Error);
    }
  });
});

describe('a configuration that is wrong', () => {
  it.each([
    [{ provider_4: { apiKey: ' ' } }, 'provider_4 is off: apiKey is required and must be a string that is not blank'],
    [{ provider_4: undefined }, 'provider_4 is off: its block errorTracking.provider_4 is missing'],
    [
      { provider_4: { apiKey: 'k', endpoint: 'no url' } },
      'provider_4 is off: endpoint must be an origin such as https://errors.example.com',
    ],
    [
      { provider_4: { apiKey: 'k', enabledReleaseStages: 'all' } },
      'provider_4 is off: enabledReleaseStages must be an array of strings',
    ],
  ])('turns that provider alone off: %p', async (blocks, warning) => {
    const { tracker, printed } = given(blocks);
    expect(await tracker.initialize()).toEqual({ success: true, activeProviders: ['provider_5'], warnings: [warning] });
    expect(printed).toEqual([`error-tracking: ${warning}`]);
    await tracker.setConsent(YES);
    expect((await tracker.logError('x')).skipped).toEqual([{ id: 'provider_4', reason: 'configuration' }]);
  });

  it.each([
    ['provider_1', { dsn: 'https://sentry.example.com/1' }, 'dsn must have the form https://KEY@HOST/PROJECT'],
    ['provider_1', { dsn: 'https://k@h/1', tracesSampleRate: 2 }, 'tracesSampleRate must be a number from 0 to 1'],
    ['provider_3', { clientToken: 'c' }, 'applicationId is required and must be a string that is not blank'],
    ['provider_6', { appId: 'app' }, 'appId must have the form <org>/<app>'],
    ['provider_6', { appId: 'o/a', network: { requestSanitizer: 1 } }, 'network.requestSanitizer must be a function'],
    ['provider_7', { apiKey: 'k', enableCrashReporting: 'no' }, 'enableCrashReporting must be true or false'],
    ['provider_8', { appSecret: 's' }, "endpoint is missing, and App Center's own host is no more"],
  ])('names the field of %s: %p', async (id, block, fault) => {
    const { tracker } = given({ providers: [id], [id]: block });
    expect(await tracker.initialize()).toEqual({
      success: false,
      activeProviders: [],
      warnings: [`${id} is off: ${fault}`],
    });
  });

  it('takes appID for appId with one warning, and appId when both are there', async () => {
    const { tracker } = given({ providers: ['provider_6'], provider_6: { appId: 'new/one', appID: 'bad' } });
    expect(await tracker.initialize()).toMatchObject({
      activeProviders: ['provider_6'],
      warnings: ['provider_6: appID is deprecated, use appId'],
    });
  });

  it('warns of an unknown provider, and of none at all', async () => {
    const { tracker } = given({ providers: ['provider_9', 'provider_5', 'provider_5'] });
    expect(await tracker.initialize()).toMatchObject({
      activeProviders: ['provider_5'],
      warnings: ['provider_9 is unknown: the providers are provider_1 to provider_8'],
    });
    expect(await createTracker(undefined as never, given().surroundings).initialize()).toMatchObject({
      success: false,
    });
  });

  it('is checked once', async () => {
    const { tracker, printed } = given({ providers: ['provider_2'] });
    expect(await tracker.initialize()).toBe(await tracker.initialize());
    expect(printed).toHaveLength(1);
  });
});

it('waits for errors under way when it is shut down, and takes no more', async () => {
  let answer = (): void => undefined;
  const { tracker, four } = given({}, { send: () => new Promise((resolve) => (answer = () => resolve(undefined))) });
  await tracker.initialize();
  await tracker.setConsent(YES);
  const logged = tracker.logError('last');
  await new Promise(setImmediate);
  const down = tracker.shutdown();
  expect((await tracker.logError('too late')).skipped[0]?.reason).toBe('shutdown');
  expect(four.calls).not.toContain('stop');
  answer();
  await down;
  expect((await logged).dispatched).toContain('provider_4');
  expect(four.calls.at(-1)).toBe('stop');
  await tracker.setConsent(YES);
  expect(four.calls.at(-1)).toBe('stop');
});

it('has nothing left to initialize when it was shut down', async () => {
  const { tracker, four } = given();
  await tracker.setConsent(YES);
  await tracker.shutdown();
  expect(await tracker.initialize()).toEqual({
    success: false,
    activeProviders: [],
    warnings: ['the tracker was shut down'],
  });
  expect((await tracker.logError('late')).skipped).toEqual([
    { id: 'provider_4', reason: 'shutdown' },
    { id: 'provider_5', reason: 'shutdown' },
  ]);
  expect(four.calls).toEqual([]);
});

it('does nothing on a server', async () => {
  const { tracker, four, printed } = given({ preConsent: 'buffer' }, {}, false);
  await tracker.setConsent(YES);
  expect(await tracker.initialize()).toEqual({ success: false, activeProviders: [], warnings: [] });
  expect((await tracker.logError('x')).skipped[0]?.reason).toBe('server');
  expect([four.calls, printed]).toEqual([[], []]);
});
