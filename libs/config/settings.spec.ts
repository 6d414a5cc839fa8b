import { readSettings, SettingsError } from './settings';

describe('readSettings', () => {
  it('keeps everything below DATA_DIR unless told otherwise', () => {
    expect(readSettings({ DATA_DIR: '/srv/sluice', PORT: '' })).toMatchObject({
      port: 8080,
      dataDir: '/srv/sluice',
      eventStoreUrl: 'sqlite:/srv/sluice/events.db',
      stateStoreUrl: 'sqlite:/srv/sluice/state.db',
      readStoreUrl: 'sqlite:/srv/sluice/read.db',
      objectStoreUrl: 'file:/srv/sluice/objects',
      jobRetryDelaysMs: [10_000, 60_000, 300_000],
    });
  });

  it('drops a trailing slash of PUBLIC_URL', () => {
    expect(readSettings({ PUBLIC_URL: 'https://updates.example.com/' }).publicUrl).toBe('https://updates.example.com');
  });

  it.each([
    [{}, false, []],
    [{ MODULE_ENABLED_LISTINGS_ADS: 'on', ENTITLEMENTS: 'listings_ads' }, true, ['listings_ads']],
    [{ MODULE_ENABLED_LISTINGS_ADS: '1', ENTITLEMENTS: ' other , listings_ads' }, true, ['other', 'listings_ads']],
    [{ MODULE_ENABLED_LISTINGS_ADS: 'false', ENTITLEMENTS: '' }, false, []],
  ])('reads the first values of the listings module from %j', (env, moduleEnabledListingsAds, entitlements) => {
    expect(readSettings(env)).toMatchObject({ moduleEnabledListingsAds, entitlements });
  });

  it('reads the networks of trusted proxies', () => {
    expect(readSettings({}).trustedProxies).toEqual([]);
    expect(readSettings({ TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8,192.0.2.1' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
      '192.0.2.1',
    ]);
  });

  it.each([
    ['PORT', '80a', 'PORT must be a whole number'],
    ['PORT', '70000', 'PORT must be at most 65535'],
    ['PUBLIC_URL', 'updates.example.com', 'PUBLIC_URL must be an http or https address'],
    ['BUS_URL', 'amqp://x', 'BUS_URL must begin with'],
    ['EVENT_STORE_URL', 'postgres://x', 'EVENT_STORE_URL must begin with'],
    ['JOB_RETRY_DELAYS_MS', '10s', 'JOB_RETRY_DELAYS_MS must be milliseconds'],
    ['API_KEY_RECOVERY', 'yes', 'API_KEY_RECOVERY must be on or off'],
    ['MODULE_ENABLED_LISTINGS_ADS', 'yes', 'MODULE_ENABLED_LISTINGS_ADS must be true or false'],
    ['ENTITLEMENTS', 'listings_ads,', 'ENTITLEMENTS must be names'],
    ['LIMIT_REQUESTS_PER_MINUTE', '0', 'LIMIT_REQUESTS_PER_MINUTE must be at least 1'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'TRUSTED_PROXIES must be networks'],
    ['TRUSTED_PROXIES', '10.0.0.1,', 'TRUSTED_PROXIES must be networks'],
    ['TRUSTED_PROXIES', 'proxy.example.com', 'TRUSTED_PROXIES must be networks'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be'],
  ])('refuses %s=%s by name and fault', (name, value, sentence) => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingsError);
    expect(() => readSettings({ [name]: value })).toThrow(sentence);
  });

  it('names every setting that is wrong at once', () => {
    expect(() => readSettings({ PORT: '-1', STOP_GRACE_MS: 'x' })).toThrow(/PORT[\s\S]*STOP_GRACE_MS/);
  });
});
