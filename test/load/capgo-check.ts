import { launchProcess } from '../support/process';
import { bench, onServerCore } from './bench';
import { versionOf, writeHistory } from './history';
import { compareWithBare } from './side-by-side';

const BUILDS = 200;

/** Update checks of Capgo's clients per second, compared with a bare `node:http` server that parses the same bodies. */
void bench('capgo-check', async ({ folder, say, judge }) => {
  const history = { builds: BUILDS, rollouts: [10, 50, 100], apps: 1, channels: ['production'] as const };
  const { apiKey } = await writeHistory(folder, history);
  const limits = { LIMIT_DEVICE_PER_MINUTE: '1000000000', LIMIT_ADDRESS_PER_MINUTE: '1000000000' };
  const server = await onServerCore(() => launchProcess('standalone', { ...limits, DATA_DIR: folder })).ready;
  try {
    // Every second device runs the newest version already.
    const request = (n: number): string => {
      const body = JSON.stringify({
        ...{ platform: 'ios', device_id: `7f9c24e8-${String(n).padStart(9, '0')}`, app_id: 'com.example.app' },
        ...{ custom_id: '', version_build: '1.0.0', version_code: '7', version_os: '17.4', plugin_version: '8.51.23' },
        ...{ version_name: (n & 1) === 1 ? versionOf(BUILDS) : 'builtin', is_emulator: false, is_prod: true },
        ...{ install_source: 'app_store', defaultChannel: '' },
      });
      const head = `POST /compat/capgo/${apiKey}/updates HTTP/1.1\r\nHost: updates\r\nContent-Type: application/json\r\n`;
      return `${head}User-Agent: CapacitorUpdater/8.51.23 (com.example.app) ios/17.4\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const check = (n: number, body: string): void => {
      const { version, kind } = JSON.parse(body) as { readonly version?: string; readonly kind?: string };
      const isRight = (n & 1) === 1 ? kind === 'up_to_date' : version !== undefined && kind === undefined;
      if (!isRight) throw new Error(`Question ${n} was answered with ${body}`);
    };
    say(`${BUILDS} builds in the channel, the newest three at 10, 50 and 100%`);
    const samples = [request(-2), request(-1)];
    const { rate } = await compareWithBare({ say }, { ...server, pid: server.child.pid! }, { request, check }, samples);
    judge('rate, of bare', rate, '', { atLeast: 0.6 });
  } finally {
    await server.stop();
  }
});
