import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { expectThat, type Attack } from '../target';

const PIPELINED = 10;

export const pipelinedResets: Attack = {
  name: 'pipelined-resets',
  does: 'pipelines downloads, overviews and event streams on 20 connections at a time, and resets them after 1 to 30 ms',
  async run(target, signal) {
    const { download, operatorKey } = target.scene;
    const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
    const owner = `Authorization: Bearer ${operatorKey}\r\n`;
    await target.repeat(signal, 20, async (n) => {
      const device = `X-Forwarded-For: 10.7.${target.round}.${n % 250}\r\n`;
      const socket = target.socket();
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      socket.write(
        n % 2 === 0
          ? get(download, device).repeat(PIPELINED)
          : get(download, device) + get('/api/dashboard/v1/overview', owner) + get('/api/dashboard/v1/events', owner),
      );
      await delay(1 + target.whole(30));
      socket.resetAndDestroy();
    });
  },
  async check(target) {
    for (let left = 50; left > 0; left -= 1) {
      const metrics = await target.prepared<string>({ path: '/metrics' });
      if (/^sluice_event_streams 0$/m.test(metrics)) return;
      await delay(100);
    }
    expectThat(false, 'Event streams of connections that are gone still count.');
  },
};
