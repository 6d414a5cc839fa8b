import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';

/** The requests, and whether their responses are right. */
export interface Questions {
  /** The whole request of the nth question; no number is asked twice. */
  request(n: number): string;
  /** @throws when this is not what the nth question deserves */
  check(n: number, body: string): void;
}

export interface Driven {
  readonly answers: number;
  readonly perSecond: number;
  /** Of a core, that asking took: near 1, the load was the limit and not the server. */
  readonly loadShare: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

const HEAD_END = '\r\n\r\n';

/**
 * Sends requests over so many connections, one at a time on each, and hands every answer
 * over for its check. The answer must be 200 with a Content-Length.
 * @throws on any other answer, a failed check, or a connection that ends
 */
export async function drive(
  address: string,
  questions: Questions,
  options: { readonly first: number; readonly milliseconds: number; readonly connections?: number },
): Promise<Driven> {
  const { hostname, port } = new URL(address);
  const latencies = createHistogram();
  const { first, milliseconds, connections = 64 } = options;
  let next = first;
  let answers = 0;
  const sockets = Array.from({ length: connections }, () =>
    connect({ host: hostname, port: Number(port), noDelay: true }),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));

  const cpuBefore = process.cpuUsage();
  const begin = performance.now();
  const end = begin + milliseconds;
  const ask = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let asked = 0;
      let sentAt = 0;
      let received = '';
      const send = () => {
        asked = next++;
        sentAt = performance.now();
        socket.write(questions.request(asked), 'latin1');
      };
      socket.on('data', (chunk) => {
        const text = chunk.toString('latin1');
        received = received === '' ? text : received + text;
        const headEnd = received.indexOf(HEAD_END);
        if (headEnd === -1) return;
        const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
        if (!received.startsWith('HTTP/1.1 200 ') || length === undefined) {
          reject(new Error(`Answered with ${received}`));
          return;
        }
        const bodyStart = headEnd + HEAD_END.length;
        if (received.length < bodyStart + Number(length)) return;
        const now = performance.now();
        latencies.record(Math.max(1, Math.round((now - sentAt) * 1_000)));
        answers += 1;
        try {
          questions.check(asked, received.slice(bodyStart));
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        received = '';
        if (now < end) send();
        else resolve();
      });
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('The server ended a connection.')));
      send();
    });
  try {
    await Promise.all(sockets.map(ask));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  const elapsedMs = performance.now() - begin;
  const { user, system } = process.cpuUsage(cpuBefore);
  const perSecond = answers / (elapsedMs / 1_000);
  const loadShare = (user + system) / 1_000 / elapsedMs;
  return {
    answers,
    perSecond,
    loadShare,
    p50: latencies.percentile(50) / 1_000,
    p99: latencies.percentile(99) / 1_000,
  };
}
