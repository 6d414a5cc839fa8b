// Builds the server and the CLI as one file for Linux, from what is built in dist: node executable.mjs [x64] [arm64].
// Without an argument, for the architecture of this machine. Writes dist/executable/sluice-linux-ARCHITECTURE.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { arch, argv, exit, platform, stderr, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { inject } from 'postject';

/** SHA-512 of the npm packages node-linux-ARCHITECTURE, in the version of deploy/Dockerfile. */
const NODE_INTEGRITY = {
  x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
};

/** Where modules of dist/services find dist/console and dist/docs: three folders below those. */
const BUNDLE = 'services/standalone/bundle';

/** Which the server loads from files, next to its bundle. */
const THREADS = [
  'libs/document-store/sqlite/counting.child',
  'libs/document-store/sqlite/writer.worker',
  'libs/event-store/sqlite/append.worker',
  'services/build-pipeline/inspection/inspection.worker',
  'services/keys/signing-keys/rsa.worker',
];

/** Packages that Nest loads only if an application uses them. */
const UNUSED_PEERS = [
  ...['@nestjs/websockets', '@nestjs/platform-express', '@fastify/static', '@fastify/view', 'class-transformer'],
  ...['class-validator', 'kafkajs', 'mqtt', 'amqplib', 'amqp-connection-manager', 'ioredis'],
];

/** Where Node finds the blob: https://nodejs.org/api/single-executable-applications.html */
const SENTINEL = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const out = join(dist, 'executable');
const cache = join(root, 'node_modules/.cache/executable');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const [, nodeVersion] = /^ARG NODE_IMAGE=node:([\d.]+)/m.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'));
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

function fail(message) {
  stderr.write(`${message}\n`);
  exit(1);
}

function run(command, args, options) {
  const { status, error } = spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  if (status !== 0) fail(`${command} ${args.join(' ')} failed: ${error?.message ?? `exit code ${status}`}.`);
}

const digest = (algorithm, content, encoding) => createHash(algorithm).update(content).digest(encoding);

/** Fetches the tarball of a package unless it is cached, verifies it, and unpacks it into a folder. */
function unpackPackage(spec, integrity, folder) {
  const tarball = join(cache, `${spec.replace(/^@/, '').replaceAll(/[/@]/g, '-')}.tgz`);
  const isValid = () =>
    existsSync(tarball) && `sha512-${digest('sha512', readFileSync(tarball), 'base64')}` === integrity;
  if (!isValid()) {
    mkdirSync(cache, { recursive: true });
    const fetched = mkdtempSync(join(cache, 'fetch-'));
    run('npm', ['pack', spec, '--pack-destination', fetched, '--loglevel=error'], { cwd: fetched });
    renameSync(join(fetched, basename(tarball)), tarball);
    rmSync(fetched, { recursive: true });
  }
  if (!isValid()) fail(`${spec} does not have the integrity ${integrity}. Pin that of the version in executable.mjs.`);
  mkdirSync(folder, { recursive: true });
  run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  return folder;
}

const unpackNode = (architecture, folder) =>
  unpackPackage(`node-linux-${architecture}@${nodeVersion}`, NODE_INTEGRITY[architecture], folder);

/** Bundles modules of dist into a folder. Returns the packages of node_modules that are in the bundles. */
async function bundle(modules, outdir) {
  const { metafile } = await build({
    ...{ absWorkingDir: dist, entryPoints: modules.map((module) => `${module}.js`), entryNames: '[name]', outdir },
    ...{ bundle: true, platform: 'node', format: 'cjs', target: `node${nodeVersion}`, metafile: true },
    // Classes are found by their names.
    keepNames: true,
    external: [...UNUSED_PEERS, '@libsql/*'],
    logLevel: 'error',
    plugins: [
      {
        name: 'version',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\/libs\/config\/version\.js$/ }, () => ({
            contents: `exports.VERSION = ${JSON.stringify(version)};`,
          })),
      },
    ],
  });
  return Object.keys(metafile.inputs).flatMap((path) => /.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
}

