import { ClientNats, NatsRecordBuilder, type ReadPacket, type PacketId, type NatsRecord } from '@nestjs/microservices';
import { UnavailableError, type JsonObject, type Logger } from '@sluice/kernel';
import { Events, headers, type ConnectionOptions, type Msg, type MsgHdrs, type NatsConnection } from 'nats';
import { defer, lastValueFrom, map, mergeMap, retry, throwError, timeout, timer, toArray, type Observable } from 'rxjs';
import { packBody, readReplyPart, type ReplyPart } from '../packets';
import { unobserved, type Messaging } from '../port';
import { createRequester, LateAnswerError, UndeliveredError, type OutgoingRequest } from '../requester';
import { briefly, connectPatiently, natsOptions } from './connection';
import { DrainingNatsServer } from './nats-server';

export interface NatsMessagingOptions {
  /** `nats://` or `tls://`, with credentials if need be; several servers separated by commas. */
  readonly url: string;
  /** What NATS calls this process's connections. Default `sluice`. */
  readonly name?: string;
  /** The prefix of every subject, for several installations on one NATS. */
  readonly namespace?: string | undefined;
  /** The authority, as PEM, that signed the servers' certificates. Default: those that Node trusts. */
  readonly ca?: string | undefined;
  readonly logger?: Logger | undefined;
}

const RETRY_PAUSE_MS = 50;

class NatsClient extends ClientNats {
  constructor(
    private readonly connection: ConnectionOptions,
    private readonly log: Logger | undefined,
  ) {
    super({
      ...(connection.inboxPrefix !== undefined && { inboxPrefix: connection.inboxPrefix }),
      serializer: {
        serialize: ({ pattern, id, data: record }: ReadPacket<NatsRecord<string, MsgHdrs>> & PacketId) => ({
          data: Buffer.from(`{"pattern":${JSON.stringify(pattern)},"id":"${id}","data":${record.data}}`),
          headers: record.headers,
        }),
      },
    });
  }

  override createClient(): Promise<NatsConnection> {
    return connectPatiently(this.connection, this.log);
  }

  /** NATS answers with no bytes where no server subscribes to the subject. */
  override createSubscriptionHandler(
    ...[packet, callback]: Parameters<ClientNats['createSubscriptionHandler']>
  ): ReturnType<ClientNats['createSubscriptionHandler']> {
    const handle = super.createSubscriptionHandler(packet, callback);
    return async (error, message) => {
      const unheard = !error && (message as Msg).data.length === 0;
      if (unheard) callback({ err: new UndeliveredError(), isDisposed: true });
      else await handle(error, message);
    };
  }
}

/**
 * Messaging over NATS, which may come and go: connections are always retried.
 * @throws Error when no server accepts a connection for ENGINE_PATIENCE_MS
 */
export async function openNatsMessaging(given: NatsMessagingOptions): Promise<Messaging> {
  const { url, name = 'sluice', namespace, ca, logger } = given;
  if (namespace !== undefined && !/^[\w-]+(\.[\w-]+)*$/.test(namespace)) {
    throw new Error('The namespace on NATS may hold letters, digits, _ and -, in parts separated by dots.');
  }
  const options = natsOptions(url, name, ca);
  const subjectOf = (pattern: string) => (namespace === undefined ? pattern : `${namespace}.${pattern}`);
  const topicOf = (topic: string) => subjectOf(`announcements.${topic}`);
  const client = new NatsClient(options, logger);
  await client.connect();
  const connection = client.unwrap<NatsConnection>();
  let stopping = false;
  let away = false;
  void (async () => {
    for await (const { type } of connection.status()) {
      if (type === Events.Disconnect) away = true;
      if (type === Events.Reconnect) away = false;
    }
  })();

  function send({ pattern, json, headers: values }: OutgoingRequest, timeoutMs: number): Promise<readonly ReplyPart[]> {
    const natsHeaders = headers();
    for (const [header, value] of values) natsHeaders.set(header, value);
    const record = new NatsRecordBuilder(json).setHeaders(natsHeaders).build();
    let sent = false;
    const answer = connected().pipe(
      mergeMap(() => {
        sent = true;
        return client.send<unknown>(subjectOf(pattern), record);
      }),
      retry({
        delay: (error: unknown) => {
          if (!(error instanceof UndeliveredError)) return throwError(() => error);
          sent = false;
          return stopping ? throwError(() => new UndeliveredError()) : timer(RETRY_PAUSE_MS);
        },
      }),
      map(readReplyPart),
      toArray(),
      timeout({
        first: timeoutMs,
        with: () => throwError(() => (sent ? new LateAnswerError() : new UndeliveredError())),
      }),
    );
    return lastValueFrom(answer);
  }

  function connected(): Observable<unknown> {
    return defer(async () => {
      try {
        await client.connect();
      } catch (cause) {
        throw new UndeliveredError('NATS is unavailable.', { cause });
      }
    });
  }

  const requester = createRequester(send);

  return {
    announcementDelayMs: 1_000,
    server: (service, observe = unobserved) => new DrainingNatsServer(options, service, subjectOf, observe, logger),
    request: requester.request,
    requestRaw: requester.requestRaw,

    announce(topic, body) {
      const json = packBody(topic, body);
      if (!away && !connection.isClosed()) connection.publish(topicOf(topic), json);
    },

    listen(topic, listener) {
      const subscription = connection.subscribe(topicOf(topic), {
        callback: (error, message) => {
          try {
            if (error) throw error;
            listener(message.json<JsonObject>());
          } catch (fault) {
            logger?.error({ err: fault }, String(fault));
          }
        },
      });
      return () => subscription.unsubscribe();
    },

    product: () => Promise.resolve(connection.info && `NATS ${connection.info.version}`),

    async ping() {
      const answered = await briefly(client.connect().then(() => connection.flush()));
      if (!answered) throw new UnavailableError('NATS is unavailable.');
    },

    async close() {
      const answered = requester.close();
      stopping = true;
      await answered;
      await briefly(connection.drain());
      await client.close();
    },
  };
}
