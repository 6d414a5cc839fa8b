// Lets worker threads that tests start, and the generators of pages, load TypeScript, as Jest lets the tests themselves.
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { transformSync } = require('@swc/core');

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { filename, sourceMaps: 'inline' });
  module._compile(code, filename);
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
