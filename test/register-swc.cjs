// Lets worker threads and processes that tests start load TypeScript, as Jest lets the tests themselves. A test may start
// a hundred of them, so each file is compiled once, and SWC is loaded only for a file that is new or has changed.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { threadId } = require('node:worker_threads');

const ROOT = join(__dirname, '..');
const CACHE = join(ROOT, 'node_modules', '.cache', 'register-swc');
/** What else decides how a file is compiled. */
const GIVEN = [join(ROOT, '.swcrc'), require.resolve('@swc/core/package.json')].map((path) => readFileSync(path));

function compile(filename, source) {
  const hash = createHash('sha256');
  for (const part of [...GIVEN, filename, '\0', source]) hash.update(part);
  const cached = join(CACHE, `${hash.digest('hex')}.js`);
  try {
    return readFileSync(cached, 'utf8');
  } catch {
    const { code } = require('@swc/core').transformSync(source, { filename, sourceMaps: 'inline' });
    mkdirSync(CACHE, { recursive: true });
    // Others read the whole file or none.
    const written = `${cached}.${process.pid}.${threadId}`;
    writeFileSync(written, code);
    renameSync(written, cached);
    return code;
  }
}

require.extensions['.ts'] = (module, filename) => {
  module._compile(compile(filename, readFileSync(filename, 'utf8')), filename);
};

// The published packages import their own files as they are named once they are built.
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  try {
    return resolveFilename(request, ...rest);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(request)) throw error;
    return resolveFilename(request.replace(/js$/, 'ts'), ...rest);
  }
};
