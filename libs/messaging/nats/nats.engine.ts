import { Logger } from '@nestjs/common';
import { messagingContract } from '../contract/messaging.contract';
import { openNatsMessaging } from './nats-messaging';

Logger.overrideLogger(false);

const url = process.env['TEST_NATS_URL'];

(url === undefined ? describe.skip : describe)(`NATS${url === undefined ? ' (no TEST_NATS_URL)' : ''}`, () => {
  let run = 0;
  messagingContract((logger) => {
    const namespace = `engine-${process.pid}-${(run += 1)}`;
    return Promise.resolve({
      connect: () => openNatsMessaging({ url: url!, namespace, logger }),
      close: () => Promise.resolve(),
    });
  });
});
