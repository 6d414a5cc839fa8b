/** Packages of ES modules alone, which Node 20 requires and Jest can't. */
const MODULES = 'openid-client|oauth4webapi|jose|stream-json|stream-chain|p-limit|yocto-queue|qr';

/** Tests that only six services can pass. */
const SERVICES = '\\.services\\.(e2e|faults)\\.ts$';

/**
 * Slow tests of both deployments run on one of them: on six services, unless they depend little on the number of processes.
 * EVERY_DEPLOYMENT=1 runs them on both.
 */
const ON_ONE_PROCESS =
  'slow/(dashboard|doctor|limits|listings|listings-connection|listings-namespace|owner-budgets|projections|removed-apps|tracing)\\.deployed';
const EVERY = process.env['EVERY_DEPLOYMENT'] === '1';

/** @type {import('jest').Config} */
const shared = {
  testEnvironment: '<rootDir>/libs/testing/environment.ts',
  transform: {
    '^.+\\.ts$': ['@swc/jest'],
    [`/node_modules/(${MODULES})/.+\\.js$`]: ['@swc/jest', { module: { type: 'commonjs' } }],
  },
  transformIgnorePatterns: [`/node_modules/(?!(${MODULES})/)`],
  moduleNameMapper: {
    '^@sluice/(.*?)(/index\\.js)?$': '<rootDir>/libs/$1',
    // Lazy imports, as SWC compiles them.
    '^(\\.{1,2}/.*/(?:mongodb|eventstoredb)/index)\\.js$': '$1',
    // Published packages name their modules as they are called once they are built.
    '^(\\.{1,2}/(?:plane-client|preview-address|transport|retries|multipart|random-hex|sluice-error|(?:management|dashboard)-plane))\\.js$':
      '$1',
    '^(\\.{1,2}/(?:core|errors|plane|preview|state|storage|unzip|updater|verifier|(?:tracker/)?(?:context|configuration|adapter|sanitise|validation|provider|tracker)|adapters/[a-z-]+))\\.js$':
      '$1',
  },
  moduleFileExtensions: ['ts', 'js', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/dist'],
  setupFiles: ['reflect-metadata'],
};

/** @type {import('jest').Config} */
module.exports = {
  // Jest would leave one of two cores idle.
  maxWorkers: 2,
  testSequencer: '<rootDir>/test/longest-first.cjs',
  // Tests start processes on a shared machine; the time that takes proves nothing.
  testTimeout: 30_000,
  // A test that timed out may continue forever; the run must still end with a failure.
  forceExit: true,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/{libs,services,test/deploy,test/engines,test/fuzz,test/golden-events,test/language}/**/*.spec.ts',
      ],
      testPathIgnorePatterns: ['\\.(contract|integration|slow)\\.spec\\.ts$'],
    },
    {
      ...shared,
      displayName: 'integration',
      testMatch: [
        '<rootDir>/{libs,services,test/deploy,test/engines,test/fuzz,test/golden-events}/**/*.integration.spec.ts',
      ],
    },
    { ...shared, displayName: 'contract', testMatch: ['<rootDir>/libs/**/*.contract.spec.ts'] },
    { ...shared, displayName: 'engines', testMatch: ['<rootDir>/{libs,services,test/engines}/**/*.engine.ts'] },
    { ...shared, displayName: 'engine-faults', testMatch: ['<rootDir>/test/faults/**/*.engine.ts'] },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/e2e/**/*.e2e.ts'],
      testPathIgnorePatterns: [SERVICES],
    },
    {
      ...shared,
      displayName: 'services',
      testMatch: ['<rootDir>/test/**/*.{deployed,services}.e2e.ts'],
      testPathIgnorePatterns: EVERY ? [] : [ON_ONE_PROCESS, 'e2e/(owner-operations|settings)\\.deployed'],
      globals: { SIX_SERVICES: true },
    },
    {
      ...shared,
      displayName: 'faults',
      testMatch: ['<rootDir>/test/**/*.faults.ts'],
      testPathIgnorePatterns: [SERVICES],
    },
    { ...shared, displayName: 'service-faults', testMatch: ['<rootDir>/test/**/*.services.faults.ts'] },
    {
      ...shared,
      displayName: 'slow',
      testMatch: ['<rootDir>/test/slow/**/*.{slow,e2e}.ts', '<rootDir>/{libs,services,test/fuzz}/**/*.slow.spec.ts'],
      testPathIgnorePatterns: EVERY ? [] : [ON_ONE_PROCESS.replace('(', '(?!(').replace(')', ')).*')],
    },
    { ...shared, displayName: 'browser', testMatch: ['<rootDir>/test/browser/**/*.browser.ts'] },
    { ...shared, displayName: 'console', testMatch: ['<rootDir>/test/console/**/*.console.ts'] },
    { ...shared, displayName: 'containers', testMatch: ['<rootDir>/test/containers/**/*.containers.ts'] },
  ],
};
