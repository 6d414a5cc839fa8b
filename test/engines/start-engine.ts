import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { temporaryDirectory } from '@sluice/testing';
import { freePort } from '../support/free-port';
import type { Engine } from './engines';

export interface StartedEngine {
  readonly url: string;
  /** Where it came from, such as `container mongo:7`. */
  readonly origin: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** An installed program that a test runs for itself. */
export interface OwnEngine {
  readonly url: string;
  readonly port: number;
  /** Ends it immediately, as a crash would. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data, and waits until it is ready. */
  restart(): Promise<void>;
  /** Ends it and deletes its data. */
  stop(): Promise<void>;
}

const READY_MS = 60_000;

/**
 * The engine that is given by its variable, else one in a container, else an installed program on
 * loopback with its data in a temporary folder. Undefined: none of these is to be had.
 */
export async function startEngine(engine: Engine): Promise<StartedEngine | undefined> {
  const given = process.env[engine.variable];
  if (given) {
    return {
      ...{ url: given, origin: engine.variable, version: await ready(engine, given) },
      stop: () => Promise.resolve(),
    };
  }
  if (await dockerAnswers()) return startContainer(engine);
  const path = programOf(engine);
  return path === undefined ? undefined : startProgram(engine, path);
}

async function dockerAnswers(): Promise<boolean> {
  try {
    await promisify(execFile)('docker', ['info'], { timeout: 10_000 });
    return true;
  } catch {
    return false;
  }
}

async function startContainer(engine: Engine): Promise<StartedEngine> {
  const { GenericContainer } = await import('testcontainers');
  const { image, port, command, environment = {}, prepare } = engine.container;
  const described = new GenericContainer(image).withExposedPorts(port).withEnvironment(environment);
  const container = await (command ? described.withCommand([...command]) : described).start();
  try {
    if (prepare) {
      const { exitCode, output } = await container.exec([...prepare]);
      if (exitCode !== 0) throw new Error(`${image} could not be prepared: ${output}`);
    }
    const url = engine.url(container.getHost(), container.getMappedPort(port));
    return {
      ...{ url, origin: `container ${image}`, version: await ready(engine, url) },
      stop: async () => {
        await container.stop();
      },
    };
  } catch (error) {
    await container.stop();
    throw error;
  }
}

/** Somebody else may take a port that was free just before: it is tried again on another one. */
async function startProgram(engine: Engine, path: string): Promise<StartedEngine> {
  const server = await runProgram(engine, path);
  return { ...server, origin: path };
}

/** For a test that stops it. @throws Error when its program is not installed, or does not start */
export async function startOwnEngine(engine: Engine): Promise<OwnEngine> {
  const path = programOf(engine);
  if (path === undefined) throw new Error(`${engine.name} is not installed.`);
  return runProgram(engine, path);
}

async function runProgram(engine: Engine, path: string): Promise<OwnEngine & { readonly version: string }> {
  const program = engine.program!;
  const folder = temporaryDirectory();
  const port = await freePort();
  const url = engine.url('127.0.0.1', port);
  let end: (signal: NodeJS.Signals) => Promise<void> = () => Promise.resolve();

  const start = async (): Promise<string> => {
    const child = spawn(path, program.arguments(port, folder), {
      env: { PATH: process.env['PATH'], HOME: folder, ...program.environment },
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (log = (log + text).slice(-4_000)));
    }
    const ended = once(child, 'exit');
    end = async (signal) => {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal);
      await ended;
    };
    try {
      return await ready(engine, url, child);
    } catch (error) {
      await end('SIGKILL');
      throw new Error(`${path} did not start: ${(error as Error).message}\n${log}`);
    }
  };
  const stop = async () => {
    await end('SIGTERM');
  };
  try {
    const version = await start();
    return {
      ...{ url, port, version, stop },
      kill: () => end('SIGKILL'),
      restart: async () => {
        await start();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Waits until the server says its version. */
async function ready(engine: Engine, url: string, child?: ChildProcess): Promise<string> {
  for (const deadline = Date.now() + READY_MS; ;) {
    try {
      return await engine.version(url);
    } catch (error) {
      const ended = child !== undefined && child.exitCode !== null;
      if (ended || Date.now() > deadline) {
        throw new Error(`${engine.name} (${engine.variable}) is not reached: ${(error as Error).message}`);
      }
      await pause(100);
    }
  }
}

export function programOf({ program }: Engine): string | undefined {
  return program && installed(program.name);
}

/** The path of a program: on PATH, where Debian installs servers, or in Go's folder of programs. Undefined: not there. */
export function installed(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', join(goPath(), 'bin')];
  return folders
    .map((folder) => join(folder, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function goPath(): string {
  try {
    return execFileSync('go', ['env', 'GOPATH'], { encoding: 'utf8' }).trim();
  } catch {
    return join(homedir(), 'go');
  }
}
