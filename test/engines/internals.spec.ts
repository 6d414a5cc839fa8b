import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'minio';

const ROOT = join(__dirname, '..', '..');

/** How code reaches what a package or Node does not offer. */
const INTERNAL = [
  /(from |\brequire\()'(mongodb|minio|nats|fastify|@nestjs\/[a-z-]+|@eventstore\/db-client|@grpc\/grpc-js)\//,
  /\bcreateRequire\(/,
  /\bReflect\.(get|set|apply|(get|define)(Own)?Metadata)\(/,
  /\b(?!Object\b|Array\b)[A-Z]\w*\.prototype\.\w+/,
  /\b(PARAM_ARGS|PATTERN|COMMAND|QUERY)_\w*METADATA\b/,
  /\bdestroySoon\b/,
  /\bconnectionType\b/,
  /\bsocketTimeoutMS: number\b/,
  /\b(makeRequest\w+|listIncompleteUploadsQuery|\w+MultipartUpload|uploadPart)\(/,
];

const rows = readFileSync(join(ROOT, 'docs/architecture/internals.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| .*`libs\//.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, internal = '', file = '', , test = '']) => ({ internal, file: file.replaceAll('`', ''), test }));

const sources = ['libs', 'services']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => path.endsWith('.ts') && !/\.(spec|contract|engine|fixture|d)\.ts$/.test(path))
  // The first three run in browsers, on other packages; the last serves only tests.
  .filter((path) => !/^libs\/(error-tracking|console|device|testing)\//.test(path))
  // Requires the files that it unpacked, as Node documents it for single executables.
  .filter((path) => path !== 'services/standalone/executable.ts');

it('names every file that uses an internal of a package or of Node', () => {
  const found = sources.filter((path) =>
    INTERNAL.some((pattern) => pattern.test(readFileSync(join(ROOT, path), 'utf8'))),
  );
  expect(found.sort()).toEqual([...new Set(rows.map(({ file }) => file))].sort());
});

it.each(rows)('$internal is used where it is named, and tested', ({ internal, file, test }) => {
  const source = readFileSync(join(ROOT, file), 'utf8');
  for (const [, name = ''] of internal.matchAll(/`([^`]+)`/g)) expect(source).toContain(name.split('.').at(-1));
  const [, spec = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
  expect(readFileSync(join(ROOT, spec), 'utf8')).toContain(`'${title}'`);
});

it('has a driver for MinIO with the calls of a multipart upload', () => {
  const calls = [
    'initiateNewMultipartUpload',
    'uploadPart',
    'completeMultipartUpload',
    'abortMultipartUpload',
    'listIncompleteUploadsQuery',
  ] as const;
  expect(calls.map((name) => Client.prototype[name].length)).toEqual([3, 2, 4, 3, 5]);
});
