import { randomUUID } from 'node:crypto';
import type { BuildStats } from '@sluice/contracts';
import { stableUuid } from '@sluice/kernel';
import { launchProcess } from '../support/process';
import { bench, cpuSeconds, decimals, onServerCore } from './bench';
import { writeHistory } from './history';
import { drive } from './http-load';

/**
 * Reports of installs a second over 64 connections on the embedded engines, each durable before its
 * answer, no device twice: `reports.ts [seconds]`. All that was answered is counted in the end.
 */
const TARGET = 5_000;
const seconds = Number(process.argv[2] ?? 5);

void bench('reports', async ({ folder, say, judge }) => {
  const { apiKey, token } = await writeHistory(folder, { apps: 1, channels: ['production'], builds: 1 });
  const run = randomUUID();
  const server = await onServerCore(() => launchProcess('standalone', { DATA_DIR: folder })).ready;
  try {
    const body = JSON.stringify({ bundle_id: stableUuid('build', 1), status: 'complete' });
    const questions = {
      request: (n: number) =>
        'POST /api/v1/analytics/install HTTP/1.1\r\nHost: updates\r\nContent-Type: application/json\r\n' +
        `X-API-Key: ${apiKey}\r\nX-Device-ID: ${run}-${n}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      check: (_: number, answer: string) => {
        if (answer !== '{"success":true}') throw new Error(`Answered with ${answer}`);
      },
    };
    const warm = await drive(server.address, questions, { first: 0, milliseconds: 2_000 });
    const before = cpuSeconds(server.child.pid!);
    const driven = await drive(server.address, questions, { first: warm.answers, milliseconds: seconds * 1_000 });
    const cpuMicros = ((cpuSeconds(server.child.pid!) - before) / driven.answers) * 1e6;
    say(`${decimals(cpuMicros)} µs of CPU each, p50 ${decimals(driven.p50)} ms, p99 ${decimals(driven.p99)} ms`);
    const response = await fetch(`${server.address}/api/public/v1/apps/1/builds/1/stats`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const { data } = (await response.json()) as { data: BuildStats };
    const answered = warm.answers + driven.answers;
    if (data.totals.installs !== answered) throw new Error(`${data.totals.installs} counted of ${answered} answered.`);
    judge('durable reports', driven.perSecond, 'reports/s', { atLeast: TARGET });
  } finally {
    await server.stop();
  }
});