/** The licences of what the executable holds. */
function licences(folders) {
  return [...new Set(folders)]
    .sort()
    .map((folder) => {
      const { name, version: itsVersion, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
      return [`${name} ${itsVersion} (${license})`, ...texts.map((file) => readFileSync(join(folder, file), 'utf8'))]
        .join('\n\n')
        .trim();
    })
    .join(`\n\n${'-'.repeat(80)}\n\n`);
}

/**
 * A program for 64-bit Linux (ELF) without its symbols and debug information, a seventh of Node: they are behind the
 * segments that are loaded. The table of the sections, which describes them, is at the end as well.
 */
function withoutSymbols(program) {
  const headers = Number(program.readBigUInt64LE(0x20));
  const [size, count] = [program.readUInt16LE(0x36), program.readUInt16LE(0x38)];
  const ends = Array.from({ length: count }, (_, n) => {
    const at = headers + n * size;
    return Number(program.readBigUInt64LE(at + 0x08) + program.readBigUInt64LE(at + 0x20));
  });
  program.writeBigUInt64LE(0n, 0x28);
  program.writeUInt32LE(0, 0x3c);
  return program.subarray(0, Math.max(...ends));
}

const filesIn = (folder) =>
  readdirSync(folder, { recursive: true })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort();

const compress = (content) =>
  brotliCompressSync(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });

async function buildFor(architecture, scratch, shared, usedPackages) {
  const libsql = `@libsql/linux-${architecture}-gnu`;
  const { version: libsqlVersion, integrity } = packages[`node_modules/${libsql}`];
  const addon = unpackPackage(`${libsql}@${libsqlVersion}`, integrity, join(scratch, architecture, 'libsql'));
  const node = unpackNode(architecture, join(scratch, architecture, 'node'));
  const own = new Map(
    ['package.json', 'index.node'].map((file) => [`node_modules/${libsql}/${file}`, readFileSync(join(addon, file))]),
  );
  own.set('LICENSES.txt', Buffer.from(licences([root, node, addon, ...usedPackages])));

  const assets = join(scratch, architecture, 'assets');
  mkdirSync(assets);
  const files = {};
  const paths = {};
  const add = (path, { sha256, compressed }) => {
    paths[path] = join(assets, sha256);
    files[path] = sha256;
    writeFileSync(paths[path], compressed);
  };
  for (const [path, asset] of shared) add(path, asset);
  for (const [path, content] of own) add(path, assetOf(content));
  const hash = digest('sha256', JSON.stringify(files), 'hex').slice(0, 32);
  paths['runtime.json'] = join(assets, 'runtime.json');
  writeFileSync(paths['runtime.json'], JSON.stringify({ hash, files }));

  const blob = join(scratch, architecture, 'blob');
  const config = join(scratch, architecture, 'sea.json');
  const main = join(scratch, 'main', 'executable.js');
  writeFileSync(config, JSON.stringify({ main, output: blob, disableExperimentalSEAWarning: true, assets: paths }));
  // The format of the blob is that of the Node which reads it.
  run(join(scratch, 'builder', 'bin/node'), ['--experimental-sea-config', config]);

  const part = join(out, `sluice-linux-${architecture}.part`);
  writeFileSync(part, withoutSymbols(readFileSync(join(node, 'bin/node'))), { mode: 0o755 });
  await inject(part, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: SENTINEL });
  const file = part.replace(/\.part$/, '');
  renameSync(part, file);
  const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
  const gzipped = gzipSync(readFileSync(file), { level: 6 }).length;
  stdout.write(`${file}: ${megabytes(statSync(file).size)}, with gzip ${megabytes(gzipped)}\n`);
}

const assetOf = (content) => ({ sha256: digest('sha256', content, 'hex'), compressed: compress(content) });

const wanted = argv.length > 2 ? argv.slice(2) : [arch];
const unknown = wanted.find((architecture) => !(architecture in NODE_INTEGRITY));
if (unknown !== undefined) fail(`No executable can be built for ${unknown}. Choose x64 or arm64.`);
if (platform !== 'linux' || !(arch in NODE_INTEGRITY)) fail('Build executables on Linux, on an x64 or arm64 machine.');

const scratch = mkdtempSync(join(tmpdir(), 'sluice-executable-'));
try {
  mkdirSync(out, { recursive: true });
  unpackNode(arch, join(scratch, 'builder'));
  const usedPackages = [
    ...(await bundle(['services/standalone/executable'], join(scratch, 'main'))),
    ...(await bundle(['services/standalone/main', ...THREADS], join(scratch, 'files', BUNDLE))),
  ].map((path) => join(dist, path));
  for (const site of ['console', 'docs']) cpSync(join(dist, site), join(scratch, 'files', site), { recursive: true });
  const files = join(scratch, 'files');
  const shared = filesIn(files).map((path) => [path, assetOf(readFileSync(join(files, path)))]);
  for (const architecture of wanted) await buildFor(architecture, scratch, shared, usedPackages);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
