import { writeFile } from 'node:fs/promises';
import { Agent, request as send } from 'node:http';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import Table from 'cli-table3';
import { seededRandom } from '../faults/random';
import { disagreement, type DescribedAnswer } from './described-oracle';
import {
  fittingRequest,
  readDescribed,
  violatingRequest,
  type DescribedOperation,
  type DescribedRequest,
} from './described-requests';
import { checkUpdate } from '../support/http';
import { install, type Installation } from './installation';

/**
 * Sends data that fits the four descriptions, and data that does not, to a started server: what fits is never rejected
 * for its form, what does not always is, and each response is as it is described. `FUZZ_SEED` repeats the requests of a
 * run, `FUZZ_ROUNDS` or `FUZZ_SECONDS` say how many. Exits with 1 for a difference, with the request that shows it.
 */
const number = (name: string): number | undefined => (process.env[name] ? Number(process.env[name]) : undefined);
const SEED = number('FUZZ_SEED') ?? Math.floor(Math.random() * 2 ** 32);
const SECONDS = number('FUZZ_SECONDS');
const ROUNDS = number('FUZZ_ROUNDS') ?? (SECONDS === undefined ? 300 : Infinity);
/** Of each operation in each round. */
const [FITTING, VIOLATING] = [1, 2];
const HANG_MS = 10_000;
const MAX_DIFFERENCES = 30;

const PRODUCTS = [
  {
    ...{
      id: 'mug',
      title: 'Mug',
      description: 'A mug.',
      link: 'https://127.0.0.1:1/mug',
      price: '9.50',
      currency: 'USD',
    },
    ...{ images: ['https://127.0.0.1:1/mug.jpg'], categories: ['Goods > Mugs'] },
  },
];

/** They make keys, or read everything: once in so many rounds. */
const SLOW = /\/(rebuild|verify|signing-key|signing-key\/rotate|keystore|builds)$/;
const SLOW_EVERY = 8;
/** They end what the run signs in with, so they come last. */
const ENDS_ACCESS: ReadonlySet<string> = new Set(['rotateOwnKey']);

interface Tally {
  fitting: number;
  taken: number;
  violating: number;
}

