import { Logger } from '@nestjs/common';
import { natsServerBinary, startNatsServer, type NatsServer } from '../../../test/support/nats-server';
import { messagingContract } from '../messaging.contract';
import { openNatsMessaging } from './nats-messaging';

Logger.overrideLogger(false);

const given = process.env['TEST_NATS_URL'];
const suite = given === undefined && natsServerBinary() === undefined ? describe.skip : describe;

suite('Messaging over NATS (needs nats-server on PATH, or TEST_NATS_URL)', () => {
  let server: NatsServer | undefined;
  let url: string;
  let run = 0;

  beforeAll(async () => {
    if (given === undefined) server = await startNatsServer();
    url = given ?? server!.url;
  });
  afterAll(() => server?.stop());

  messagingContract(() => {
    const namespace = `test-${process.pid}-${(run += 1)}`;
    return Promise.resolve({
      connect: () => openNatsMessaging({ url, namespace }),
      close: () => Promise.resolve(),
    });
  });
});
