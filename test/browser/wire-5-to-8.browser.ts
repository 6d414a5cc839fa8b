import { describeInChromium } from '../support/chromium';
import { CONTEXT, scene } from './browser';

describeInChromium('on the wire, provider_5 to provider_8', () => {
  const given = scene();

  async function recorded(call: string, first = ''): Promise<unknown[]> {
    const start = `{"call":"${call}","args":[${first && JSON.stringify(first)}`;
    const { body } = await given.arrival('provider_6', (one) => one.body.startsWith(start));
    return (JSON.parse(body) as { args: unknown[] }).args;
  }

  describe('provider_5', () => {
    it('takes the context in its own fields, and honours environment', async () => {
      await given.track({ provider_5: { ...given.blocks().provider_5, environment: 'staging' } });
      await given.consent(true);
      await given.log('no such basket', CONTEXT);

      const { url, headers, body } = await given.arrival('provider_5');
      expect(url.pathname).toBe('/api/1/item/');
      expect(headers['x-rollbar-access-token']).toBe('rollbar-token');
      expect(JSON.parse(body).data).toMatchObject({
        level: 'critical',
        environment: 'staging',
        custom: { severity: 'fatal', tags: CONTEXT.tags, extra: CONTEXT.extra },
        person: { id: 'u-1', email: 'ada@example.com', username: 'Ada' },
        body: {
          trace: { exception: { class: 'TypeError', message: 'no such basket' } },
          telemetry: [
            {
              type: 'manual',
              timestamp_ms: 1_700_000_000_000,
              body: { message: 'opened basket', category: 'ui', data: { items: 2 } },
            },
            { type: 'manual', timestamp_ms: 1_700_000_001_500, body: { message: 'pressed pay' } },
          ],
        },
      });
    });

    it.each([
      ['captureUncaught', 'thrown'],
      ['captureUnhandledRejections', 'rejected'],
    ])('sends uncaught errors only when %s is set', async (field, what) => {
      const fail = (text: string): Promise<void> =>
        given.page.evaluate(
          ([how, message]) => {
            if (how === 'thrown')
              setTimeout(() => {
                throw new Error(message);
              });
            else void Promise.reject(new Error(message));
          },
          [what, text] as const,
        );
      await given.track({ provider_5: given.blocks().provider_5 });
      await given.consent(true);
      await fail('not asked for');
      await given.log('a caught one');
      expect(given.collectors.provider_5.received).toHaveLength(1);

      await given.track({ provider_5: { ...given.blocks().provider_5, [field]: true } });
      await given.consent(true);
      await fail('asked for');
      await given.arrival('provider_5', ({ body }) => body.includes('"message":"asked for"'));
    });
  });

  describe('provider_6', () => {
    it('takes what its SDK can say of the context, and honours its fields', async () => {
      await given.page.evaluate((block) => {
        window.tracking = window.createErrorTracking({
          errorTracking: {
            providers: ['provider_6'],
            provider_6: {
              ...(block as { appId: string; endpoint: string }),
              shouldCaptureIP: false,
              network: { isEnabled: true, requestSanitizer: () => null },
            },
          },
        });
        return window.tracking.initialize();
      }, given.blocks().provider_6);
      await given.consent(true);
      await given.log('no such basket', CONTEXT);

      expect(await recorded('init')).toEqual([
        'org/app',
        expect.objectContaining({
          shouldCaptureIP: false,
          network: { isEnabled: true, requestSanitizer: '[Function]' },
          shouldSendData: '[Function]',
        }),
      ]);
      expect(await recorded('addEvent', 'lr.core.Exception')).toMatchObject([
        'lr.core.Exception',
        {
          errorType: 'TypeError',
          message: 'no such basket',
          tags: { ...CONTEXT.tags, severity: 'fatal' },
          extra: { order: '17', basket: '{"items":["tea","cup"]}' },
        },
        {},
      ]);
      expect(await recorded('identify')).toEqual(['u-1', { email: 'ada@example.com', name: 'Ada' }]);
      expect(await recorded('track')).toEqual([
        'opened basket',
        { items: 2, category: 'ui', timestamp: 1_700_000_000_000 },
      ]);
    });

    it('takes appID for appId, with one warning, unless both are there', async () => {
      const { endpoint } = given.blocks().provider_6;
      const { warnings } = await given.track({ provider_6: { appID: 'old/case', endpoint } });
      expect(warnings).toEqual(['provider_6: appID is deprecated, use appId']);
      await given.consent(true);
      expect(await recorded('init')).toEqual(['old/case', expect.anything()]);
    });
  });

  describe('provider_7', () => {
    it('takes the context in its own fields, and honours version', async () => {
      await given.track({ provider_7: { ...given.blocks().provider_7, version: '1.2.3' } });
      await given.consent(true);
      await given.log('no such basket', CONTEXT);
      await given.log('another', { breadcrumbs: [{ message: 'its own', timestamp: 1 }] });

      const { url, body } = await given.arrival('provider_7');
      expect(url.pathname + url.search).toBe('/entries?apikey=raygun-key');
      expect(JSON.parse(body).Details).toMatchObject({
        Error: { ClassName: 'TypeError', Message: 'no such basket' },
        Tags: ['screen:checkout', 'plan:pro', 'severity:fatal'],
        UserCustomData: { extra: CONTEXT.extra },
        User: { Identifier: 'u-1', Email: 'ada@example.com', FullName: 'Ada', IsAnonymous: false },
        Version: '1.2.3',
        Breadcrumbs: [
          { message: 'opened basket', category: 'ui', timestamp: 1_700_000_000_000, CustomData: { items: 2 } },
          { message: 'pressed pay', timestamp: 1_700_000_001_500 },
        ],
      });
      const second = await given.arrival('provider_7', (one) => one.body.includes('"another"'));
      expect(JSON.parse(second.body).Details.Breadcrumbs).toMatchObject([{ message: 'its own' }]);
    });

    it('sends no errors when enableCrashReporting is false, and uncaught errors when it is true', async () => {
      const block = given.blocks().provider_7;
      await given.track({ provider_7: { ...block, enableCrashReporting: false } });
      await given.consent(true);
      expect((await given.log('unheard')).skipped).toEqual([{ id: 'provider_7', reason: 'enableCrashReporting' }]);

      await given.track({ provider_7: { ...block, enableCrashReporting: true } });
      await given.consent(true);
      await given.page.evaluate(
        () =>
          void setTimeout(() => {
            throw new Error('uncaught one');
          }),
      );
      await given.arrival('provider_7', ({ body }) => body.includes('uncaught one'));
      expect(given.collectors.provider_7.received.filter(({ body }) => body.includes('unheard'))).toEqual([]);
    });

    it('watches real users when enableRealUserMonitoring says so', async () => {
      await given.track({ provider_7: { ...given.blocks().provider_7, enableRealUserMonitoring: true } });
      await given.consent(true);
      await given.arrival('provider_7', ({ url }) => url.pathname === '/events');
    });
  });

  describe('provider_8', () => {
    it('takes the context in its log format', async () => {
      await given.track({ provider_8: given.blocks().provider_8 });
      await given.consent(true);
      await given.log('no such basket', { ...CONTEXT, extra: { ...CONTEXT.extra, long: 'x'.repeat(200) } });

      const { url, headers, body } = await given.arrival('provider_8');
      expect(url.pathname + url.search).toBe('/logs?Api-Version=1.0.0');
      expect(headers['app-secret']).toBe('app-secret');
      expect(headers['install-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const [error, attachment] = JSON.parse(body).logs;
      expect(error).toMatchObject({
        type: 'handledError',
        userId: 'u-1',
        exception: { type: 'TypeError', message: 'no such basket', stackTrace: expect.stringContaining('TypeError') },
        properties: {
          severity: 'fatal',
          ...CONTEXT.tags,
          order: '17',
          basket: '{"items":["tea","cup"]}',
          'user.email': 'ada@example.com',
          'user.username': 'Ada',
          long: 'x'.repeat(125),
        },
        device: { sdkName: 'sluice.error-tracking', osName: 'Linux', locale: 'en-US' },
      });
      expect(attachment).toMatchObject({ type: 'errorAttachment', errorId: error.id, contentType: 'application/json' });
      expect(JSON.parse(Buffer.from(String(attachment.data), 'base64').toString())).toEqual(CONTEXT.breadcrumbs);
    });

    it('reports page views when enableAutoPageTracking is set', async () => {
      await given.track({ provider_8: { ...given.blocks().provider_8, analytics: { enableAutoPageTracking: true } } });
      await given.consent(true);
      await given.page.evaluate(() => history.pushState(null, '', '/basket?code=secret'));
      const { body } = await given.arrival('provider_8', (one) => one.body.includes('/basket'));
      expect(JSON.parse(body).logs).toMatchObject([{ type: 'page', name: '/basket' }]);
    });

    it.each([
      ['true', { dispatched: ['provider_8'], skipped: [] }],
      ['false', { dispatched: [], skipped: [{ id: 'provider_8', reason: 'crashes.confirm' }] }],
    ])('asks before it sends: answered %s', async (answer, expected) => {
      await given.page.evaluate(
        ([block, answered]) => {
          const confirm = () => Promise.resolve(answered === 'true');
          window.tracking = window.createErrorTracking({
            errorTracking: {
              providers: ['provider_8'],
              provider_8: { ...(block as { appSecret: string }), crashes: { askBeforeSending: true, confirm } },
            },
          });
          return window.tracking.initialize();
        },
        [given.blocks().provider_8, answer] as const,
      );
      await given.consent(true);
      expect(await given.log('may I?')).toMatchObject(expected);
      expect(given.collectors.provider_8.received).toHaveLength(answer === 'true' ? 1 : 0);
    });

    it.each(['accept', 'dismiss'] as const)(
      "asks with the browser's dialog where there is no confirm: %s",
      async (answer) => {
        given.page.once('dialog', (dialog) => void dialog[answer]());
        await given.track({ provider_8: { ...given.blocks().provider_8, crashes: { askBeforeSending: true } } });
        await given.consent(true);
        const sent = answer === 'accept';
        expect(await given.log('may I?')).toMatchObject({
          dispatched: sent ? ['provider_8'] : [],
          skipped: sent ? [] : [{ id: 'provider_8', reason: 'crashes.confirm' }],
        });
        expect(given.collectors.provider_8.received).toHaveLength(sent ? 1 : 0);
      },
    );
  });
});
