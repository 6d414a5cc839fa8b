import { Logger } from '@nestjs/common';
import { messagingContract } from '../contract/messaging.contract';
import { openInProcessMessaging } from './in-process-messaging';

Logger.overrideLogger(false);
jest.setTimeout(30_000);

describe('Messaging within one process', () => {
  messagingContract(() => {
    const messaging = openInProcessMessaging();
    return Promise.resolve({ connect: () => Promise.resolve(messaging), close: () => Promise.resolve() });
  });
});
