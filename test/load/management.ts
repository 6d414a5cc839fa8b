import { launchProcess } from '../support/process';
import { bench, onServerCore } from './bench';
import { writeHistory } from './history';
import type { Questions } from './http-load';
import { compareWithBare } from './side-by-side';

/** GETs of one build on the management plane a second, beside a bare `node:http` server. */
const BUILD = 150;

void bench('management', async ({ folder, say, judge }) => {
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
    judge('rate, of bare', ratio.rate, '', { atLeast: 0.25, held: false });
    say(`p99 ${ratio.p99.toFixed(2)} times that of bare`);
  } finally {
    await server.stop();
  }
});
