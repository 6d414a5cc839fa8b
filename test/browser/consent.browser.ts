import { setTimeout as pause } from 'node:timers/promises';
import { describeInChromium } from '../support/chromium';
import { PROVIDERS, scene } from './browser';

/** Long enough for an SDK to send what it sends by itself. */
const A_WHILE_MS = 1_500;

describeInChromium('consent', () => {
  const given = scene();

  /** Everything on, so that whatever can send by itself does. */
  function everything(): Record<string, Record<string, unknown>> {
    const blocks = given.blocks();
    return {
      ...blocks,
      provider_1: { ...blocks.provider_1, tracesSampleRate: 1 },
      provider_5: { ...blocks.provider_5, captureUncaught: true, captureUnhandledRejections: true },
      provider_6: { ...blocks.provider_6, network: { isEnabled: true } },
      provider_7: { ...blocks.provider_7, enableCrashReporting: true, enableRealUserMonitoring: true },
      provider_8: { ...blocks.provider_8, analytics: { enableAutoPageTracking: true } },
    };
  }

  /** What happens on a page anyway: uncaught errors, requests, visits. */
  async function live(): Promise<void> {
    await given.page.evaluate(async () => {
      setTimeout(() => {
        throw new Error('uncaught');
      });
      void Promise.reject(new Error('unhandled'));
      console.error(new Error('printed'));
      history.pushState(null, '', `/visited-${Math.random()}`);
      await fetch('/some-data');
      document.body.click();
    });
    await pause(A_WHILE_MS);
  }

  const counts = (): Record<string, number> =>
    Object.fromEntries(PROVIDERS.map((id) => [id, given.collectors[id].received.length]));
  const NOTHING = Object.fromEntries(PROVIDERS.map((id) => [id, 0]));

  it('before a yes nothing is loaded, stored or sent', async () => {
    const before = [...given.requests];
    const { activeProviders } = await given.track(everything(), { preConsent: 'buffer' });
    expect(activeProviders).toEqual(PROVIDERS);
    await given.log('held');
    await given.page.evaluate(() => {
      window.tracking.setUser({ id: 'u-1' });
      window.tracking.addBreadcrumb({ message: 'a step' });
    });
    await live();

    expect(given.requests.filter((url) => !before.includes(url))).toEqual([`${given.site.address}/some-data`]);
    expect(counts()).toEqual(NOTHING);
    expect(await given.page.evaluate(() => [localStorage.length, sessionStorage.length, document.cookie])).toEqual([
      0,
      0,
      '',
    ]);
    expect(await given.page.evaluate(() => document.scripts.length)).toBe(1);
  });

  it('a yes sends what was held, to every provider', async () => {
    await given.track(given.blocks(), { preConsent: 'buffer' });
    await given.log('held back', { tags: { when: 'early' } });
    await given.consent(true);
    await given.page.goto('about:blank');
    for (const id of PROVIDERS) await given.arrival(id, ({ body }) => body.includes('held back'));
  });

  it('after a no nothing is sent, by any side door, and a later yes opens all again', async () => {
    await given.track(everything());
    await given.consent(true);
    await given.log('heard');
    await live();
    for (const id of PROVIDERS.filter((one) => one !== 'provider_3')) {
      await given.arrival(id, ({ body }) => body.includes('heard'));
    }

    const before = counts();
    await given.consent(false);
    const { skipped } = await given.log('unheard');
    expect(skipped.map(({ reason }) => reason)).toEqual(PROVIDERS.map(() => 'consent'));
    await live();
    expect(counts()).toEqual(before);
    expect(
      await given.page.evaluate(() => [Object.keys(localStorage), Object.keys(sessionStorage), document.cookie]),
    ).toEqual([[], [], '_dd_s_v2=isExpired=1&c=0']);

    await given.consent(true);
    await given.log('heard again');
    await given.page.goto('about:blank');
    for (const id of PROVIDERS) {
      await given.arrival(id, ({ body }) => body.includes('heard again'));
      expect(given.collectors[id].received.filter(({ body }) => body.includes('unheard'))).toEqual([]);
    }
  });

  it('a no that overtakes an error keeps it back', async () => {
    await given.track(given.blocks());
    await given.consent(true);
    const { skipped } = await given.page.evaluate(() => {
      const logged = window.tracking.logError(new Error('overtaken'));
      void window.tracking.setConsent({ errorTracking: false });
      return logged;
    });
    await given.page.goto('about:blank');
    await pause(A_WHILE_MS);
    expect(skipped.map(({ reason }) => reason)).toEqual(PROVIDERS.map(() => 'consent'));
    for (const id of PROVIDERS) {
      expect(given.collectors[id].received.filter(({ body }) => body.includes('overtaken'))).toEqual([]);
    }
  });

  it('a page that is left after a no sends nothing on its way out', async () => {
    await given.track(everything());
    await given.consent(true);
    await given.log('heard');
    await live();
    const before = counts();
    await given.consent(false);
    await given.page.goto('about:blank');
    await pause(A_WHILE_MS);
    expect(counts()).toEqual(before);
  });

  it('what a collector did not take before a no is not tried again after it', async () => {
    const after = (): number => given.collectors.provider_3.received.length;
    given.collectors.provider_3.behave('broken');
    await given.track({ provider_3: given.blocks().provider_3 });
    await given.consent(true);
    // More than the SDK lets wait.
    await given.log('heard', { extra: { long: 'x'.repeat(20_000) } });
    await given.arrival('provider_3');
    await given.consent(false);
    // For what was on its way.
    await pause(500);
    const before = after();
    given.collectors.provider_3.behave('ok');
    await pause(4_000);
    expect(after()).toBe(before);
  });

  it('a shutdown ends it like a no', async () => {
    await given.track(everything());
    await given.consent(true);
    await given.log('heard');
    await given.page.evaluate(() => window.tracking.shutdown());
    await pause(A_WHILE_MS);
    const before = counts();
    expect((await given.log('unheard')).dispatched).toEqual([]);
    await live();
    expect(counts()).toEqual(before);
  });
});
