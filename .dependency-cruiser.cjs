const service = '(gateway|registry|build-pipeline|device-updates|keys|merchant-sync)';
/** Where the browser package imports SDKs: lazily in index, else with a provider's entry. */
const browserEntry = '(index|sentry|datadog|bugsnag|rollbar|logrocket|raygun|app-center)\\.ts$';

/** Of a service as a whole, and of one subject. */
const DOMAIN = ['^services/[^/]+/domain/', '^services/[^/]+/[^/]+/domain/'];
const TESTS = '\\.(spec|contract|engine)\\.ts$';
/** Nothing of it is left in what is built. */
const TYPES_ONLY = ['@commander-js/extra-typings', '@types/node/'];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'kernel-imports-nothing',
      comment: 'The kernel depends on ulid, semver and Node alone.',
      severity: 'error',
      from: { path: '^libs/kernel', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^libs/kernel', 'node_modules/(@types/)?(ulid|semver)/', '^node:', '^(crypto|fs|path)$'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'A domain folder imports the kernel alone.',
      severity: 'error',
      from: { path: DOMAIN, pathNot: '\\.spec\\.ts$' },
      to: { pathNot: [...DOMAIN, '^libs/kernel'] },
    },
    {
      name: 'services-do-not-know-each-other',
      severity: 'error',
      from: { path: `^services/${service}/` },
      to: { path: '^services/', pathNot: ['^services/$1/', '^services/config/'] },
    },
    {
      name: 'settings-of-all-services-only-where-a-process-starts',
      comment: 'A service sees its own settings and the common ones.',
      severity: 'error',
      from: { path: '^(libs|services)/', pathNot: '^services/[^/]+/main\\.ts$|^services/config/' },
      to: { path: '^services/config/' },
    },
    {
      name: 'libs-do-not-know-services',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^services/' },
    },
    {
      name: 'ports-do-not-know-who-uses-them',
      severity: 'error',
      from: { path: '^libs/(event-store|document-store|object-store|messaging|vault)/', pathNot: TESTS },
      to: { path: '^libs/(projections|history|engines|service-host|openapi)/' },
    },
    {
      name: 'projections-know-stores-alone',
      severity: 'error',
      from: { path: '^libs/projections/', pathNot: TESTS },
      to: { path: '^libs/', pathNot: '^libs/(projections|kernel|event-store|document-store)/' },
    },
    {
      name: 'engines-do-not-know-their-host',
      severity: 'error',
      from: { path: '^libs/', pathNot: ['^libs/service-host/', TESTS] },
      to: { path: '^libs/service-host/' },
    },
    {
      name: 'fast-path-can-be-deleted',
      comment: 'The routes work without it: see docs/adr/0005-fast-path.md.',
      severity: 'error',
      from: { path: '^services/device-updates/', pathNot: ['/fast-path/', '/device-routes\\.ts$', TESTS] },
      to: { path: '^services/device-updates/fast-path/' },
    },
    {
      name: 'libsql-only-in-its-adapters',
      severity: 'error',
      from: { pathNot: '^libs/(event-store|document-store)/sqlite/' },
      to: { path: 'node_modules/libsql/' },
    },
    {
      name: 'nats-only-in-its-adapter',
      severity: 'error',
      from: { pathNot: '^libs/messaging/nats/' },
      to: { path: 'node_modules/nats/' },
    },
    {
      name: 'minio-only-in-its-adapter',
      severity: 'error',
      from: { pathNot: '^(libs/object-store/minio|test/engines|test/support)/' },
      to: { path: 'node_modules/minio/' },
    },
    {
      name: 'eventstoredb-only-in-its-adapter',
      severity: 'error',
      from: { pathNot: ['^libs/event-store/eventstoredb/', '^libs/testing/'] },
      to: { path: 'node_modules/(@eventstore/db-client|@grpc/grpc-js)/' },
    },
    {
      name: 'mongodb-only-in-its-adapter',
      severity: 'error',
      from: { pathNot: '^(libs/(document-store|projections)/mongodb/|libs/testing/|test/)' },
      to: { path: 'node_modules/mongodb/' },
    },
    {
      name: 'adapters-only-from-engines',
      comment: 'Who uses a port never sees the engine behind it.',
      severity: 'error',
      from: {
        pathNot: [
          '^libs/engines/',
          '^libs/([^/]+)/(sqlite|eventstoredb|mongodb|filesystem|minio|in-process|nats)/',
          '\\.(spec|engine)\\.ts$',
          '^test/',
        ],
      },
      to: { path: '^libs/[^/]+/(sqlite|eventstoredb|mongodb|filesystem|minio|in-process|nats)/' },
    },
    {
      name: 'browser-package-imports-nothing-else',
      comment: 'It is published: it knows nothing of Sluice or of Node.',
      severity: 'error',
      from: {
        path: '^libs/(error-tracking|client)/.*\\.ts$',
        pathNot: ['\\.spec\\.ts$', '^libs/error-tracking/demo/'],
      },
      to: { path: ['^libs/', '^services/'], pathNot: '^libs/$1/' },
    },
    {
      name: 'browser-package-runs-in-browsers',
      severity: 'error',
      from: {
        path: '^libs/(error-tracking|client)/.*\\.ts$',
        pathNot: ['\\.spec\\.ts$', '^libs/error-tracking/demo/'],
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'models-import-node-alone',
      comment: 'A test compares the product with its model, which must not share a mistake with it.',
      severity: 'error',
      from: { path: '^test/.*-model\\.ts$' },
      to: { dependencyTypesNot: ['core'] },
    },
    {
      name: 'device-package-imports-nothing',
      comment: 'It is published and runs in apps: on fetch and Web Crypto alone, and on Node in one entry.',
      severity: 'error',
      from: { path: '^libs/device/.*\\.ts$', pathNot: '\\.(spec|contract|fixture)\\.ts$|^libs/device/node\\.ts$' },
      to: { pathNot: '^libs/device/' },
    },
    {
      name: 'device-package-for-node-imports-node-alone',
      severity: 'error',
      from: { path: '^libs/device/node\\.ts$' },
      to: { pathNot: ['^libs/device/', ...TYPES_ONLY], dependencyTypesNot: ['core'] },
    },
    {
      name: 'command-brings-no-server-code',
      comment: 'It is published.',
      severity: 'error',
      from: { path: '^libs/cli/', pathNot: TESTS },
      to: { path: '^(libs|services)/', pathNot: '^libs/(cli|client|config|contracts|kernel|vault)/' },
    },
    {
      name: 'browser-sdks-only-in-their-adapters',
      severity: 'error',
      from: { pathNot: `^libs/error-tracking/(adapters/|${browserEntry})` },
      to: { path: 'node_modules/(@sentry|@datadog|@bugsnag|rollbar|logrocket|raygun4js)/' },
    },
    {
      name: 'console-speaks-http-alone',
      comment: 'It knows the client of the planes and their shapes, and nothing else of Sluice or of Node.',
      severity: 'error',
      from: { path: '^libs/console/.*\\.tsx?$', pathNot: '\\.spec\\.ts$' },
      to: { path: ['^libs/', '^services/'], pathNot: '^libs/(console|client)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'console-runs-in-browsers',
      severity: 'error',
      from: { path: '^libs/console/.*\\.tsx?$', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-tests-in-products',
      severity: 'error',
      from: { path: '^(libs|services)/', pathNot: '^libs/testing/|\\.(spec|contract|engine)\\.ts$' },
      to: { path: '\\.(spec|contract|engine)\\.ts$|^(libs/testing|test)/' },
    },
    {
      name: 'declared-dependencies',
      comment:
        'The packages that the browser package needs are in its own package.json: its SDKs as peers. The console is built whole.',
      severity: 'error',
      from: {
        path: '^(libs|services)/',
        pathNot: [
          '\\.(spec|contract|engine)\\.ts$',
          '^libs/testing/',
          `^libs/error-tracking/(adapters/|${browserEntry}|demo/)`,
          '^libs/console/',
        ],
      },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        pathNot: ['^node:', ...TYPES_ONLY],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
