// Brings a checkout to the point where it can run: installs what is missing, builds what is stale.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chdir, exit, platform, stderr, versions } from 'node:process';

chdir(import.meta.dirname ?? new URL('.', import.meta.url).pathname);

const [major = 0, minor = 0] = versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  stderr.write(`Sluice needs Node 20.19 or later; this is ${versions.node}.\n`);
  exit(1);
}

const changedAt = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

function newest(path) {
  if (!existsSync(path)) return 0;
  if (!statSync(path).isDirectory()) return changedAt(path);
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function run(what, command, args) {
  stderr.write(`${what} …\n`);
  const { status } = spawnSync(command, args, { stdio: ['ignore', 2, 2], shell: platform === 'win32' });
  if (status !== 0) exit(status ?? 1);
}

const installed = 'node_modules/.package-lock.json';
if (changedAt('package-lock.json') > changedAt(installed)) {
  run('Installing packages', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

const built = 'dist/.built';
const sources = ['services', 'package.json', 'nest-cli.json', '.swcrc', 'tsconfig.json'];
const consolePages = 'libs/console';
const libs = readdirSync('libs').map((name) => `libs/${name}`);
const served = libs.filter((lib) => !['libs/device', 'libs/error-tracking', consolePages].includes(lib));
if (Math.max(...[...sources, ...served].map(newest)) > changedAt(built)) {
  run('Building', 'npm', ['run', '--silent', 'build:server']);
  writeFileSync(built, '');
}
if (Math.max(newest(consolePages), newest('libs/client')) > changedAt('dist/console/index.html')) {
  run('Building the console', process.execPath, [
    ...['node_modules/vite/bin/vite.js', 'build', '--config', `${consolePages}/vite.config.mjs`],
  ]);
}
if (newest('docs') > changedAt('dist/docs/index.html')) {
  run('Building the documentation', process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build', 'docs']);
}
