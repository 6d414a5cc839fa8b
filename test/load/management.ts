import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchProcess } from '../support/process';
import { bench, decimals, onServerCore, type Bench } from './bench';
import { writeHistory } from './history';
import { drive, type Driven, type Questions } from './http-load';
import { compareWithBare } from './side-by-side';

/**
 * GETs of one build on the management plane a second, beside a bare `node:http` server; then lists of
 * 50 builds a second out of 100,000, beside the same out of 100 on the same server.
 */
const BUILD = 150;

/** By app: the builds in each of two channels. */
const BUILDS = [50, 50_000] as const;
const LISTS = [
  { perPage: 50, filter: '' },
  { perPage: 50, filter: '&channel=staging' },
  { perPage: 50, filter: '&status=archived' },
  // There are no more of them in the small app.
  { perPage: 25, filter: '&channel=staging&status=archived' },
];
const ROUNDS = 3;
const ROUND_MS = 1_000;

void bench('management', async (run) => {
  for (const part of [oneBuild, listsOfBuilds]) {
    const folder = join(run.folder, part.name);
    mkdirSync(folder);
    await part({ ...run, folder });
  }
});

async function oneBuild({ folder, say, judge }: Bench): Promise<void> {
  const { token } = await writeHistory(folder, { apps: 1, channels: ['production'], builds: 200 });
  const env = { DATA_DIR: folder, LIMIT_REQUESTS_PER_MINUTE: '1000000000' };
  const server = await onServerCore(() => launchProcess('standalone', env)).ready;
  try {
    const path = `/api/public/v1/apps/1/builds/${BUILD}`;
    const answer = await fetch(server.address + path, { headers: { Authorization: `Bearer ${token}` } });
    const expected = await answer.text();
    const { id } = (JSON.parse(expected) as { data: { id: number } }).data;
    if (answer.status !== 200 || id !== BUILD) throw new Error(`This is no right answer: ${expected}`);
    const request = `GET ${path} HTTP/1.1\r\nHost: management\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const questions: Questions = {
      request: () => request,
      check: (_, body) => {
        if (body !== expected) throw new Error(`This is no right answer: ${body}`);
      },
    };
    const ratio = await compareWithBare({ say }, { ...server, pid: server.child.pid! }, questions, [request]);
    judge('rate, of bare', ratio.rate, '', { atLeast: 0.25 });
    say(`p99 ${ratio.p99.toFixed(2)} times that of bare`);
  } finally {
    await server.stop();
  }
}

async function listsOfBuilds({ folder, say, judge }: Bench): Promise<void> {
  const { token } = await writeHistory(folder, {
    ...{ apps: BUILDS.length, channels: ['production', 'staging'], builds: BUILDS, promoted: true },
  });
  const env = { DATA_DIR: folder, LIMIT_REQUESTS_PER_MINUTE: '1000000000' };
  const server = await onServerCore(() => launchProcess('standalone', env)).ready;
  let first = 0;
  const pagesPerSecond = async (app: number, perPage: number, query: string): Promise<Driven> => {
    const path = `/api/public/v1/apps/${app}/builds?per_page=${perPage}${query}`;
    const request = `GET ${path} HTTP/1.1\r\nHost: management\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const expected = await (
      await fetch(server.address + path, { headers: { Authorization: `Bearer ${token}` } })
    ).text();
    const { data } = JSON.parse(expected) as { data?: readonly unknown[] };
    if (data?.length !== perPage) throw new Error(`This is no right answer: ${expected}`);
    const check = (_: number, body: string) => {
      if (body !== expected) throw new Error(`This is no right answer: ${body}`);
    };
    const driven = await drive(server.address, { request: () => request, check }, { first, milliseconds: ROUND_MS });
    first += driven.answers;
    return driven;
  };
  try {
    for (const { perPage, filter } of LISTS) {
      const ratios: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const few = await pagesPerSecond(1, perPage, filter);
        const many = await pagesPerSecond(2, perPage, filter);
        ratios.push(many.perSecond / few.perSecond);
        say(
          `builds?per_page=${perPage}${filter}: ${decimals(few.perSecond)}/s of 100, ${decimals(many.perSecond)}/s of 100,000, ` +
            `p50 ${decimals(few.p50)} and ${decimals(many.p50)} ms`,
        );
      }
      judge('page 1 of 100,000, of 100', Math.max(...ratios), '', { atLeast: 0.9 });
    }
    for (const page of [20, 200, 1_000, 1_800, 2_000]) {
      const { perSecond, p50 } = await pagesPerSecond(2, 50, `&page=${page}`);
      say(`page ${page} of 2,000: ${decimals(perSecond)}/s, p50 ${decimals(p50)} ms`);
    }
  } finally {
    await server.stop();
  }
}
