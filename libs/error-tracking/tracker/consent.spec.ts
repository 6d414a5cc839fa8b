import type { ErrorReport } from './adapter';
import { given, NO, YES } from './tracker.fixture';

describe('consent', () => {
  it('loads and sends nothing before a yes, and says why', async () => {
    const { tracker, four } = given();
    expect(await tracker.initialize()).toEqual({
      success: true,
      activeProviders: ['provider_4', 'provider_5'],
      warnings: [],
    });

    const report = await tracker.logError(new Error('early'));

    expect(report.skipped).toEqual([
      { id: 'provider_4', reason: 'consent' },
      { id: 'provider_5', reason: 'consent' },
    ]);
    expect(four.calls).toEqual([]);
  });

  it('loads the SDKs on a yes, and hands errors to them', async () => {
    const { tracker, four } = given();
    await tracker.initialize();
    await tracker.setConsent(YES);
    expect(four.calls).toEqual(['fetch', 'load', 'start']);

    expect(await tracker.logError(new Error('heard'))).toEqual({
      dispatched: ['provider_4', 'provider_5'],
      skipped: [],
      failed: [],
    });
    expect(four.reports).toMatchObject([{ error: { message: 'heard' }, severity: 'error' }]);
  });

  it.each([[undefined], [null], [{}], [{ errorTracking: 'true' }], [{ errorTracking: 1 }]])(
    'takes %p for a no',
    async (answer) => {
      const { tracker, four } = given();
      await tracker.initialize();
      await tracker.setConsent(answer as never);
      expect(four.calls).toEqual([]);
    },
  );

  it.each([
    [
      'throws when it is read',
      () => ({
        get errorTracking(): boolean {
          throw new Error('no');
        },
      }),
    ],
    [
      'is a revoked proxy',
      () => {
        const { proxy, revoke } = Proxy.revocable({ errorTracking: true }, {});
        revoke();
        return proxy;
      },
    ],
  ])('takes an answer that %s for a no, after a yes too', async (_, answer) => {
    const { tracker, four } = given();
    await tracker.initialize();
    await tracker.setConsent(YES);
    await tracker.setConsent(answer());
    expect(four.calls.at(-1)).toBe('stop');
    expect((await tracker.logError('late')).skipped[0]?.reason).toBe('consent');
  });

  it('stops everything before a no returns', async () => {
    const { tracker, four } = given();
    await tracker.initialize();
    await tracker.setConsent(YES);

    void tracker.setConsent(NO);

    expect(four.calls).toEqual(['fetch', 'load', 'start', 'stop']);
    expect(four.host?.consented()).toBe(false);
    expect((await tracker.logError('late')).skipped[0]).toEqual({ id: 'provider_4', reason: 'consent' });
    expect(four.reports).toEqual([]);
  });

  it('does not start an SDK whose loading a no has overtaken', async () => {
    let loaded = (): void => undefined;
    const { tracker, four } = given({}, { load: () => new Promise((resolve) => (loaded = resolve)) });
    await tracker.initialize();
    const answered = tracker.setConsent(YES);
    await Promise.resolve();
    const logged = tracker.logError('meanwhile');
    await new Promise(setImmediate);
    void tracker.setConsent(NO);
    loaded();
    await answered;

    expect((await logged).skipped[0]).toEqual({ id: 'provider_4', reason: 'consent' });
    expect(four.calls).toEqual(['fetch', 'load']);
  });

  it('does not load an SDK when a no came while its adapter was fetched, until a yes', async () => {
    let fetched = (): void => undefined;
    const { tracker, four } = given({}, { fetch: () => new Promise((resolve) => (fetched = resolve)) });
    await tracker.initialize();
    const answered = tracker.setConsent(YES);
    await new Promise(setImmediate);
    void tracker.setConsent(NO);
    fetched();
    await answered;
    expect(four.calls).toEqual(['fetch']);

    const again = tracker.setConsent(YES);
    await new Promise(setImmediate);
    fetched();
    await again;
    expect(four.calls).toEqual(['fetch', 'fetch', 'load', 'start']);
  });

  it('never sends what was logged before a no, though a yes followed before the SDK was loaded', async () => {
    let loaded = (): void => undefined;
    const { tracker, four } = given({}, { load: () => new Promise((resolve) => (loaded = resolve)) });
    await tracker.initialize();
    void tracker.setConsent(YES);
    const before = tracker.logError('before the no');
    await new Promise(setImmediate);
    void tracker.setConsent(NO);
    void tracker.setConsent(YES);
    const after = tracker.logError('after the no');
    loaded();

    expect((await before).skipped).toContainEqual({ id: 'provider_4', reason: 'consent' });
    expect((await after).dispatched).toContain('provider_4');
    expect(four.reports).toMatchObject([{ error: { message: 'after the no' } }]);
  });

  it('starts again on a yes that follows a no, without loading again', async () => {
    const { tracker, four } = given();
    await tracker.initialize();
    await tracker.setConsent(YES);
    await tracker.setConsent(NO);
    await tracker.setConsent(YES);
    expect(four.calls).toEqual(['fetch', 'load', 'start', 'stop', 'start']);
    expect((await tracker.logError('again')).dispatched).toEqual(['provider_4', 'provider_5']);
  });

  it('counts when it was given before initialize', async () => {
    const { tracker, four } = given();
    await tracker.setConsent(YES);
    expect((await tracker.logError('too early')).skipped[0]?.reason).toBe('uninitialized');
    await tracker.initialize();
    expect(four.calls).toEqual(['fetch', 'load', 'start']);
  });

  it('of a kind that is not known keeps nothing unless errors are to be held', async () => {
    const { tracker, four } = given();
    await tracker.initialize();
    tracker.addBreadcrumb({ message: 'before' });
    await tracker.logError('before');
    await tracker.setConsent(YES);
    await tracker.logError('after');
    expect(four.reports).toMatchObject([{ error: { message: 'after' }, breadcrumbs: [] }]);
  });
});

