import { Logger } from '@nestjs/common';
import { messagingContract } from '../contract/messaging.contract';
import { openInProcessMessaging } from './in-process-messaging';

Logger.overrideLogger(false);
jest.setTimeout(30_000);

describe('Messaging within one process', () => {
  messagingContract((logger) => {
    const messaging = openInProcessMessaging(logger);
    return Promise.resolve({ connect: () => Promise.resolve(messaging), close: () => Promise.resolve() });
  });
});
