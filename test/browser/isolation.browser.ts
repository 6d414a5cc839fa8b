import { describeInChromium } from '../support/chromium';
import { PROVIDERS, scene } from './browser';

describeInChromium('isolation', () => {
  const given = scene();

  /** Providers whose SDK reports what happened to an error. */
  const TELLING = ['provider_1', 'provider_4', 'provider_5', 'provider_8'] as const;

  it('every provider gets errors through its entry, which is loaded after consent', async () => {
    await given.page.evaluate((blocks) => {
      const errorTracking = { providers: Object.keys(blocks), ...blocks };
      window.tracking = window.createFromEntries({ errorTracking } as never);
      return window.tracking.initialize();
    }, given.blocks());
    const loaded = given.requests.length;
    await given.log('unheard');
    expect(given.requests).toHaveLength(loaded);
    await given.consent(true);
    expect(await given.log('heard')).toEqual({ dispatched: PROVIDERS, skipped: [], failed: [] });
    await given.page.goto('about:blank');
    for (const id of PROVIDERS) await given.arrival(id, ({ body }) => body.includes('heard'));
  });

  it.each(PROVIDERS)('%s answering 500 harms no other', async (id) => {
    given.collectors[id].behave('broken');
    await given.track(given.blocks());
    await given.consent(true);
    const report = await given.log('heard');
    const failing = TELLING.filter((one) => one === id);
    expect(report.failed).toEqual(failing.map((one) => ({ id: one, message: expect.stringContaining('') })));
    expect(report.dispatched).toEqual(PROVIDERS.filter((one) => !failing.some((name) => name === one)));
    await given.page.goto('about:blank');
    for (const other of PROVIDERS) await given.arrival(other, ({ body }) => body.includes('heard'));
  });

  it('collectors that hang harm no other, and are given up after 5 s', async () => {
    for (const id of TELLING) given.collectors[id].behave('hanging');
    await given.track(given.blocks());
    await given.consent(true);
    expect(await given.log('heard')).toEqual({
      dispatched: ['provider_3', 'provider_6', 'provider_7'],
      skipped: [],
      failed: TELLING.map((id) => ({ id, message: 'no answer within 5000 ms' })),
    });
    for (const id of TELLING) given.collectors[id].behave('ok');
    expect((await given.log('heard again')).failed).toEqual([]);
  });

  it('collectors that are gone cause no storm on a page that reports every failure', async () => {
    await given.page.evaluate(() => {
      const report = (error: unknown): void => void window.tracking.logError(error as Error);
      window.addEventListener('error', ({ error }) => report(error));
      window.addEventListener('unhandledrejection', ({ reason }) => report(reason));
      for (const name of ['error', 'warn'] as const) {
        const print = console[name].bind(console);
        console[name] = (...told: unknown[]) => {
          print(...told);
          report(String(told[0]));
        };
      }
    });
    await given.track(given.blocks());
    await given.consent(true);
    const served = given.requests.length;
    await Promise.all(PROVIDERS.map((id) => given.collectors[id].close()));
    await given.log('unheard');
    await given.page.waitForTimeout(2_000);
    expect(given.requests.length - served).toBeLessThan(3 * PROVIDERS.length);
  });

  it('an error with a cycle of causes and a context with cycles reach every provider', async () => {
    await given.track(given.blocks());
    await given.consent(true);
    const report = await given.page.evaluate(() => {
      const outer = new Error('round and round');
      outer.cause = new Error('inner', { cause: outer });
      const extra: Record<string, unknown> = { page: document.body, view: window };
      extra['self'] = extra;
      return window.tracking.logError(outer, { extra });
    });
    expect(report).toEqual({ dispatched: PROVIDERS, skipped: [], failed: [] });
    await given.page.goto('about:blank');
    for (const id of PROVIDERS) await given.arrival(id, ({ body }) => body.includes('round and round'));
  });
});

describeInChromium('under the strictest content security policy', () => {
  const given = scene(true);

  it('every provider works, and nothing is refused', async () => {
    await given.track(given.blocks());
    await given.consent(true);
    expect((await given.log('heard')).failed).toEqual([]);
    await given.page.goto('about:blank');
    for (const id of PROVIDERS) await given.arrival(id, ({ body }) => body.includes('heard'));
    expect(given.printed.filter((text) => text.includes('Content Security Policy'))).toEqual([]);
  });
});
