import type { Logger } from '@sluice/kernel';
import { unobserved, type Messaging } from '../port';
import { createRequester } from '../requester';
import { Broker } from './broker';
import { InProcessServer } from './in-process-server';

/**
 * Messaging for services that share one process: one call, one broker. A request that comes before
 * its service listens waits for it, within its timeout.
 */
export function openInProcessMessaging(logger?: Logger): Messaging {
  const broker = new Broker(logger);
  const requester = createRequester((request, timeoutMs) => broker.ask(request, timeoutMs));
  return {
    announcementDelayMs: 0,
    server: (_, observe = unobserved) => new InProcessServer(broker, observe, logger),
    request: requester.request,
    requestRaw: requester.requestRaw,
    announce: (topic, body) => broker.announce(topic, body),
    listen: (topic, listener) => broker.listen(topic, listener),
    ping: () => Promise.resolve(),
    async close() {
      const answered = requester.close();
      broker.close();
      await answered;
    },
  };
}
