import Table from 'cli-table3';
import { seededRandom } from '../faults/random';
import { makeCase, type Case } from './cases';
import { install, type Held, type Installation } from './installation';
import { readOperations } from './operations';
import { faultsOf } from './oracle';
import { play, type Outcome } from './socket-client';

/**
 * Sends requests of every kind that no client should send to a started server, and holds each answer to what
 * the planes promise. `FUZZ_SEED` repeats the cases of a run, `FUZZ_REQUESTS` or `FUZZ_SECONDS` say how many,
 * `FUZZ_CASE` plays one of them alone. Exits with 1 for a fault, with the input that led to it.
 */
const number = (name: string): number | undefined => (process.env[name] ? Number(process.env[name]) : undefined);
const SEED = number('FUZZ_SEED') ?? Math.floor(Math.random() * 2 ** 32);
const SECONDS = number('FUZZ_SECONDS');
const REQUESTS = number('FUZZ_REQUESTS') ?? (SECONDS === undefined ? 500_000 : Infinity);
const ONE_CASE = number('FUZZ_CASE');
const CONNECTIONS = 8;
/** After so large a part of a run its caches are full: from then on nothing should grow. */
const WARM = 0.3;
/** What may be there at the end beyond what was there when it was warm: rows that requests made, fragments. */
const TOLERANCE: Held = { heapMiB: 24, residentMiB: 160, descriptors: 12 };

const MAX_FAULTS = 20;

class Fault extends Error {}

interface Tally {
  cases: number;
  requests: number;
  answers: number;
  slowestMs: number;
}

async function main(): Promise<void> {
  console.log(
    `fuzz: FUZZ_SEED=${SEED}${REQUESTS === Infinity ? '' : ` FUZZ_REQUESTS=${REQUESTS}`}, Node ${process.version}`,
  );
  const installation = await install();
  const { server, port, given, dataDir } = installation;
  let died = '';
  server.child.once('exit', (code, signal) => (died = `the server ended (${signal ?? code})`));
  const byKind = new Map<string, Tally>();
  const statuses = new Map<number, number>();
  const total: Tally = { cases: 0, requests: 0, answers: 0, slowestMs: 0 };
  /** One of each sort. */
  const found = new Map<string, string>();
  const begun = performance.now();
  try {
    const source = { operations: await readOperations(server.address), given };
    const caseOf = (index: number): Case =>
      makeCase(source, seededRandom((SEED + Math.imul(index, 0x9e37_79b1)) >>> 0));

    const count = (made: Case, { answers, ms }: Outcome): void => {
      const tally = byKind.get(made.kind) ?? { cases: 0, requests: 0, answers: 0, slowestMs: 0 };
      byKind.set(made.kind, tally);
      for (const each of [tally, total]) {
        each.cases += 1;
        each.requests += Math.max(1, made.requests.length);
        each.answers += answers.length;
        each.slowestMs = Math.max(each.slowestMs, ms);
      }
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    };

    const playOne = async (index: number): Promise<void> => {
      const made = caseOf(index);
      const outcome = await play(port, made);
      count(made, outcome);
      const faults = [
        ...(died === '' ? [] : [died]),
        ...(outcome.fault === undefined ? [] : [outcome.fault]),
        ...outcome.answers.flatMap((answer, at) => faultsOf(answer, made.requests[at], [dataDir, given.ownerKey])),
      ];
      if (faults.length > 0)
        found.set(`${made.kind}: ${faults[0]?.slice(0, 60)}`, tellCase(index, made, outcome, faults));
    };

    const playAll = async (until: () => boolean, from: number): Promise<number> => {
      let next = from;
      const one = async () => {
        while (!until() && found.size < MAX_FAULTS && died === '') await playOne(next++);
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, one));
      if (found.size > 0) throw new Fault([...found.values()].join('\n\n'));
      return next;
    };

    if (ONE_CASE !== undefined) {
      await playOne(ONE_CASE);
      if (found.size > 0) throw new Fault([...found.values()].join());
      console.log(`Case ${ONE_CASE} is answered as it should be.`);
      return;
    }
    const share = (part: number) => (): boolean =>
      total.requests >= REQUESTS * part ||
      (SECONDS !== undefined && performance.now() - begun >= SECONDS * 1_000 * part);
    const next = await playAll(share(WARM), 0);
    const warm = await installation.held();
    await playAll(share(1), next);
    const end = await installation.held();
    await expectCalm(installation, warm, end, died);
    tellRun(byKind, statuses, total, warm, end, (performance.now() - begun) / 1_000);
  } catch (error) {
    process.exitCode = 1;
    console.error(error instanceof Fault ? error.message : error);
    for (const line of installation.faultsLogged().slice(-40)) console.error(`  log: ${line.slice(0, 2_000)}`);
  } finally {
    await installation.remove();
  }
}

