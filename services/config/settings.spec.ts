import { SettingsError } from '@sluice/config';
import { readSettings } from './settings';

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

  it('limits and retries as the specification says unless told otherwise', () => {
    expect(readSettings({})).toMatchObject({
      limitRequestsPerMinute: 120,
      limitUploadsPerHour: 30,
      limitKeyActionsPerHour: 10,
      jobRetryDelaysMs: [10_000, 60_000, 300_000],
      jobContentRetryDelaysMs: [1_000, 2_000, 4_000],
    });
    const env = { LIMIT_REQUESTS_PER_MINUTE: '1', LIMIT_UPLOADS_PER_HOUR: '2', LIMIT_KEY_ACTIONS_PER_HOUR: '3' };
    expect(readSettings({ ...env, JOB_RETRY_DELAYS_MS: '4', JOB_CONTENT_RETRY_DELAYS_MS: '5,6' })).toMatchObject({
      limitRequestsPerMinute: 1,
      limitUploadsPerHour: 2,
      limitKeyActionsPerHour: 3,
      jobRetryDelaysMs: [4],
      jobContentRetryDelaysMs: [5, 6],
    });
  });

  it('drops a trailing slash of PUBLIC_URL', () => {
    expect(readSettings({ PUBLIC_URL: 'https://updates.example.com/' }).publicUrl).toBe('https://updates.example.com');
  });

  it('reads the hosts that were taken over', () => {
    expect(readSettings({}).compatHosts).toEqual(new Map());
    const hosts = 'codepush.example.com=codepush, ota.example.com=expo/svc_app_1_2-staging';
    expect(readSettings({ COMPAT_HOSTS: hosts }).compatHosts).toEqual(
      new Map([
        ['codepush.example.com', '/compat/codepush'],
        ['ota.example.com', '/compat/expo/svc_app_1_2-staging'],
      ]),
    );
  });

  it.each([
    [
      'codepush.example.com',
      /COMPAT_HOSTS must be entries like codepush.example.com=codepush.*, not "codepush.example.com"/,
    ],
    ['https://a.example=codepush', /not "https:\/\/a.example=codepush"/],
    ['a.example:8080=codepush', /not "a.example:8080=codepush"/],
    ['a.example=codepush/', /not "a.example=codepush\/"/],
    ['a.example=appcenter', /COMPAT_HOSTS names "appcenter", but must name one of capawesome, capgo, codepush/],
    ['a.example=expo/a, a.example=expo/b', /COMPAT_HOSTS names the host a.example twice/],
  ])('rejects %s as hosts that were taken over', (hosts, message) => {
    expect(() => readSettings({ COMPAT_HOSTS: hosts })).toThrow(message);
  });

  it.each([
    [{}, false, []],
    [{ MODULE_ENABLED_LISTINGS_ADS: 'on', ENTITLEMENTS: 'listings_ads' }, true, ['listings_ads']],
    [{ MODULE_ENABLED_LISTINGS_ADS: '1', ENTITLEMENTS: ' other , listings_ads' }, true, ['other', 'listings_ads']],
    [{ MODULE_ENABLED_LISTINGS_ADS: 'false', ENTITLEMENTS: '' }, false, []],
  ])('reads the first values of the listings module from %j', (env, moduleEnabledListingsAds, entitlements) => {
    expect(readSettings(env)).toMatchObject({ moduleEnabledListingsAds, entitlements });
  });

  it('names the plugin and its paths by the settings', () => {
    expect(readSettings({})).toMatchObject({ pluginName: 'svc', pluginNamespace: 'svc' });
    expect(readSettings({ PLUGIN_NAME: 'api', PLUGIN_NAMESPACE: 'my-shop_2' })).toMatchObject({
      pluginName: 'api',
      pluginNamespace: 'my-shop_2',
    });
  });

  it.each([
    [{ PLUGIN_NAME: 'My Shop' }, /^The setting PLUGIN_NAME may hold 1 to 40 lower-case letters/],
    [{ PLUGIN_NAMESPACE: '1/x' }, /^The setting PLUGIN_NAMESPACE may hold 1 to 40 lower-case letters/],
    [{ PLUGIN_NAMESPACE: 'x'.repeat(41) }, /^The setting PLUGIN_NAMESPACE may hold 1 to 40/],
    [{ PLUGIN_NAMESPACE: 'api' }, /^The setting PLUGIN_NAMESPACE must be none of api, console, docs, health/],
    [{ PLUGIN_NAMESPACE: 'metrics' }, /^The setting PLUGIN_NAMESPACE must be none of/],
  ])('rejects a plugin called %j', (env, fault) => {
    expect(() => readSettings(env)).toThrow(fault);
  });

  it('uses the public addresses of the merchant API by default', () => {
    expect(readSettings({})).toMatchObject({
      remoteCatalog: 'merchant_api_v1',
      merchantApiBaseUrl: 'https://merchantapi.googleapis.com',
      contentApiBaseUrl: 'https://shoppingcontent.googleapis.com/content/v2.1',
      remoteRetryBaseMs: 1_000,
      oauthTokenUrl: 'https://oauth2.googleapis.com/token',
    });
    expect(readSettings({})).not.toHaveProperty('oauthClientId');
    expect(readSettings({})).not.toHaveProperty('oauthClientSecret');
    const env = { MERCHANT_API_BASE_URL: 'http://127.0.0.1:9/', OAUTH_TOKEN_URL: 'http://[::1]:9/token' };
    expect(readSettings(env)).toMatchObject({
      merchantApiBaseUrl: 'http://127.0.0.1:9',
      oauthTokenUrl: 'http://[::1]:9/token',
    });
  });

  it.each(['http://example.com', 'http://127.0.0.1.example.com', 'http://10.0.0.1/', 'ftp://127.0.0.1', 'example.com'])(
    'rejects %s as an address that tokens are sent to',
    (address) => {
      for (const name of ['OAUTH_TOKEN_URL', 'OAUTH_REVOKE_URL', 'MERCHANT_API_BASE_URL', 'CONTENT_API_BASE_URL']) {
        expect(() => readSettings({ [name]: address })).toThrow(new RegExp(`The setting ${name} must be an http`));
      }
    },
  );

  it('reads the networks of trusted proxies', () => {
    expect(readSettings({}).trustedProxies).toEqual([]);
    expect(readSettings({ TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8,192.0.2.1' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      'fd00::/8',
      '192.0.2.1',
    ]);
  });

  it.each(['sqlite:/srv/events.db', 'esdb://admin:secret@events:2113?tls=true', 'esdb+discover://events.local'])(
    'takes %s as the event store',
    (url) => {
      expect(readSettings({ EVENT_STORE_URL: url }).eventStoreUrl).toBe(url);
    },
  );

  it.each([
    ['PORT', '80a', 'PORT must be a whole number'],
    ['PORT', '70000', 'PORT must be at most 65535'],
    ['PUBLIC_URL', 'updates.example.com', 'PUBLIC_URL must be an http or https address'],
    ['BUS_URL', 'amqp://x', 'BUS_URL must begin with'],
    ['BUS_NAMESPACE', 'blue.>', 'BUS_NAMESPACE may hold letters'],
    ['EVENT_STORE_URL', 'postgres://x', 'EVENT_STORE_URL must begin with sqlite: or esdb:// or esdb+discover://'],
    ['OBJECT_STORE_URL', 'ftp://x', 'OBJECT_STORE_URL must begin with'],
    [
      'OBJECT_STORE_PUBLIC_URL',
      'https://cdn.example.com/bundles',
      'OBJECT_STORE_PUBLIC_URL must be an address without',
    ],
    ['DOWNLOAD_MODE', 'proxy', 'DOWNLOAD_MODE must be stream or redirect'],
    ['JOB_RETRY_DELAYS_MS', '10s', 'JOB_RETRY_DELAYS_MS must be milliseconds'],
    ['API_KEY_RECOVERY', 'yes', 'API_KEY_RECOVERY must be on or off'],
    ['MODULE_ENABLED_LISTINGS_ADS', 'yes', 'MODULE_ENABLED_LISTINGS_ADS must be true or false'],
    ['ENTITLEMENTS', 'listings_ads,', 'ENTITLEMENTS must be names'],
    ['LIMIT_REQUESTS_PER_MINUTE', '0', 'LIMIT_REQUESTS_PER_MINUTE must be at least 1'],
    ['TRUSTED_PROXIES', '10.0.0.0/33', 'TRUSTED_PROXIES must be networks'],
    ['TRUSTED_PROXIES', '10.0.0.1,', 'TRUSTED_PROXIES must be networks'],
    ['TRUSTED_PROXIES', 'proxy.example.com', 'TRUSTED_PROXIES must be networks'],
    ['LOG_LEVEL', 'loud', 'LOG_LEVEL must be'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address'],
    ['OTEL_TRACES_SAMPLER_ARG', '2', 'OTEL_TRACES_SAMPLER_ARG must be at most 1'],
  ])('rejects %s=%s by name and fault', (name, value, sentence) => {
    expect(() => readSettings({ [name]: value })).toThrow(SettingsError);
    expect(() => readSettings({ [name]: value })).toThrow(sentence);
  });

  it.each([
    'minio://key:secret@127.0.0.1:9000/bundles',
    'minios://key:a%2Fb%40c@objects.internal/bundles',
    's3://AKIA123:x+y%3D@s3.eu-central-1.amazonaws.com/my-bundles?region=eu-central-1',
    's3://ASIA123:secret@s3.amazonaws.com/my-bundles?region=eu-central-1&session_token=Fwo+GZ/X%3D=',
    's3://ASIA123:secret@s3.amazonaws.com/my-bundles?session_token=Fwo%2BGZ',
    'minio://key:secret@[::1]:9000/bundles',
  ])('takes the object store %s', (url) => {
    const settings = readSettings({ OBJECT_STORE_URL: url, DOWNLOAD_MODE: 'redirect' });
    expect(settings).toMatchObject({ objectStoreUrl: url, downloadMode: 'redirect' });
    expect(settings.objectStorePublicUrl).toBeUndefined();
  });

  it.each([
    'minio://127.0.0.1:9000/bundles',
    'minio://key@127.0.0.1:9000/bundles',
    'minio://key:secret@127.0.0.1:9000',
    'minio://key:secret@127.0.0.1:9000/Bundles',
    'minio://key:sec/ret@127.0.0.1:9000/bundles',
    's3://key:secret@host/bundles/prefix',
    's3://key:secret@host/bundles?zone=1',
    's3://key:secret@host/bundles?region=x&zone=1',
    's3://key:secret@host/bundles?session_token=',
  ])('rejects the object store %s without showing its secret', (url) => {
    const read = () => readSettings({ OBJECT_STORE_URL: url });
    expect(read).toThrow(/^The setting OBJECT_STORE_URL must read minio:\/\/KEY:SECRET@host/);
    expect(read).toThrow(/^(?!.*(secret|sec\/ret)@)/);
  });

  it('rejects redirected downloads whose URLs no store signs for so long', () => {
    const env = { OBJECT_STORE_URL: 'minio://key:secret@host/bundles', DOWNLOAD_URL_TTL_SECONDS: '604801' };
    const redirecting = () => readSettings({ ...env, DOWNLOAD_MODE: 'redirect' });
    expect(redirecting).toThrow(SettingsError);
    expect(redirecting).toThrow(/DOWNLOAD_URL_TTL_SECONDS must be at most 604800/);
    expect(readSettings(env).downloadMode).toBe('stream');
  });

  it.each([
    'mongodb://db.internal:27017/sluice',
    'mongodb://127.0.0.1',
    'mongodb://user:p%40ss@one:27017,two:27017/sluice?replicaSet=rs0&tls=true',
    'mongodb+srv://user:secret@cluster.example.com/',
  ])('keeps rows and state in %s', (address) => {
    expect(readSettings({ READ_STORE_URL: address, STATE_STORE_URL: address })).toMatchObject({
      readStoreUrl: address,
      stateStoreUrl: address,
    });
  });

  it.each(['mongodb://', 'mongodb://user:hunter2@', 'mongodb://user:hun/ter2@host/db', 'mongodb://host/a.b'])(
    'rejects %s without repeating it',
    (address) => {
      const read = () => readSettings({ STATE_STORE_URL: address });
      expect(read).toThrow(/^The setting STATE_STORE_URL must read mongodb:\/\/USER:PASSWORD@host/);
      expect(read).not.toThrow(/hun.?ter2/);
    },
  );

  const STORE = {
    WOOCOMMERCE_URL: 'https://shop.example/',
    WOOCOMMERCE_KEY: 'ck_hunter2',
    WOOCOMMERCE_SECRET: 'cs_hunter2',
  };

  it('reads the listings’ products from one source, or from none', () => {
    expect(readSettings({}).woocommerceUrl ?? readSettings({}).productsJsonUrl).toBeUndefined();
    expect(readSettings(STORE)).toMatchObject({
      woocommerceUrl: 'https://shop.example',
      woocommerceKey: 'ck_hunter2',
      woocommerceSecret: 'cs_hunter2',
      sourceAllowPrivateAddresses: false,
      sourceMaxBytes: 2_147_483_648,
      sourceRetryBaseMs: 1_000,
      sourceTimeoutMs: 30_000,
    });
    for (const url of [
      'file:./products.json',
      'https://shop.example/feed?key=x',
      'http://127.0.0.1:1/p',
      'http://[::1]/',
    ])
      expect(readSettings({ PRODUCTS_JSON_URL: url }).productsJsonUrl).toBe(url);
  });

  it.each([
    [{ ...STORE, PRODUCTS_JSON_URL: 'file:x.json' }, /WOOCOMMERCE_URL and PRODUCTS_JSON_URL are both set/],
    [{ ...STORE, WOOCOMMERCE_SECRET: '' }, /WOOCOMMERCE_URL needs WOOCOMMERCE_KEY and WOOCOMMERCE_SECRET/],
    [{ ...STORE, WOOCOMMERCE_URL: 'http://shop.example' }, /WOOCOMMERCE_URL must be an https address/],
    [{ ...STORE, WOOCOMMERCE_URL: 'http://127.0.0.1.shop.example' }, /WOOCOMMERCE_URL must be an https address/],
    [
      { ...STORE, WOOCOMMERCE_URL: 'https://ck:hunter2@shop.example' },
      /WOOCOMMERCE_URL must be the address of the site/,
    ],
    [
      { ...STORE, WOOCOMMERCE_URL: 'https://shop.example/?consumer_secret=hunter2' },
      /WOOCOMMERCE_URL must be the addr/,
    ],
    [{ PRODUCTS_JSON_URL: 'http://shop.example/p.json' }, /PRODUCTS_JSON_URL must read file:PATH or be an https/],
    [{ PRODUCTS_JSON_URL: 'products.json' }, /PRODUCTS_JSON_URL must read file:PATH/],
    [
      { PRODUCTS_JSON_URL: 'https://ann:hunter2@shop.example/' },
      /PRODUCTS_JSON_URL must not hold a name or a password/,
    ],
    [{ STORE_CURRENCY: 'euro' }, /STORE_CURRENCY must be a currency of ISO 4217/],
    [{ OFFER_ID_PREFIX: 'my shop' }, /OFFER_ID_PREFIX may hold/],
  ])('rejects a store as %j, without repeating its secrets', (env, sentence) => {
    expect(() => readSettings(env)).toThrow(SettingsError);
    expect(() => readSettings(env)).toThrow(sentence);
    expect(() => readSettings(env)).not.toThrow(/hunter2/);
  });

  it('gives metrics a listener of their own, on loopback, where METRICS_PORT is set', () => {
    expect(readSettings({}).metricsPort).toBeUndefined();
    expect(readSettings({ METRICS_HOST: '0.0.0.0' }).metricsPort).toBeUndefined();
    expect(readSettings({ METRICS_PORT: '9464' })).toMatchObject({ metricsHost: '127.0.0.1', metricsPort: 9464 });
    expect(() => readSettings({ METRICS_PORT: 'x' })).toThrow('The setting METRICS_PORT must be a whole number.');
  });

  it('names every invalid setting', () => {
    expect(() => readSettings({ PORT: '-1', STOP_GRACE_MS: 'x' })).toThrow(/PORT[\s\S]*STOP_GRACE_MS/);
  });
});
