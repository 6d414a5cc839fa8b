import { createErrorTracking } from '../index';

const OLD_SPELLING = { appID: 'org/app' };

// What is proven here is proven by the compiler: a line below an expectation that compiled would be an error.
describe('a configuration', () => {
  it('compiles when each provider has its block', () => {
    expect([
      createErrorTracking({ errorTracking: { providers: [] } }),
      createErrorTracking({ errorTracking: { providers: ['provider_1'], provider_1: { dsn: 'https://key@host/1' } } }),
      createErrorTracking({ errorTracking: { providers: ['provider_2'], provider_2: { collectionEnabled: true } } }),
      createErrorTracking({ errorTracking: { providers: ['provider_6'], provider_6: OLD_SPELLING } }),
      createErrorTracking({
        errorTracking: {
          providers: ['provider_5', 'provider_8'],
          provider_1: { dsn: 'a block that is not asked for' },
          provider_5: { accessToken: 'token', captureUncaught: true },
          provider_8: {
            appSecret: 'secret',
            crashes: { askBeforeSending: true, confirm: () => Promise.resolve(true) },
          },
          preConsent: 'buffer',
          redactKeys: ['password'],
        },
      }),
    ]).toHaveLength(5);
  });

  it('does not compile otherwise', () => {
    expect([
      // @ts-expect-error a provider without its block
      createErrorTracking({ errorTracking: { providers: ['provider_1'] } }),
      // @ts-expect-error one of two providers without its block
      createErrorTracking({ errorTracking: { providers: ['provider_2', 'provider_4'], provider_2: {} } }),
      // @ts-expect-error a block without its required field
      createErrorTracking({ errorTracking: { providers: ['provider_1'], provider_1: { environment: 'test' } } }),
      // @ts-expect-error a block without one of two required fields
      createErrorTracking({ errorTracking: { providers: ['provider_3'], provider_3: { clientToken: 'token' } } }),
      // @ts-expect-error neither appId nor its old spelling
      createErrorTracking({ errorTracking: { providers: ['provider_6'], provider_6: {} } }),
      // @ts-expect-error a field of the wrong type
      createErrorTracking({ errorTracking: { providers: ['provider_7'], provider_7: { apiKey: 7 } } }),
      // @ts-expect-error an unknown provider
      createErrorTracking({ errorTracking: { providers: ['provider_9'] } }),
      createErrorTracking({
        // @ts-expect-error an unknown answer to what happens before consent
        errorTracking: { providers: ['provider_2'], provider_2: {}, preConsent: 'send' },
      }),
    ]).toHaveLength(8);
  });
});