describe('errors held until consent', () => {
  const held = { preConsent: 'buffer' };
  const messages = (reports: readonly ErrorReport[]): string[] => reports.map(({ error }) => error.message);

  it('are sent on a yes as they were when they happened', async () => {
    const { tracker, four, clock } = given(held);
    await tracker.initialize();
    const extra = { step: 1 };
    tracker.addBreadcrumb({ message: 'a step' });
    expect((await tracker.logError('held', { extra })).skipped[0]?.reason).toBe('consent');
    extra.step = 2;
    clock.now += 1_000;

    await tracker.setConsent(YES);

    expect(four.reports).toMatchObject([
      { error: { message: 'held' }, extra: { step: 1 }, at: 1_000_000, breadcrumbs: [{ message: 'a step' }] },
    ]);
  });

  it('are the last 20', async () => {
    const { tracker, four } = given(held);
    await tracker.initialize();
    for (let count = 1; count <= 25; count += 1) await tracker.logError(`error ${count}`);
    await tracker.setConsent(YES);
    expect(messages(four.reports)).toEqual(Array.from({ length: 20 }, (_, place) => `error ${place + 6}`));
  });

  it('are those of the last 10 minutes', async () => {
    const { tracker, four, clock } = given(held);
    await tracker.initialize();
    await tracker.logError('old');
    clock.now += 1;
    await tracker.logError('young');
    clock.now += 10 * 60_000 - 1;
    await tracker.setConsent(YES);
    expect(messages(four.reports)).toEqual(['young']);
  });

  it('are erased after 10 minutes, whatever the clock says', async () => {
    jest.useFakeTimers();
    try {
      const { tracker, four } = given(held);
      await tracker.initialize();
      await tracker.logError('old');
      await jest.advanceTimersByTimeAsync(10 * 60_000);
      await tracker.setConsent(YES);
      expect(four.reports).toEqual([]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('are not those that reading a context brings about', async () => {
    const { tracker, four } = given(held);
    await tracker.initialize();
    const extra = {
      toJSON() {
        void tracker.logError('from inside');
        return { read: true };
      },
    };
    await tracker.logError('from outside', { extra: { extra } });
    await tracker.setConsent(YES);
    expect(messages(four.reports)).toEqual(['from outside']);
  });

  it('are erased on a no, and not held after it', async () => {
    const { tracker, four } = given(held);
    await tracker.initialize();
    await tracker.logError('before');
    await tracker.setConsent(NO);
    await tracker.logError('after');
    await tracker.setConsent(YES);
    expect(four.reports).toEqual([]);
  });

  it('may come before initialize', async () => {
    const { tracker, four } = given(held);
    await tracker.logError('at start');
    await tracker.initialize();
    await tracker.setConsent(YES);
    expect(messages(four.reports)).toEqual(['at start']);
  });
});
