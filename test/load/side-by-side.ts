import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BareAnswer } from './bare-server';
import { cpuSeconds, decimals, median, onServerCore, type Bench } from './bench';
import { drive, type Driven, type Questions } from './http-load';

const WARM_UP_MS = 2_000;
/** Short, so that both sides of a round see the same machine. */
const ROUND_MS = 1_000;
const ROUNDS = 11;

export interface Side {
  readonly address: string;
  readonly pid: number;
}

interface Round extends Driven {
  /** Microseconds that the process used for each answer. */
  readonly cpuMicros: number;
  /** Of a core. */
  readonly serverShare: number;
}

export interface Comparison {
  /** The server's rate over that of bare `node:http`, the median of the rounds. */
  readonly rate: number;
  /** Its 99th percentile of latency over the other's, likewise. */
  readonly p99: number;
}

/**
 * Drives the server and a bare `node:http` server, which gives the same answers from memory, on the
 * same core in turns. Every answer of both is checked.
 * @param samples requests whose answers the bare server repeats in turn
 */
export async function compareWithBare(
  { say }: Pick<Bench, 'say'>,
  server: Side,
  questions: Questions,
  samples: readonly string[],
): Promise<Comparison> {
  const answers = await Promise.all(samples.map((sample) => answerTo(server.address, sample)));
  const bodies = new Set(answers.map(({ body }) => body));
  const bare = await startBareServer(answers);
  const repeats: Questions = {
    ...questions,
    check: (n, body) => {
      if (!bodies.has(body)) throw new Error(`The bare server answered question ${n} with ${body}`);
    },
  };
  try {
    let first = 0;
    const round = async (side: Side, asked: Questions, milliseconds: number): Promise<Round> => {
      const before = cpuSeconds(side.pid);
      const driven = await drive(side.address, asked, { first, milliseconds });
      first += driven.answers;
      const cpuMicros = ((cpuSeconds(side.pid) - before) / driven.answers) * 1e6;
      return { ...driven, cpuMicros, serverShare: (cpuMicros * driven.perSecond) / 1e6 };
    };
    await round(server, questions, WARM_UP_MS);
    await round(bare, repeats, WARM_UP_MS);
    const rounds: Record<'ours' | 'bare', Round>[] = [];
    for (let n = 0; n < ROUNDS; n += 1) {
      rounds.push({
        ours: await round(server, questions, ROUND_MS),
        bare: await round(bare, repeats, ROUND_MS),
      });
    }
    for (const side of ['ours', 'bare'] as const) {
      const middle = (pick: (driven: Round) => number) => median(rounds.map((both) => pick(both[side])));
      const of = (pick: (driven: Round) => number) => decimals(middle(pick));
      const percent = (pick: (driven: Round) => number) => `${Math.round(100 * middle(pick))}%`;
      say(
        `${side === 'ours' ? 'sluice        ' : 'bare node:http'} ${of((driven) => driven.perSecond)}/s, ` +
          `${of((driven) => driven.cpuMicros)} µs of CPU each, ` +
          `p50 ${of((driven) => driven.p50)} ms, p99 ${of((driven) => driven.p99)} ms; ` +
          `busy: its core ${percent((driven) => driven.serverShare)}, the load's ${percent((driven) => driven.loadShare)}`,
      );
    }
    say(
      `by processor time alone ${decimals(median(rounds.map(({ ours, bare: other }) => other.cpuMicros / ours.cpuMicros)))} of bare`,
    );
    return {
      rate: median(rounds.map(({ ours, bare: other }) => ours.perSecond / other.perSecond)),
      p99: median(rounds.map(({ ours, bare: other }) => ours.p99 / other.p99)),
    };
  } finally {
    bare.stop();
  }
}

/** The answer to a raw request, as a server could repeat it. */
async function answerTo(address: string, raw: string): Promise<BareAnswer> {
  const [head = '', body = ''] = raw.split('\r\n\r\n', 2);
  const [line = '', ...fields] = head.split('\r\n');
  const [method, path = '/'] = line.split(' ');
  const headers = Object.fromEntries(fields.map((field) => field.split(/: (.*)/s, 2) as [string, string]));
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, address), { method, headers }, (response) => {
      const own = new Set(['date', 'connection', 'keep-alive']);
      const { rawHeaders } = response;
      const kept = rawHeaders.filter((_, at) => !own.has((rawHeaders[at - (at % 2)] ?? '').toLowerCase()));
      text(response).then((answer) => resolve({ headers: kept, body: answer }), reject);
    });
    sent.once('error', reject).end(body);
  });
}

async function startBareServer(answers: readonly BareAnswer[]): Promise<Side & { stop(): void }> {
  const loader = join(__dirname, '..', 'register-swc.cjs');
  const child = onServerCore(() =>
    spawn(process.execPath, ['-r', loader, join(__dirname, 'bare-server.ts')], {
      env: { PATH: process.env['PATH'], BARE_ANSWERS: JSON.stringify(answers) },
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  process.once('exit', () => child.kill());
  for await (const line of createInterface({ input: child.stdout })) {
    return { address: `http://127.0.0.1:${line}`, pid: child.pid!, stop: () => child.kill() };
  }
  throw new Error('The bare server did not start.');
}
