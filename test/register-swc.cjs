// Lets worker threads that tests start load TypeScript, as Jest lets the tests themselves.
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

require.extensions['.ts'] = (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), { filename, sourceMaps: 'inline' });
  module._compile(code, filename);
};
