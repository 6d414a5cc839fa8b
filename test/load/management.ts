import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchProcess } from '../support/process';
import { bench, cpuSeconds, decimals, median, onServerCore, type Bench } from './bench';
import { writeHistory } from './history';
import { drive, type Driven, type Questions } from './http-load';
import { compareWithBare } from './side-by-side';

/**
 * GETs of one build on the management plane per second, compared with a bare `node:http` server; then lists of
 * 50 builds a second out of 100,000, compared with the same out of 100 on the same server; then histories and
 * builds as of a time of an app with 6,000 events, compared with those of an app with 60.
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

/** By app: 60 events; 6,000 of as many builds; 6,000 of many builds. */
const HISTORIES = { builds: [10, 10, 1_000], rolloutChanges: [39, 5_979, 3_999], eventsPerAppend: 10 } as const;
const ROUNDS = 3;
const ROUND_MS = 1_000;

void bench('management', async (run) => {
  for (const part of [oneBuild, listsOfBuilds, histories]) {
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

async function histories({ folder, say, judge }: Bench): Promise<void> {
  const { token } = await writeHistory(folder, { apps: 3, channels: ['production'], ...HISTORIES });
  const env = { DATA_DIR: folder, LIMIT_REQUESTS_PER_MINUTE: '1000000000' };
  const server = await onServerCore(() => launchProcess('standalone', env)).ready;
  const headers = { Authorization: `Bearer ${token}` };
  let first = 0;
  const ask = async (app: number, path: string): Promise<string> => {
    const answer = await fetch(`${server.address}/api/public/v1/apps/${app}${path}`, { headers });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`This is no right answer: ${text}`);
    return text;
  };
  /** Of processor time, for an answer. */
  const microseconds = async (app: number, path: string): Promise<number> => {
    const request = `GET /api/public/v1/apps/${app}${path} HTTP/1.1\r\nHost: management\r\nAuthorization: Bearer ${token}\r\n\r\n`;
    const expected = await ask(app, path);
    const check = (_: number, body: string) => {
      if (body !== expected) throw new Error(`This is no right answer: ${body}`);
    };
    const before = cpuSeconds(server.child.pid!);
    const { answers } = await drive(
      server.address,
      { request: () => request, check },
      { first, milliseconds: ROUND_MS },
    );
    first += answers;
    return ((cpuSeconds(server.child.pid!) - before) * 1e6) / answers;
  };
  /** When the entry of the middle was written. */
  const middleOf = async (app: number): Promise<string> => {
    const page = (text: string) => JSON.parse(text) as { data: [{ at: string }]; meta: { total: number } };
    const { meta } = page(await ask(app, '/history?per_page=1'));
    const { data } = page(await ask(app, `/history?per_page=1&page=${Math.floor(meta.total / 2)}`));
    return data[0].at;
  };
  try {
    const middles = [await middleOf(1), await middleOf(2), await middleOf(3)] as const;
    const build = [1, 11, 21] as const;
    const paths: [string, (app: 0 | 1 | 2) => string][] = [
      ['history?per_page=1', () => '/history?per_page=1'],
      ['history?per_page=10&type=BuildActivated', () => '/history?per_page=10&type=BuildActivated'],
      ['history?per_page=10&to=MIDDLE', (app) => `/history?per_page=10&to=${middles[app]}`],
      ['builds/ID/history?per_page=1', (app) => `/builds/${build[app]}/history?per_page=1`],
      ['builds/ID?as_of=MIDDLE', (app) => `/builds/${build[app]}?as_of=${middles[app]}`],
      ['builds?per_page=10&as_of=MIDDLE', (app) => `/builds?per_page=10&as_of=${middles[app]}`],
    ];
    for (const [path, of] of paths) {
      const ratios: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        const [few, many, wide] = [
          await microseconds(1, of(0)),
          await microseconds(2, of(1)),
          await microseconds(3, of(2)),
        ] as const;
        ratios.push(many / few);
        say(
          `${path}: ${decimals(few)} µs of CPU of 60 events, ${decimals(many)} of 6,000, ` +
            `${decimals(wide)} of 6,000 of 1,000 builds`,
        );
      }
      judge('CPU of 6,000 events, of 60', median(ratios), '', { atMost: 1.3 });
    }
  } finally {
    await server.stop();
  }
}
