const service = '(gateway|registry|build-pipeline|device-updates|keys|merchant-sync)';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'kernel-stands-alone',
      comment: 'The kernel depends on ulid, semver and Node alone.',
      severity: 'error',
      from: { path: '^libs/kernel', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^libs/kernel', 'node_modules/(@types/)?(ulid|semver)/', '^node:', '^(crypto|fs|path)$'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'A domain folder imports the kernel alone.',
      severity: 'error',
      from: { path: '^services/[^/]+/domain/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^services/[^/]+/domain/', '^libs/kernel'] },
    },
    {
      name: 'services-do-not-know-each-other',
      severity: 'error',
      from: { path: `^services/${service}/` },
      to: { path: '^services/', pathNot: '^services/$1/' },
    },
    {
      name: 'libs-do-not-know-services',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^services/' },
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
      name: 'adapters-only-from-engines',
      comment: 'Who uses a port never sees the engine behind it.',
      severity: 'error',
      from: {
        pathNot: [
          '^libs/engines/',
          '^libs/([^/]+)/(sqlite|eventstoredb|mongodb|filesystem|minio|in-process|nats)/',
          '\\.spec\\.ts$',
          '^test/',
        ],
      },
      to: { path: '^libs/[^/]+/(sqlite|eventstoredb|mongodb|filesystem|minio|in-process|nats)/' },
    },
    {
      name: 'no-tests-in-products',
      severity: 'error',
      from: { path: '^(libs|services)/', pathNot: '\\.(spec|contract)\\.ts$' },
      to: { path: '\\.(spec|contract)\\.ts$|^test/' },
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      from: { path: '^(libs|services)/', pathNot: '\\.(spec|contract)\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'], pathNot: '^node:' },
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
