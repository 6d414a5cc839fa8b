import { createRequire } from 'node:module';
import { join, sep } from 'node:path';
import { getAsset } from 'node:sea';
import { brotliDecompressSync } from 'node:zlib';
import { Failure, runCommandLine, type Terminal } from '@sluice/cli';
import { dataFolder, RUNTIME_FOLDER, type RuntimeFiles, unpackRuntime } from './runtime-folder';
import type { Server } from './main';
import { commandOrStart, serverCommands } from './server-commands';

/** Where `npm run build:executable` puts the server. */
const SERVER = 'services/standalone/bundle/main.js';

/** The main script of the executable. It holds the CLI, while the server runs from files in DATA_DIR. */
const { hash, files } = JSON.parse(getAsset('runtime.json', 'utf8')) as Pick<RuntimeFiles, 'hash' | 'files'>;

const load = (env: Terminal['env']): Promise<Server> => {
  const read = (path: string) => brotliDecompressSync(new Uint8Array(getAsset(path)));
  const folder = unpackRuntime(dataFolder(env), { hash, files, read });
  try {
    const server = join(folder, SERVER);
    return Promise.resolve(createRequire(server)(server) as Server);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_DLOPEN_FAILED') throw error;
    throw new Failure({
      ...{ attempt: 'load SQLite', code: 'ERR_DLOPEN_FAILED', message: (error as Error).message, cause: error },
      advice: 'Set DATA_DIR to a folder on a file system that is not mounted with noexec.',
    });
  }
};

const [, , script = ''] = process.argv;
if (process.send !== undefined && script.includes(join(RUNTIME_FOLDER, hash) + sep)) {
  // The server forks its own scripts as if this program were Node.
  process.argv.splice(1, 1);
  createRequire(script)(script);
} else {
  void runCommandLine(commandOrStart(process.argv.slice(2)), serverCommands(process.argv0, load));
}
