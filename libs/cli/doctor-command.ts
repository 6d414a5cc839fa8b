import { access, constants, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '@sluice/config/version';
import type { Diagnostics, Upgrade } from '@sluice/contracts';
import type { Command } from './commander';
import { ownerClient, ownerServer, withServer, type ServerOptions } from './connection';
import type { Context } from './context';
import {
  checkClock,
  checkServices,
  checkTransport,
  checkUpgrade,
  fault,
  ok,
  warning,
  type Check,
} from './doctor-checks';
import { Failure } from './failure';
import { variable, type Terminal } from './terminal';

const PATIENCE_MS = 10_000;

interface Heard {
  readonly status: number;
  readonly date: Date | undefined;
  /** What of the JSON is an object; empty otherwise. */
  readonly body: Readonly<Record<string, unknown>>;
}

interface ReadinessAnswer {
  readonly engines_away?: readonly { readonly engine: string; readonly since: string; readonly reason?: string }[];
  readonly services?: Readonly<Record<string, { readonly ready?: boolean; readonly degraded?: readonly string[] }>>;
}

/** `sluice doctor`: what is wrong with an installation, and what to do. */
export function addDoctorCommand(program: Command, context: Context): void {
  withServer(
    program
      .command('doctor')
      .description(
        "check an installation and suggest remedies (needs the operator's owner key: OWNER_KEY, or DATA_DIR/owner.key)",
      ),
  )
    .option('--devices <url>', 'URL of the device API, if device-updates has its own (default: the URL of the server)')
    .action(async (options) => {
      const { terminal, output } = context;
      const server = ownerServer(options, context);
      const devices = options.devices === undefined ? server : ownerServer({ server: options.devices }, context);
      const reached = await checkAddress(server, terminal);
      const checks = [
        ...reached,
        ...(devices === server ? [] : await checkAddress(devices, terminal)),
        ...(await checkDevicePlane(devices, terminal)),
        ...(reached[0]?.status === 'error' ? [] : await checkInside(server, options, context)),
        ...(await checkKeyFiles(terminal)),
      ];
      await output.list(checks, {
        ...{ check: 'check', status: 'status', 'what was found': 'message', 'what to do': 'remedy' },
      });
      const errors = checks.filter(({ status }) => status === 'error').length;
      if (errors > 0) {
        const message = `${errors} ${errors === 1 ? 'check' : 'checks'} failed.`;
        throw new Failure({ code: 'INSTALLATION_UNHEALTHY', message });
      }
    });
}

/** Whether somebody answers there, is ready, and knows what time it is. */
async function checkAddress(address: string, terminal: Terminal): Promise<Check[]> {
  const live = await hear(`${address}/health/live`, terminal);
  const remedy = 'Start the server, or set the URL of another one with --server or SLUICE_SERVER.';
  if (typeof live === 'string') return [fault('reachable', `${address}: ${live}`, remedy)];
  if (live.body.status !== 'ok') return [fault('reachable', `${address} is not a Sluice server.`, remedy)];
  return [
    ok('reachable', `${address} responds.`),
    checkTransport(address),
    ...(live.date === undefined ? [] : [checkClock(`${address}: its`, live.date, terminal.now())]),
    ...checkReady(address, await hear(`${address}/health/ready`, terminal)),
  ];
}

function checkReady(address: string, ready: Heard | string): Check[] {
  const remedy =
    'Its log has the reason. While it starts or an engine is unavailable, wait and run this command again.';
  if (typeof ready === 'string') return [fault('ready', `${address}: ${ready}`, remedy)];
  const { services: told = {}, engines_away: away = [] } = ready.body as ReadinessAnswer;
  const services = Object.entries(told);
  const waiting = services.filter((each) => each[1].ready === false).map(([name]) => name);
  const without = away.map(
    ({ engine, since, reason }) => `without its ${engine} since ${since}${reason === undefined ? '' : ` (${reason})`}`,
  );
  const degraded = [
    ...without,
    ...services.flatMap(([name, each]) => (each.degraded ?? []).map((part) => `${name} without ${part}`)),
  ];
  if (ready.status !== 200) {
    const who = waiting.length > 0 ? waiting.join(', ') : 'the server';
    const why = without.length > 0 ? ` It is ${without.join(', ')}.` : '';
    return [fault('ready', `${address}: ${who} is not ready.${why}`, remedy)];
  }
  if (degraded.length > 0) return [warning('ready', `${address} is degraded: ${degraded.join(', ')}.`, remedy)];
  return [ok('ready', `${address} is ready.`)];
}

async function checkDevicePlane(address: string, terminal: Terminal): Promise<Check[]> {
  const heard = await hear(`${address}/api/health`, terminal);
  if (typeof heard !== 'string' && heard.status === 200 && heard.body.status === 'ok') {
    return [ok('devices', `${address} serves the device API.`)];
  }
  const why = typeof heard === 'string' ? heard : `status ${heard.status}`;
  const remedy = 'Start device-updates. If it has its own URL, pass it with --devices.';
  return [fault('devices', `${address} does not serve the device API: ${why}`, remedy)];
}

/** What the services say of themselves to the operator. */
async function checkInside(server: string, options: ServerOptions, context: Context): Promise<Check[]> {
  try {
    const client = await ownerClient(options, context);
    const diagnostics = await client.call<Diagnostics>('diagnose the server', 'GET', '/diagnostics');
    const upgrade = await client.call<Upgrade>('read the state of the upgrade', 'GET', '/upgrade').catch(unlessRefused);
    return [
      ok('owner key', "The owner key is the operator's."),
      ...checkServices(diagnostics, server, VERSION),
      ...(upgrade === undefined ? [] : checkUpgrade(upgrade)),
    ];
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const remedy =
      "Set OWNER_KEY, or set DATA_DIR to the folder with the operator's owner.key, and make the file readable.";
    return [fault('owner key', `The services could not be checked. ${error.message}`, error.advice ?? remedy)];
  }
}

/** An earlier release has no such route, and an event store that does not answer has a check of its own. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof Failure)) throw error;
}

/** Where this machine holds the data: who may read the keys. */
async function checkKeyFiles(terminal: Terminal): Promise<Check[]> {
  const folder = variable(terminal, 'DATA_DIR') ?? './data';
  const checks = await Promise.all(['owner.key', 'master.key'].map((name) => checkKeyFile(join(folder, name))));
  return checks.flat();
}

async function checkKeyFile(path: string): Promise<Check[]> {
  const facts = await stat(path).catch((error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unknown');
  if (typeof facts === 'string') {
    if (facts === 'ENOENT' || facts === 'ENOTDIR') return [];
    return [fault('key files', `${path} can't be read: ${facts}.`, "Run this as the server's user.")];
  }
  if (!facts.isFile()) return [fault('key files', `${path} is not a file.`, 'Restore it from the backup.')];
  const mode = (facts.mode & 0o777).toString(8).padStart(4, '0');
  if (process.platform !== 'win32' && (facts.mode & 0o077) !== 0) {
    return [fault('key files', `Other users can read ${path} (${mode}).`, `Run: chmod 600 ${path}`)];
  }
  const readable = await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
  if (!readable) {
    return [fault('key files', `${path} can't be read (${mode}).`, `Run: chmod 600 ${path}, as the server's user.`)];
  }
  return [ok('key files', `Only its owner can read ${path}.`)];
}

/** An answer of any status, or a sentence about why there is none. */
async function hear(url: string, { signal }: Terminal): Promise<Heard | string> {
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const response = await fetch(url, { redirect: 'manual', signal: limit });
    const date = response.headers.get('date');
    const body: unknown = await response.json().catch(() => null);
    return {
      status: response.status,
      date: date === null || Number.isNaN(Date.parse(date)) ? undefined : new Date(date),
      body: typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {},
    };
  } catch (error) {
    signal.throwIfAborted();
    const { cause, message } = error as { readonly cause?: { readonly code?: string }; readonly message: string };
    return `no response (${cause?.code ?? message}).`;
  }
}