async function main(): Promise<void> {
  console.log(`descriptions: FUZZ_SEED=${SEED}, Node ${process.version}`);
  const store = join(temporaryDirectory(), 'products.json');
  await writeFile(store, JSON.stringify(PRODUCTS));
  const installation = await install({ PRODUCTS_JSON_URL: `file:${store}`, LIMIT_KEY_ACTIONS_PER_HOUR: '1000000' });
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const tallies = new Map<string, Tally>();
  const statuses = new Map<number, number>();
  const taken = new Set<string>();
  /** One of each sort. */
  const found = new Map<string, string>();
  const begun = performance.now();
  try {
    const { server, port } = installation;
    const operations = await readDescribed(server.address);
    const random = seededRandom(SEED);
    const known = await knownIds(installation);
    let given = installation.given;

    const play = async (request: DescribedRequest): Promise<void> => {
      const { operation, wrong } = request;
      const answer = await ask(agent, port, request);
      const tally = tallies.get(operation.plane) ?? { fitting: 0, taken: 0, violating: 0 };
      tallies.set(operation.plane, tally);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (wrong !== undefined) tally.violating += 1;
      else tally.fitting += 1;
      if (answer.status < 400) {
        tally.taken += wrong === undefined ? 1 : 0;
        if (wrong === undefined) taken.add(`${operation.plane} ${operation.id}`);
        remember(known, operation, answer);
      }
      const different = disagreement(request, answer);
      if (different !== undefined) {
        const sort = `${operation.plane} ${operation.id} ${wrong ?? 'fits'} ${different.replaceAll(/\d+/g, 'N').slice(0, 80)}`;
        if (!found.has(sort)) found.set(sort, tellDifference(request, different));
      }
      await keepRights(operation, installation);
    };

    const playOperation = async (operation: DescribedOperation): Promise<void> => {
      for (let n = 0; n < FITTING; n += 1) await play(fittingRequest(operation, random, given, known));
      for (let n = 0; n < VIOLATING; n += 1) {
        const request = violatingRequest(operation, random, given, known);
        if (request !== undefined) await play(request);
      }
    };

    const isOver = (round: number): boolean =>
      round >= ROUNDS ||
      found.size >= MAX_DIFFERENCES ||
      (SECONDS !== undefined && performance.now() - begun >= SECONDS * 1_000);
    const [last, others] = [true, false].map((ends) => operations.filter(({ id }) => ENDS_ACCESS.has(id) === ends));
    let round = 0;
    for (; !isOver(round); round += 1) {
      for (const operation of others ?? []) {
        if (isOver(round)) break;
        if (SLOW.test(operation.path) && operation.method === 'POST' && round % SLOW_EVERY !== 0) continue;
        await playOperation(operation);
      }
    }
    for (const operation of last ?? []) {
      for (let n = 0; n < 10; n += 1) {
        const request = violatingRequest(operation, random, given, known);
        if (request !== undefined) await play(request);
      }
      const request = fittingRequest(operation, random, given, known);
      const answer = await ask(agent, port, request);
      const different = disagreement(request, answer);
      if (different !== undefined) found.set(operation.id, tellDifference(request, different));
      const { data } = JSON.parse(answer.text) as { data?: { owner_key?: string } };
      given = { ...given, ownerKey: data?.owner_key ?? given.ownerKey };
    }
    tellRun(tallies, statuses, operations, taken, round, (performance.now() - begun) / 1_000);
    const logged = installation.faultsLogged();
    if (logged.length > 0)
      found.set('log', `The log holds ${logged.length} faults, such as ${logged[0]?.slice(0, 2_000)}`);
    for (const difference of found.values()) console.error(`${difference}\n`);
    if (found.size > 0) {
      process.exitCode = 1;
      console.error(`${found.size} differences. Again: FUZZ_SEED=${SEED}`);
    }
  } finally {
    agent.destroy();
    await installation.remove();
  }
}

