import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

export interface NatsServer {
  readonly url: string;
  /** The URL of one of the users that its configuration names. */
  readonly urlOf: (user: string) => string;
  readonly port: number;
  /** Asks it to end and waits. @throws Error when it has denied a user something */
  stop(): Promise<void>;
  /** Ends it immediately, as a crash would. */
  kill(): Promise<void>;
  /** Stops answering without closing a connection, until `thaw`. */
  freeze(): void;
  thaw(): void;
}

/** The path of `nats-server`, from PATH or where Debian installs it. Undefined: not installed. */
export function natsServerBinary(): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  return folders
    .map((folder) => join(folder, 'nats-server'))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

export interface NatsServerOptions {
  /** Default: a free one. */
  readonly port?: number;
  readonly user?: string;
  readonly pass?: string;
  readonly token?: string;
  /** A configuration file, and the environment that it takes its passwords from. */
  readonly config?: { readonly path: string; readonly passwords: Readonly<Record<string, string>> };
  /** Paths of PEM files: it then speaks over TLS alone. */
  readonly tls?: { readonly certificate: string; readonly key: string };
}

/** Starts a NATS server on loopback and waits until it accepts connections. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const { port = -1, user, pass, token, tls, config } = options;
  const binary = natsServerBinary();
  if (binary === undefined) throw new Error('nats-server is not installed.');
  const guarded = user !== undefined && pass !== undefined;
  const credentials = [
    ...(guarded ? ['--user', user, '--pass', pass] : []),
    ...(token === undefined ? [] : ['--auth', token]),
    ...(config === undefined ? [] : ['-c', config.path]),
    ...(tls === undefined ? [] : ['--tls', '--tlscert', tls.certificate, '--tlskey', tls.key]),
  ];
  const named = guarded ? `${encodeURIComponent(user)}:${encodeURIComponent(pass)}@` : token && `${token}@`;
  const child = spawn(binary, ['-a', '127.0.0.1', '-p', String(port), ...credentials], {
    env: { ...process.env, ...config?.passwords },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const log: string[] = [];
  const actualPort = await listeningPort(child, log);
  const end = async (signal: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  return {
    url: `${tls === undefined ? 'nats' : 'tls'}://${named ?? ''}127.0.0.1:${actualPort}`,
    urlOf: (name) => `nats://${name}:${config?.passwords[passwordVariable(name)] ?? ''}@127.0.0.1:${actualPort}`,
    port: actualPort,
    stop: async () => {
      await end('SIGTERM');
      const denied = log.filter((line) => line.includes('Violation - User'));
      if (denied.length > 0) throw new Error(`NATS denied a service something:\n${denied.slice(0, 5).join('\n')}`);
    },
    kill: () => end('SIGKILL'),
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
  };
}

/** NATS_BUILD_PIPELINE_PASSWORD for `build-pipeline`. */
const passwordVariable = (user: string) => `NATS_${user.toUpperCase().replace('-', '_')}_PASSWORD`;

/** A NATS server where each of the users has the permissions that an installation of several services gives it. */
export function startGuardedNats(users: readonly string[]): Promise<NatsServer> {
  const path = join(__dirname, '..', '..', 'deploy', 'engines', 'nats.conf');
  const passwords = Object.fromEntries(
    users.map((user) => [passwordVariable(user), `p${randomBytes(16).toString('hex')}`]),
  );
  return startNatsServer({ config: { path, passwords } });
}

function listeningPort(child: ChildProcess, log: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    let port = 0;
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`nats-server ended immediately:\n${log.join('\n')}`)));
    createInterface({ input: child.stderr! }).on('line', (line) => {
      log.push(line);
      port = Number(/Listening for client connections on .*:(\d+)$/.exec(line)?.[1] ?? port);
      if (line.includes('Server is ready')) resolve(port);
    });
  });
}
