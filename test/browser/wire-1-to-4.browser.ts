import { describeInChromium } from '../support/chromium';
import { CONTEXT, scene } from './browser';

describeInChromium('on the wire, provider_1 to provider_4', () => {
  const given = scene();

  /** The items of the first envelope, headers and bodies in turn. */
  async function envelope(which: string): Promise<unknown[]> {
    const { body } = await given.arrival('provider_1', (one) => one.body.includes(`"type":"${which}"`));
    return body.split('\n').map((line) => JSON.parse(line) as unknown);
  }

  describe('provider_1', () => {
    it('takes the context in its own fields, and honours environment and release', async () => {
      const block = { ...given.blocks().provider_1, environment: 'staging', release: 'shop@1.2.3' };
      await given.track({ provider_1: block });
      await given.consent(true);

      expect(await given.log('no such basket', CONTEXT)).toEqual({
        dispatched: ['provider_1'],
        skipped: [],
        failed: [],
      });

      const [, , event] = await envelope('event');
      expect(event).toMatchObject({
        level: 'fatal',
        tags: CONTEXT.tags,
        extra: CONTEXT.extra,
        user: CONTEXT.user,
        breadcrumbs: [
          { message: 'opened basket', category: 'ui', timestamp: 1_700_000_000, data: { items: 2 } },
          { message: 'pressed pay', timestamp: 1_700_000_001.5 },
        ],
        environment: 'staging',
        release: 'shop@1.2.3',
        exception: { values: [{ type: 'TypeError', value: 'no such basket' }] },
      });
      expect(given.collectors.provider_1.received[0]!.url.pathname).toBe('/api/42/envelope/');
    });

    it.each([true, false])(
      'attaches a stack to a message when attachStacktrace says so: %s',
      async (attachStacktrace) => {
        await given.track({ provider_1: { ...given.blocks().provider_1, attachStacktrace } });
        await given.consent(true);
        await given.page.evaluate(() => window.tracking.logError('only words'));

        const [, , event] = await envelope('event');
        expect(event).toMatchObject({ message: 'only words', level: 'error' });
        expect(JSON.stringify(event).includes('"stacktrace"')).toBe(attachStacktrace);
      },
    );

    it('traces the page when tracesSampleRate is above 0', async () => {
      await given.track({ provider_1: { ...given.blocks().provider_1, tracesSampleRate: 1 } });
      await given.consent(true);

      const [header, , spans] = await envelope('span');
      expect(header).toMatchObject({ trace: { sample_rate: '1', sampled: 'true' } });
      expect(JSON.stringify(spans)).toContain('"sentry.op":{"value":"pageload"');
    });

    it('sends the causes of an error', async () => {
      await given.track({ provider_1: given.blocks().provider_1 });
      await given.consent(true);
      await given.page.evaluate(() => {
        const outer = new Error('outer', { cause: new RangeError('inner') });
        return window.tracking.logError(outer);
      });

      const [, , event] = await envelope('event');
      expect(event).toMatchObject({ exception: { values: [{ value: 'inner' }, { value: 'outer' }] } });
    });
  });

  it('provider_2 says once that it is not for the web, and sends nothing', async () => {
    const { success, warnings } = await given.track({ provider_2: { enabled: true, collectionEnabled: true } });
    await given.consent(true);

    expect({ success, warnings }).toEqual({
      success: false,
      warnings: ['provider_2 is not supported on web: use provider_1 for web error tracking'],
    });
    expect((await given.log('unheard')).skipped).toEqual([{ id: 'provider_2', reason: 'unsupported' }]);
    expect(given.printed).toEqual([expect.stringContaining('provider_2 is not supported on web')]);
  });

  it('provider_3 takes the context under `context`, and honours site, service and env', async () => {
    const block = { ...given.blocks().provider_3, site: 'datadoghq.eu', service: 'shop', env: 'staging' };
    await given.track({ provider_3: block });
    await given.consent(true);
    await given.page.evaluate(() =>
      window.tracking.setUser({ id: 'app-user', email: 'app@example.com', username: 'App' }),
    );
    await given.log('no such basket', CONTEXT);
    await given.page.goto('about:blank');

    const { url, body } = await given.arrival('provider_3');
    const forwarded = new URL(url.searchParams.get('ddforward')!, 'http://intake');
    expect(forwarded.pathname).toBe('/api/v2/rum');
    expect(forwarded.searchParams.get('dd-api-key')).toBe('client-token');
    const events = body.split('\n').map((line) => JSON.parse(line) as { type: string });
    expect(events.filter(({ type }) => type === 'error')).toEqual([
      expect.objectContaining({
        application: { id: 'application' },
        service: 'shop',
        ddtags: expect.stringContaining('env:staging'),
        usr: expect.objectContaining({ id: 'app-user', email: 'app@example.com', name: 'App' }),
        context: CONTEXT,
        error: expect.objectContaining({ message: 'no such basket', type: 'TypeError', source: 'custom' }),
      }),
    ]);
    expect(await given.page.evaluate(() => document.title)).toBe('');
  });

  it('provider_3 sends to the site that is named where no endpoint is', async () => {
    const { clientToken, applicationId } = given.blocks().provider_3;
    await given.track({ provider_3: { clientToken, applicationId, site: 'us3.datadoghq.com' } });
    await given.consent(true);
    const asked = given.page.waitForRequest(/datadoghq/);
    // More than the SDK lets wait.
    await given.log('heard', { extra: { long: 'x'.repeat(20_000) } });
    expect((await asked).url()).toMatch(
      /^https:\/\/browser-intake-us3-datadoghq\.com\/api\/v2\/rum\?ddsource=browser&/,
    );
  });

  describe('provider_3, on a device that is slow to open its session', () => {
    const slow = () =>
      given.page.evaluate(() => {
        const request = navigator.locks.request.bind(navigator.locks) as (...given: unknown[]) => Promise<unknown>;
        // The SDK opens its session under a lock.
        Object.assign(navigator.locks, {
          request: (...given: unknown[]) => new Promise((resolve) => setTimeout(() => resolve(request(...given)), 500)),
        });
      });

    it('says that it has an error only once a page that is left takes it along', async () => {
      await slow();
      await given.track({ provider_3: given.blocks().provider_3 });
      await given.consent(true);
      expect((await given.log('heard')).dispatched).toEqual(['provider_3']);
      await given.page.goto('about:blank');
      await given.arrival('provider_3', ({ body }) => body.includes('heard'));
    });

    it('loses no error that comes right after a later yes', async () => {
      await given.track({ provider_3: given.blocks().provider_3 });
      await given.consent(true);
      await given.log('heard');
      await given.consent(false);
      await slow();
      await given.consent(true);
      expect((await given.log('heard again')).dispatched).toEqual(['provider_3']);
      await given.page.goto('about:blank');
      await given.arrival('provider_3', ({ body }) => body.includes('heard again'));
    });
  });

  describe('provider_4', () => {
    it('takes the context in its own fields, keeps the severity it lacks, and honours its fields', async () => {
      const stages = { releaseStage: 'staging', enabledReleaseStages: ['staging'], appVersion: '1.2.3' };
      await given.track({ provider_4: { ...given.blocks().provider_4, ...stages } });
      await given.consent(true);
      await given.log('no such basket', CONTEXT);

      const { body, headers } = await given.arrival('provider_4');
      expect(headers['bugsnag-api-key']).toBe('0123456789abcdef0123456789abcdef');
      expect(JSON.parse(body).events).toEqual([
        expect.objectContaining({
          severity: 'error',
          app: expect.objectContaining({ releaseStage: 'staging', version: '1.2.3' }),
          user: { id: 'u-1', email: 'ada@example.com', name: 'Ada' },
          metaData: { tags: CONTEXT.tags, extra: CONTEXT.extra, context: { severity: 'fatal' } },
          exceptions: [expect.objectContaining({ errorClass: 'TypeError', errorMessage: 'no such basket' })],
          breadcrumbs: [
            {
              type: 'manual',
              name: 'opened basket',
              timestamp: '2023-11-14T22:13:20.000Z',
              metaData: { items: 2, category: 'ui' },
            },
            { type: 'manual', name: 'pressed pay', timestamp: '2023-11-14T22:13:21.500Z', metaData: {} },
          ],
        }),
      ]);
    });

    it('sends nothing at a stage that is not enabled, and every stage when none is named', async () => {
      const block = { ...given.blocks().provider_4, releaseStage: 'odd' };
      await given.track({ provider_4: { ...block, enabledReleaseStages: ['production'] } });
      await given.consent(true);
      expect((await given.log('unheard')).skipped).toEqual([{ id: 'provider_4', reason: 'enabledReleaseStages' }]);

      await given.track({ provider_4: block });
      await given.consent(true);
      expect((await given.log('heard')).dispatched).toEqual(['provider_4']);
      expect(given.collectors.provider_4.received).toHaveLength(1);
    });

    it('sends more errors than its SDK allows a page', async () => {
      await given.track({ provider_4: given.blocks().provider_4 });
      await given.consent(true);
      for (let count = 1; count <= 12; count += 1) await given.log(`error ${count}`);
      expect(given.collectors.provider_4.received).toHaveLength(12);
    });
  });
});
