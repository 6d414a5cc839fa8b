import { setTimeout as delay } from 'node:timers/promises';
import Table from 'cli-table3';
import { bench, coreWaitSeconds, decimals, median } from '../load/bench';
import { heldMemory, residentMemory, resetPeak } from '../load/memory';
import type { ServerProcess } from '../support/process';
import { ATTACKS } from './attacks';
import { ATTACKING, MEASURED, startChild, type Child } from './child';
import type { Probed } from './prober';
import { descriptorsOf, startScene, untilIdle, type StartedScene } from './scene';
import type { Attack, Tally } from './target';

/**
 * Plays each attack against a started server while a prober sends update checks, and holds their 99th
 * percentile to that of the quiet rounds in between.
 *
 * ABUSE_SECONDS: of each round, 5 by default. ABUSE_ATTACKS: how many attacks are played, another choice from
 * minute to minute. ABUSE_ONLY: names, separated by commas.
 */
const ROUNDS = 3;
/** Of the quiet rounds' p99, and where that is less, in milliseconds: what a person does not notice. */
const MOST_TIMES = 3;
const ALWAYS_ALLOWED_MS = 50;
const SECONDS = Number(process.env['ABUSE_SECONDS'] ?? 5);
const SEED = Number(process.env['ABUSE_SEED'] ?? 20_261_123);
const PATIENCE_MS = 30_000;

interface Verdict {
  readonly attack: string;
  readonly quiet: number;
  readonly attacked: number;
  readonly bound: number;
  readonly rss: string;
  readonly note: string;
  readonly faults: readonly string[];
}

interface Stage extends StartedScene {
  readonly prober: Child;
  readonly attacker: Child;
}

/** Evenly over the list, and over the runs: by the minute, whatever the hour that a run begins at each day. */
function chosen(): readonly Attack[] {
  const only = process.env['ABUSE_ONLY']?.split(',');
  if (only !== undefined) {
    const unknown = only.filter((name) => !ATTACKS.some((attack) => attack.name === name));
    if (unknown.length > 0) throw new Error(`There is no attack ${unknown.join(', ')}.`);
    return ATTACKS.filter(({ name }) => only.includes(name));
  }
  const most = Number(process.env['ABUSE_ATTACKS'] ?? ATTACKS.length);
  const parts = Math.ceil(ATTACKS.length / most);
  const part = Math.floor(Date.now() / 60_000) % parts;
  return ATTACKS.filter((_, at) => at % parts === part);
}

process.once('SIGTERM', () => process.exit(143));

void bench('abuse', async ({ folder, say }) => {
  const attacks = chosen();
  say(
    `${attacks.length} of ${ATTACKS.length} attacks, ${ROUNDS} quiet rounds and ${ROUNDS} attacked of ${SECONDS} s each`,
  );
  const verdicts: Verdict[] = [];
  for (const settings of new Set(attacks.map((attack) => attack.settings))) {
    const together = attacks.filter((attack) => attack.settings === settings);
    verdicts.push(...(await playAll(folder, settings ?? {}, together, say)));
  }
  console.log(tableOf(verdicts));
  const missed = verdicts.filter(({ faults }) => faults.length > 0);
  for (const { attack, faults } of missed) for (const fault of faults) say(`${attack}: ${fault}`);
  if (missed.length > 0) process.exitCode = 1;
  console.log(`${verdicts.length - missed.length} attacks held, ${missed.length} missed`);
});

async function playAll(
  folder: string,
  settings: Readonly<Record<string, string>>,
  attacks: readonly Attack[],
  say: (line: string) => void,
): Promise<Verdict[]> {
  const started = await startScene(folder, settings);
  const [prober, attacker] = [startChild('prober.ts', MEASURED), startChild('attacker.ts', ATTACKING)];
  const stage = { ...started, prober, attacker };
  const verdicts: Verdict[] = [];
  try {
    await prober.ask({ open: { address: started.server.address, apiKey: started.apiKey } });
    const before = { ...descriptorsOf(started), rss: residentMemory(started.pid).now };
    for (const attack of attacks) {
      const verdict = await play(stage, attack);
      verdicts.push(verdict);
      const held = verdict.faults.length === 0 ? 'held' : 'MISSED';
      say(
        `${attack.name}: ${decimals(verdict.quiet)} ms, attacked ${decimals(verdict.attacked)} ms, ${held}; ${verdict.note}`,
      );
      if (hasEnded(started.server)) return verdicts;
    }
    const after = { ...descriptorsOf(started), rss: residentMemory(started.pid).now };
    say(
      `descriptors ${before.all} before, ${after.all} after (connections ${before.connections}, ${after.connections}; ` +
        `objects ${before.objects}, ${after.objects}); resident ${decimals(before.rss)} MiB before, ${decimals(after.rss)} after`,
    );
    await prober.ask({ close: true });
  } finally {
    await Promise.all([prober.stop(), attacker.stop(), started.server.stop()]);
  }
  return verdicts;
}

