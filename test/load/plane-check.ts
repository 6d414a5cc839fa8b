import { launchProcess } from '../support/process';
import { bench, onServerCore } from './bench';
import { writeHistory } from './history';
import { compareWithBare } from './side-by-side';

export const PLANE_BUILDS = 200;
/** Devices that check again and again: what a plane infers from a check, it reports once for each of them. Even. */
const FLEET = 20_000;

/** A protocol of other update clients. Every second device of the fleet runs the newest version already. */
export interface PlaneQuestions {
  /** Of the builds; left out: none. */
  readonly fingerprint?: string;
  /** Before the server starts on the folder. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** The whole check of the nth device. */
  readonly request: (n: number, apiKey: string) => string;
  /** Whether this is the body that it deserves. */
  readonly isRight: (n: number, body: string) => boolean;
}

/** Update checks per second, compared with a bare `node:http` server that reads the same requests and sends the same bytes. */
export function benchPlane(name: string, { fingerprint, prepare, request, isRight }: PlaneQuestions): void {
  void bench(name, async ({ folder, say, judge }) => {
    const history = { builds: PLANE_BUILDS, rollouts: [10, 50, 100], apps: 1, channels: ['production'] as const };
    const { apiKey } = await writeHistory(folder, { ...history, ...(fingerprint !== undefined && { fingerprint }) });
    await prepare?.(folder);
    const limits = { LIMIT_DEVICE_PER_MINUTE: '1000000000', LIMIT_ADDRESS_PER_MINUTE: '1000000000' };
    const server = await onServerCore(() => launchProcess('standalone', { ...limits, DATA_DIR: folder })).ready;
    try {
      const questions = {
        request: (n: number) => request(n % FLEET, apiKey),
        check: (n: number, body: string): void => {
          if (!isRight(n % FLEET, body)) throw new Error(`Question ${n} was answered with ${body}`);
        },
      };
      say(`${PLANE_BUILDS} builds in the channel, the newest three at 10, 50 and 100%; a fleet of ${FLEET} devices`);
      const samples = [questions.request(-2), questions.request(-1)];
      const { rate } = await compareWithBare({ say }, { ...server, pid: server.child.pid! }, questions, samples);
      judge('rate, of bare', rate, '', { atLeast: 0.6 });
    } finally {
      await server.stop();
    }
  });
}