/** @throws Error when no answer comes */
function ask(
  agent: Agent,
  port: number,
  { operation, target, headers, body }: DescribedRequest,
): Promise<DescribedAnswer> {
  const { method } = operation;
  const withLength = body.length > 0 || method !== 'GET' ? { 'Content-Length': String(body.length) } : {};
  const all = { ...Object.fromEntries(headers), ...withLength };
  return new Promise((resolve, reject) => {
    const asking = send({ agent, host: '127.0.0.1', port, method, path: target, headers: all }, (response) => {
      const contentType = response.headers['content-type'] ?? '';
      const status = response.statusCode ?? 0;
      if (contentType.startsWith('text/event-stream')) {
        response.destroy();
        resolve({ status, contentType, text: '' });
        return;
      }
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status, contentType, text: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    asking.setTimeout(HANG_MS, () =>
      asking.destroy(new Error(`No answer within ${HANG_MS} ms to ${method} ${target}`)),
    );
    asking.on('error', reject);
    asking.end(body);
  });
}

/** By the name of the path parameter; the first of each is what the run itself needs. */
async function knownIds({ server, given }: Installation): Promise<Record<string, string[]>> {
  const response = await fetch(`${server.address}/api/dashboard/v1/projections`, {
    headers: { Authorization: `Bearer ${given.ownerKey}` },
  });
  const { data } = (await response.json()) as { data: { name: string }[] };
  const names = data.map(({ name }) => name);
  const { body: offer } = await checkUpdate(server.address, given.apiKey, 'probe', '0.0.1');
  const download = new URL(offer.downloadUrl).searchParams;
  return {
    ...{ app: ['1'], build: ['1'], key: ['1'], signing_key: [], token: ['1'], owner: ['1'], job: [], log: [] },
    ...{ name: names, template: ['careful', 'fast'], bundle_id: [offer.bundleId!] },
    ...Object.fromEntries([...download].map(([name, value]) => [name, [value]])),
  };
}

const MOST_KNOWN = 40;
const MADE: Readonly<Record<string, readonly [parameter: string, member: string]>> = {
  createApp: ['app', 'id'],
  uploadBuild: ['job', 'job_id'],
  promoteBuild: ['build', 'id'],
  createApiKey: ['key', 'id'],
  createSigningKey: ['signing_key', 'id'],
  rotateSigningKey: ['signing_key', 'id'],
  createToken: ['token', 'id'],
  createOwner: ['owner', 'id'],
  startSync: ['log', 'log_id'],
};

/** Notes what a request made, so that later ones find it. */
function remember(known: Record<string, string[]>, { id }: DescribedOperation, { text }: DescribedAnswer): void {
  const { data } = MADE[id] === undefined ? {} : (JSON.parse(text) as { data?: Record<string, unknown> });
  if (data === undefined) return;
  const [parameter, member] = MADE[id]!;
  const made: (readonly [string, unknown])[] = [[parameter, data[member]]];
  if (id === 'uploadBuild') made.push(['build', (data['build'] as { id: number }).id]);
  for (const [name, value] of made) {
    const ids = known[name]!;
    ids.push(String(value));
    if (ids.length > MOST_KNOWN) ids.splice(1, 1);
  }
}

/** What a caller may not do at all is rejected before its form is looked at: these settings stay as they were. */
const RIGHTS: Readonly<Record<string, readonly [method: string, path: string, body: string]>> = {
  setListingsModule: ['PUT', '/listings', '{"enabled":true,"entitled":true}'],
  editApp: ['PATCH', '/apps/1', '{"signing_key_rotation":"any_token","unique_signatures":false}'],
};

async function keepRights({ plane, id }: DescribedOperation, { server, given }: Installation): Promise<void> {
  const change = plane === 'dashboard' ? RIGHTS[id] : undefined;
  if (change === undefined) return;
  const [method, path, body] = change;
  await fetch(`${server.address}/api/dashboard/v1${path}`, {
    ...{ method, body },
    headers: { Authorization: `Bearer ${given.ownerKey}`, 'Content-Type': 'application/json' },
  });
}

function tellDifference({ operation, target, headers, body }: DescribedRequest, different: string): string {
  const own = headers.filter(([name]) => !/^(authorization|x-api-key)$/i.test(name));
  return [
    `${operation.plane} ${operation.id}: ${different.slice(0, 1_500)}`,
    `  ${operation.method} ${target.slice(0, 500)}`,
    ...own.map(([name, value]) => `  ${name}: ${JSON.stringify(value).slice(0, 300)}`),
    `  ${body.toString().slice(0, 1_000)}`,
  ].join('\n');
}

function tellRun(
  tallies: ReadonlyMap<string, Tally>,
  statuses: ReadonlyMap<number, number>,
  operations: readonly DescribedOperation[],
  taken: ReadonlySet<string>,
  rounds: number,
  seconds: number,
): void {
  const head = ['plane', 'operations', 'taken once or more', 'fitting', 'of them taken', 'not fitting'];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const [plane, { fitting, taken: success, violating }] of tallies) {
    const own = operations.filter((each) => each.plane === plane);
    const met = own.filter(({ id }) => taken.has(`${plane} ${id}`)).length;
    table.push([plane, own.length, met, fitting, success, violating]);
  }
  console.log(table.toString());
  const sorted = [...statuses].sort(([a], [b]) => a - b).map(([status, times]) => `${status}: ${times}`);
  console.log(`statuses: ${sorted.join(', ')}`);
  const never = operations.filter(({ plane, id }) => !taken.has(`${plane} ${id}`)).map(({ id }) => id);
  console.log(`never taken: ${[...new Set(never)].join(', ') || 'none'}`);
  console.log(`${rounds} rounds in ${Math.round(seconds)} s`);
}

void main();
