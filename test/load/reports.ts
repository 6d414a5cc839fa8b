import { randomUUID } from 'node:crypto';
import type { BuildStats } from '@sluice/contracts';
import { stableUuid } from '@sluice/kernel';
import { launchProcess } from '../support/process';
import { bench, cpuSeconds, decimals, median, onServerCore } from './bench';
import { writeHistory } from './history';
import { drive } from './http-load';

/**
 * Reports of installs a second over 64 connections on the embedded engines, each durable before its
 * answer, no device twice: `reports.ts [seconds]`. All that was answered is counted in the end. Then again, from an
 * address for each device, in turn without and with a rollout plan that counts the reports of the build.
 */
const TARGET = 5_000;
/** A plan waits as long as its last count took. */
const LEAST_SHARE = 0.5;
const ROUNDS = 3;
const seconds = Number(process.argv[2] ?? 5);

void bench('reports', async ({ folder, say, judge }) => {
  const { apiKey, token } = await writeHistory(folder, { apps: 1, channels: ['production'], builds: 1 });
  const run = randomUUID();
  const server = await onServerCore(() =>
    launchProcess('standalone', { DATA_DIR: folder, TRUSTED_PROXIES: '127.0.0.1/32' }),
  ).ready;
  try {
    const body = JSON.stringify({ bundle_id: stableUuid('build', 1), status: 'complete' });
    const questions = (headerOf: (n: number) => string) => ({
      request: (n: number) =>
        'POST /api/v1/analytics/install HTTP/1.1\r\nHost: updates\r\nContent-Type: application/json\r\n' +
        `${headerOf(n)}X-API-Key: ${apiKey}\r\nX-Device-ID: ${run}-${n}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      check: (_: number, answer: string) => {
        if (answer !== '{"success":true}') throw new Error(`Answered with ${answer}`);
      },
    });
    const plain = questions(() => '');
    const warm = await drive(server.address, plain, { first: 0, milliseconds: 2_000 });
    const before = cpuSeconds(server.child.pid!);
    const driven = await drive(server.address, plain, { first: warm.answers, milliseconds: seconds * 1_000 });
    const cpuMicros = ((cpuSeconds(server.child.pid!) - before) / driven.answers) * 1e6;
    say(`${decimals(cpuMicros)} µs of CPU each, p50 ${decimals(driven.p50)} ms, p99 ${decimals(driven.p99)} ms`);
    const response = await fetch(`${server.address}/api/public/v1/apps/1/builds/1/stats`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    const { data } = (await response.json()) as { data: BuildStats };
    const answered = warm.answers + driven.answers;
    if (data.totals.installs !== answered) throw new Error(`${data.totals.installs} counted of ${answered} answered.`);
    judge('durable reports', driven.perSecond, 'reports/s', { atLeast: TARGET });

    const change = async (method: 'PUT' | 'DELETE', body?: object) => {
      const { ok, status } = await fetch(`${server.address}/api/public/v1/apps/1/builds/1/plan`, {
        method,
        headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!ok) throw new Error(`${method} of the plan got ${status}.`);
    };
    const steps = [{ percentage: 100, hold_minutes: 60, min_devices: 1_000 }];
    const spread = questions((n) => `X-Forwarded-For: 10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}\r\n`);
    const rates: Record<'without' | 'with', number[]> = { without: [], with: [] };
    let first = answered;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const plan of ['without', 'with'] as const) {
        if (plan === 'with') await change('PUT', { steps });
        const { answers, perSecond } = await drive(server.address, spread, { first, milliseconds: seconds * 1_000 });
        first += answers;
        rates[plan].push(perSecond);
        if (plan === 'with') await change('DELETE');
      }
    }
    const shown = (plan: 'without' | 'with') => `${plan} a plan ${rates[plan].map(decimals).join(' ')}`;
    say(`reports/s in turn: ${shown('without')}, ${shown('with')}; ${decimals(first)} devices at the end`);
    const share = median(rates.with) / median(rates.without);
    judge('share of the reports/s while a rollout plan counts them', share, '', { atLeast: LEAST_SHARE });
  } finally {
    await server.stop();
  }
});
