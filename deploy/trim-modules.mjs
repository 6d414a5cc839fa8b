// Deletes the files of node_modules that a server of CommonJS modules on Linux with glibc never loads.
//   node deploy/trim-modules.mjs
import { readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stdout } from 'node:process';

const MODULES = join(import.meta.dirname, '..', 'node_modules');
const UNUSED_FILE = /\.(map|ts|mts|cts|flow|md|markdown)$/i;
const UNUSED_FOLDER = /^(tests?|__tests__|benchmarks?|examples?)$/;
/** Builds for other module systems and platforms. */
const OTHER_BUILD =
  /^(@libsql\/[^/]+-musl|@opentelemetry\/[^/]+\/build\/(esm|esnext)|rxjs\/(src|dist\/(esm|esm5|bundles|types)))$/;

let deleted = 0;

/** Below lib, dist or build, a folder such as `test` may be code. */
function trim(folder, isCode) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const unused = entry.isDirectory()
      ? (!isCode && UNUSED_FOLDER.test(entry.name)) || OTHER_BUILD.test(relative(MODULES, path))
      : UNUSED_FILE.test(entry.name);
    if (unused) {
      rmSync(path, { recursive: true });
      deleted += 1;
    } else if (entry.isDirectory()) {
      trim(path, isCode || /^(lib|dist|build|cjs)$/.test(entry.name));
    }
  }
}

trim(MODULES, false);
stdout.write(`${deleted} files and folders of node_modules deleted\n`);