/** @throws Fault when the server holds more than it may, no longer takes its credentials, or logged a fault of its own */
async function expectCalm(installation: Installation, warm: Held, end: Held, died: string): Promise<void> {
  const faults = died === '' ? [] : [died];
  for (const what of ['heapMiB', 'residentMiB', 'descriptors'] as const) {
    const more = end[what] - warm[what];
    if (more > TOLERANCE[what])
      faults.push(`${what} grew from ${tell(warm[what])} to ${tell(end[what])}, by more than ${TOLERANCE[what]}`);
  }
  if (!(await installation.stillWorks())) faults.push('the credentials of the run no longer work');
  const logged = installation.faultsLogged();
  if (logged.length > 0) faults.push(`the log holds ${logged.length} faults, such as ${logged[0]?.slice(0, 2_000)}`);
  if (faults.length > 0)
    throw new Fault(`The run went well, and left traces:\n  ${faults.join('\n  ')}\nAgain: FUZZ_SEED=${SEED}`);
}

function tellCase(index: number, made: Case, { answers, ms }: Outcome, faults: readonly string[]): string {
  const sent = Buffer.concat(made.pieces);
  return [
    `Case ${index} (${made.kind}): ${faults.join('; ')}`,
    `Again: FUZZ_SEED=${SEED}, or this case alone on a fresh server: FUZZ_SEED=${SEED} FUZZ_CASE=${index}`,
    `Sent in ${made.pieces.length} pieces, ${sent.length} bytes${made.leaves === undefined ? '' : `, then ${JSON.stringify(made.leaves)}`}:`,
    JSON.stringify(sent.toString('latin1').slice(0, 4_000)),
    `Answered after ${Math.round(ms)} ms:`,
    ...answers.map(({ status, body }) => `  ${status} ${JSON.stringify(body.toString('latin1').slice(0, 600))}`),
  ].join('\n');
}

const tell = (value: number): string => String(Math.round(value));

function tellRun(
  byKind: ReadonlyMap<string, Tally>,
  statuses: ReadonlyMap<number, number>,
  total: Tally,
  warm: Held,
  end: Held,
  seconds: number,
): void {
  const table = new Table({
    head: ['kind', 'cases', 'requests', 'answers', 'slowest, ms'],
    style: { head: [], border: [] },
  });
  for (const [kind, tally] of [...[...byKind].sort(([a], [b]) => (a < b ? -1 : 1)), ['all', total] as const]) {
    table.push([kind, tally.cases, tally.requests, tally.answers, Math.round(tally.slowestMs)]);
  }
  console.log(table.toString());
  console.log(
    `statuses: ${[...statuses]
      .sort(([a], [b]) => a - b)
      .map(([status, times]) => `${status}: ${times}`)
      .join(', ')}`,
  );
  console.log(
    `once warm and at the end: heap ${tell(warm.heapMiB)} and ${tell(end.heapMiB)} MiB, resident ${tell(warm.residentMiB)} and ${tell(end.residentMiB)} MiB, descriptors ${warm.descriptors} and ${end.descriptors}`,
  );
  console.log(`${total.requests} requests in ${tell(seconds)} s, no fault`);
}

void main();
