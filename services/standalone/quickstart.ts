import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { Failure, formatBytes, run, type Terminal } from '@sluice/cli';
import { dataFolder, RUNTIME_FOLDER } from './runtime-folder';
import type { Server } from './main';

const APP = 'com.example.quickstart';
const PAGE = '<!doctype html>\n<title>Quickstart</title>\n<h1>Hello from Sluice</h1>\n';

/**
 * Starts the server in this process, then releases a first build and updates a simulated device with the commands that
 * a person would type. The server continues to run, unless a command fails.
 * @throws Failure if DATA_DIR is not empty, or a command failed
 */
export async function quickstart(command: string, load: () => Promise<Server>, terminal: Terminal): Promise<void> {
  await requireEmpty(dataFolder(terminal.env), command);
  const { serve } = await load();
  const address = await new Promise<string>((resolve, reject) => {
    // Between the commands, the log holds only problems.
    serve(resolve, { LOG_LEVEL: 'warn' }).catch(reject);
  });
  try {
    await release(address, command, terminal);
  } catch (error) {
    process.kill(process.pid, 'SIGTERM');
    throw error;
  }
}

async function requireEmpty(folder: string, command: string): Promise<void> {
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  if (names.every((name) => name === RUNTIME_FOLDER)) return;
  throw new Failure({
    code: 'DATA_DIR_NOT_EMPTY',
    message: `quickstart needs an empty DATA_DIR, but ${folder} holds data.`,
    advice: `Start the server on this data: ${command} start\nOr use another folder: DATA_DIR=./quickstart ${command} quickstart`,
  });
}

async function release(address: string, command: string, terminal: Terminal): Promise<void> {
  const say = (text: string) => void terminal.stdout.write(`${text}\n`);
  const scratch = await mkdtemp(join(tmpdir(), 'sluice-quickstart-'));
  const env: Record<string, string | undefined> = {
    ...{ SLUICE_SERVER: address, DATA_DIR: dataFolder(terminal.env), OWNER_KEY: terminal.env['OWNER_KEY'] },
  };
  /** Shows a command line, and runs it with some parts replaced. Neither sluice.json nor a stored login takes part. */
  const sluice = async (line: string, replaced: Readonly<Record<string, string>> = {}): Promise<unknown> => {
    say(`$ ${command} ${line}`);
    const args = line.split(' ').map((part) => replaced[part] ?? part);
    return resultOf([...args, '--json'], { ...terminal, env, folder: scratch, interactive: false });
  };
  try {
    say(`Sluice is ready at ${address}\n`);
    const created = (await sluice('token create --name quickstart --all-apps')) as { readonly token: string };
    env['SLUICE_TOKEN'] = created.token;
    await sluice(`app create --name Quickstart --bundle-id ${APP}`);
    const key = (await sluice(`key create --app ${APP} --name quickstart`)) as { readonly plaintext_key: string };
    await writeFile(join(scratch, 'index.html'), PAGE);
    await sluice(`upload www --app ${APP} --version 1.0.0 --channel production --wait`, { www: scratch });
    const offer = (await sluice('check --key $APP_KEY --device my-phone --current 0.9.0 --download update.zip', {
      $APP_KEY: key.plaintext_key,
      'update.zip': join(scratch, 'update.zip'),
    })) as { readonly version: string; readonly size: number };
    say(`
A device with version 0.9.0 downloaded ${offer.version} (${formatBytes(offer.size)}) and verified its checksum.

The server runs until you press Ctrl-C. ${command} start starts it again on the same data.
Sign in at ${address}/console with the key in ${join(dataFolder(terminal.env), 'owner.key')}.
In another terminal, set these variables and repeat commands from above:

  export SLUICE_SERVER=${address}
  export SLUICE_TOKEN=${created.token}
  export APP_KEY=${key.plaintext_key}
`);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Runs a command that prints JSON. @throws Failure with the error that it printed */
async function resultOf(commandLine: readonly string[], terminal: Terminal): Promise<unknown> {
  let [printed, errors] = ['', ''];
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      printed += chunk.toString();
      done();
    },
  });
  const stderr = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      errors += chunk.toString();
      done();
    },
  });
  if ((await run(commandLine, { ...terminal, stdout, stderr })) === 0) return JSON.parse(printed) as unknown;
  throw new Failure(
    (JSON.parse(errors) as { readonly error: { readonly code: string; readonly message: string } }).error,
  );
}
