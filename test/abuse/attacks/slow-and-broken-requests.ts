import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../target';

const TRICKLES = 100;

export const slowAndBrokenRequests: Attack = {
  name: 'slow-and-broken-requests',
  does: 'trickles bodies and headers on 100 connections, floods headers, and half-closes connections amid a request',
  wants: [431],
  async run(target, signal) {
    const from = (n: number) => `X-Forwarded-For: 10.12.${target.round}.${n % 250}\r\n`;
    const login = 'POST /api/dashboard/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    const flood = Array.from({ length: 400 }, (_, n) => `X-Flood-${n}: ${'a'.repeat(40)}\r\n`).join('');
    const trickles = Promise.all(
      Array.from({ length: TRICKLES }, async (_, n) => {
        const socket = target.socket();
        socket.write(n % 2 === 0 ? `${login}${from(n)}Content-Length: 4000\r\n\r\n{` : `GET / HTTP/1.1\r\nX-Slow: `);
        while (!signal.aborted && socket.writable) {
          await delay(50 + target.whole(50), undefined, { signal }).catch(() => undefined);
          socket.write('a');
        }
      }),
    );
    await Promise.all([
      trickles,
      target.repeat(signal, 16, async (n) => {
        const socket = target.socket();
        const closed = once(socket, 'close').catch(() => undefined);
        if (n % 2 === 0) socket.write(`GET /api/public/v1/apps HTTP/1.1\r\nHost: x\r\n${from(n)}${flood}\r\n`);
        else socket.end(`${login}${from(n)}Content-Length: 100\r\n\r\n{"owner`);
        await Promise.race([once(socket, 'end').catch(() => undefined), closed, delay(2_000)]);
        socket.destroy();
      }),
    ]);
  },
};
