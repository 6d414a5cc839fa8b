import { launchProcess } from '../support/process';
import { startNatsServer } from '@sluice/testing/nats-server';
import { bench, decimals, onServerCore } from './bench';
import { writeHistory } from './history';
import { residentMemory } from './memory';

/** From the start of device-updates on its own to its first answer that it is ready, and what it then takes. */
const PAST = { apps: 10_000, channels: ['production'], builds: 20, promoted: true } as const;
const STARTS = 3;

void bench('serving-index', async ({ folder, say, judge }) => {
  const { events, apiKey } = await writeHistory(folder, PAST);
  const nats = await startNatsServer();
  const start = async () => {
    const begin = performance.now();
    const env = { DATA_DIR: folder, BUS_URL: nats.url };
    const server = await onServerCore(() => launchProcess('device-updates', env)).ready;
    try {
      const headers = { 'X-API-Key': apiKey, 'X-Device-ID': 'a', 'X-Current-Version': '1.0.0', 'X-Platform': 'ios' };
      const answer = await fetch(`${server.address}/api/v1/updates/check`, { headers });
      const seconds = (performance.now() - begin) / 1_000;
      const { available } = (await answer.json()) as { readonly available?: boolean };
      if (available !== true) throw new Error(`The check was answered ${answer.status} without an update.`);
      return { seconds, peak: residentMemory(server.child.pid!).peak };
    } finally {
      await server.stop();
    }
  };
  try {
    const builds = PAST.apps * PAST.builds;
    say(`${decimals(PAST.apps)} apps, ${decimals(builds)} builds, ${decimals(events)} events`);
    const first = await start();
    say(`the first start, which makes the rows: ${decimals(first.seconds)} s, peak memory ${decimals(first.peak)} MiB`);
    const starts = [];
    for (let n = 0; n < STARTS; n += 1) starts.push(await start());
    judge('start to the first answer', Math.min(...starts.map(({ seconds }) => seconds)), 's', { atMost: 5 });
    judge('peak memory', Math.max(...[first, ...starts].map(({ peak }) => peak)), 'MiB', { atMost: 512 });
  } finally {
    await nats.stop();
  }
});
