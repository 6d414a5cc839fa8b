import { join } from 'node:path';
import { Writable } from 'node:stream';
import { run } from '../../libs/cli/program';
import { scriptedHttp, type ScriptedHttp } from './scripted-http';

export { json, type Answer, type Received } from './scripted-http';

/** What each test that runs commands has to itself. */
export interface ScriptedServer extends ScriptedHttp {
  /** Runs a command line against it, in this process; pauses are noted and take no time. */
  readonly run: (commandLine: readonly string[], options?: SluiceOptions) => ReturnType<typeof sluice>;
}

/** For the tests of the block or file that calls it: a scripted server, and commands that are run against it. */
export function scriptedServer(): ScriptedServer {
  const server = scriptedHttp();
  const runHere = (commandLine: readonly string[], options?: SluiceOptions) =>
    sluice(server.address, server.folder, commandLine, options);
  // Not a copy: the members of the server are read again in each test.
  return Object.assign(server, { run: runHere });
}

class Screen extends Writable {
  shown = '';
  constructor(readonly isTTY: boolean) {
    super();
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.shown += chunk.toString();
    done();
  }
}

interface SluiceOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly isTTY?: boolean;
  /** The input when the command asks. */
  readonly answers?: readonly (string | (() => Promise<string>))[];
  /** The current folder; by default one that holds nothing. */
  readonly folder?: string;
}

/** Runs a command line in this process. `scratch`: for its configuration. */
export async function sluice(
  address: string,
  scratch: string,
  commandLine: readonly string[],
  { env = {}, isTTY = false, answers = [], folder = scratch }: SluiceOptions = {},
) {
  const stdout = new Screen(isTTY);
  const stderr = new Screen(isTTY);
  const pauses: number[] = [];
  const questions: string[] = [];
  const ask = (question: string) => {
    questions.push(question);
    const answer = answers[questions.length - 1] ?? '';
    return typeof answer === 'string' ? Promise.resolve(answer) : answer();
  };
  const code = await run(commandLine, {
    stdout,
    stderr,
    env: {
      ...{ SLUICE_SERVER: address, SLUICE_TOKEN: 'svc_pat_secret', OWNER_KEY: 'svc_own_secret' },
      ...{ XDG_CONFIG_HOME: join(scratch, 'config'), APPDATA: join(scratch, 'config'), ...env },
    },
    folder,
    interactive: isTTY,
    ask,
    askSecret: ask,
    signal: new AbortController().signal,
    pause: (milliseconds) => {
      pauses.push(milliseconds);
      return Promise.resolve();
    },
    now: () => new Date('2026-01-01T00:00:00Z'),
  });
  return { code, stdout: stdout.shown, stderr: stderr.shown, pauses, questions };
}