async function play(stage: Stage, attack: Attack): Promise<Verdict> {
  const { server, pid, scene, prober, attacker } = stage;
  const faults: string[] = [];
  const quiet: Probed[] = [];
  const attacked: Probed[] = [];
  const tallies: Tally[] = [];
  /** After each attacked round. */
  const held: number[] = [];
  const logged = server.log.length;
  const open = descriptorsOf(stage);
  const { now: rssBefore } = residentMemory(pid);
  resetPeak(pid);
  let waited = 0;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      await untilIdle(pid);
      quiet.push(await prober.ask<Probed>({ milliseconds: SECONDS * 1_000 }));
      await attacker.ask({ begin: attack.name, scene, round, seed: SEED });
      const waitedBefore = coreWaitSeconds(pid);
      attacked.push(await prober.ask<Probed>({ milliseconds: SECONDS * 1_000 }));
      waited += coreWaitSeconds(pid) - waitedBefore;
      tallies.push(await attacker.ask<Tally>({ end: true }));
      if (attack.mostGrowthMiB === undefined) continue;
      await untilIdle(pid);
      held.push(await heldMemory(pid, scene.address));
    }
    await attacker.ask({ check: attack.name, scene });
    await expectAsBefore(stage, open.connections);
  } catch (error) {
    faults.push(String(error));
    // The next attack starts on an idle server, with free connections for checks.
    await attacker.ask({ end: true }).catch(() => undefined);
    await prober.ask({ close: true });
    await prober.ask({ open: { address: scene.address, apiKey: stage.apiKey } }).catch(() => undefined);
  }
  const [was, is] = [quiet, attacked].map((rounds) => median(rounds.map(({ p99 }) => p99)));
  const bound = Math.max(MOST_TIMES * was!, ALWAYS_ALLOWED_MS);
  if (faults.length === 0 && is! > bound) faults.push(`p99 ${decimals(is!)} ms, at most ${decimals(bound)} ms`);
  const growth = (held.at(-1) ?? 0) - (held[0] ?? 0);
  if (attack.mostGrowthMiB !== undefined && !(growth <= attack.mostGrowthMiB)) {
    faults.push(`the heap grew by ${decimals(growth)} MiB, at most ${attack.mostGrowthMiB} MiB`);
  }
  const tally = sumOf(tallies);
  faults.push(...faultsOf(attack, tally), ...errorsIn(server, logged, attack));
  const memory = residentMemoryOf(server);
  return {
    attack: attack.name,
    ...{ quiet: was!, attacked: is!, bound, faults },
    rss: memory === undefined ? 'ended' : `${decimals(rssBefore)} ${decimals(memory.peak)} ${decimals(memory.now)}`,
    note:
      `${statusesOf(tally)}; longest ${decimals(Math.max(...attacked.map(({ max }) => max)))} ms; the prober's own loop ` +
      `${decimals(median(attacked.map(({ ownDelay }) => ownDelay)))} ms; no core ${decimals((100 * waited) / (ROUNDS * SECONDS))}%` +
      (held.length === 0 ? '' : `; heap after each round ${held.map(decimals).join(', ')} MiB`),
  };
}

/** @throws Error that says what is not as before */
async function expectAsBefore(stage: Stage, connections: number): Promise<void> {
  const { scene } = stage;
  for (const path of ['/api/health', '/health/ready']) {
    const { status } = await fetch(scene.address + path, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (status !== 200) throw new Error(`${path} answered ${status}.`);
  }
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const open = descriptorsOf(stage);
    // The runner's own keep-alive connections may stay for a moment.
    if (open.connections <= connections + 2 && open.objects === 0) return;
    if (performance.now() > end) {
      throw new Error(`${open.connections} connections are open (${connections} before), and ${open.objects} objects.`);
    }
    await delay(100);
  }
}

function residentMemoryOf({ child }: Pick<ServerProcess, 'child'>) {
  return hasEnded({ child }) ? undefined : residentMemory(child.pid!);
}

function hasEnded({ child }: Pick<ServerProcess, 'child'>): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function faultsOf({ wants = [], atMostBytes }: Attack, { statuses, largestBytes }: Tally): string[] {
  const faults = Object.keys(statuses)
    .filter((status) => Number(status) >= 500 && status !== '503')
    .map((status) => `${statuses[status]} responses with ${status}`);
  for (const status of wants) if (statuses[status] === undefined) faults.push(`no response with ${status}`);
  if (atMostBytes !== undefined && largestBytes > atMostBytes) faults.push(`a response of ${largestBytes} bytes`);
  return faults;
}

function errorsIn({ log }: ServerProcess, from: number, { logs }: Attack): string[] {
  return log
    .slice(from)
    .filter((line) => /^\{"level":"(error|fatal)"/.test(line) || !line.startsWith('{'))
    .filter((line) => logs?.test(line) !== true)
    .slice(0, 3)
    .map((line) => `logged ${line.slice(0, 300)}`);
}

function sumOf(tallies: readonly Tally[]): Tally {
  const statuses: Record<string, number> = {};
  for (const tally of tallies) {
    for (const [status, count] of Object.entries(tally.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  }
  return {
    sockets: tallies.reduce((sum, { sockets }) => sum + sockets, 0),
    statuses,
    broken: tallies.reduce((sum, { broken }) => sum + broken, 0),
    largestBytes: Math.max(0, ...tallies.map(({ largestBytes }) => largestBytes)),
  };
}

function statusesOf({ sockets, statuses, broken }: Tally): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${count} × ${status}`);
  if (sockets > 0) counts.unshift(`${sockets} connections`);
  if (broken > 0) counts.push(`${broken} without a response`);
  return counts.join(', ') || 'no responses';
}

function tableOf(verdicts: readonly Verdict[]): string {
  const table = new Table({
    head: ['attack', 'quiet p99', 'attacked p99', 'ratio', 'at most', 'held', 'MiB before, peak, after', 'note'],
    style: { head: [], border: [] },
    colWidths: [null, null, null, null, null, null, null, 60],
    wordWrap: true,
  });
  for (const { attack, quiet, attacked, bound, faults, rss, note } of verdicts) {
    const ms = (value: number) => `${decimals(value)} ms`;
    const held = faults.length === 0 ? 'yes' : 'MISSED';
    table.push([attack, ms(quiet), ms(attacked), decimals(attacked / quiet), ms(bound), held, rss, note]);
  }
  return table.toString();
}
