import { ServerNats, type MessageHandler, type NatsContext, type WritePacket } from '@nestjs/microservices';
import type { Caller } from '@sluice/contracts';
import type { Logger } from '@sluice/kernel';
import type { ConnectionOptions, Msg, NatsConnection, Subscription } from 'nats';
import { defer, mergeMap, type Observable, type Subscription as Answering } from 'rxjs';
import { answerOf } from '../answer';
import type { MessageHeaders } from '../caller-headers';
import { InFlight } from '../in-flight';
import type { Observer } from '../port';
import { briefly, connectPatiently } from './connection';

/** One replica of a service: a queue group of its name, on a connection of its own. */
export class DrainingNatsServer extends ServerNats {
  private readonly inFlight = new InFlight();
  private readonly taking: Subscription[] = [];

  constructor(
    private readonly connection: ConnectionOptions,
    private readonly service: string,
    private readonly subjectOf: (pattern: string) => string,
    private readonly observe: Observer,
    private readonly log: Logger | undefined,
  ) {
    super({ queue: service });
  }

  override createNatsClient(): Promise<NatsConnection> {
    return connectPatiently(this.connection, this.log);
  }

  /** Each part of an answer is a packet of its own. */
  override addHandler(
    pattern: unknown,
    handler: MessageHandler<unknown, Caller, unknown>,
    isEventHandler?: boolean,
    extras?: Readonly<Record<string, unknown>>,
  ): void {
    handler.extras = { ...extras };
    const answer = (body: unknown, context: NatsContext) =>
      defer(() => answerOf(handler, body, context.getHeaders() as MessageHeaders, this.observe, this.log)).pipe(
        mergeMap((parts) => parts),
      );
    super.addHandler(
      pattern,
      (body: unknown, context: NatsContext) => Promise.resolve(answer(body, context)),
      isEventHandler,
      extras,
    );
  }

  override bindEvents(connection: NatsConnection): void {
    for (const pattern of this.messageHandlers.keys()) {
      const callback = (error: Error | null, message: Msg) => {
        if (error) this.logger.error(error);
        else void this.handleMessage(pattern, message);
      };
      this.taking.push(connection.subscribe(this.subjectOf(pattern), { queue: this.service, callback }));
    }
  }

  override async handleMessage(pattern: string, message: Msg): Promise<void> {
    this.inFlight.begin();
    try {
      await super.handleMessage(pattern, message);
    } catch (error) {
      this.logger.error(error);
    } finally {
      this.inFlight.end();
    }
  }

  override send(answer: Observable<unknown>, respond: (packet: WritePacket) => unknown): Answering {
    this.inFlight.begin();
    return super.send(answer, (packet) => {
      try {
        respond(packet);
      } catch (error) {
        this.logger.error(error);
      }
      if (packet.isDisposed) this.inFlight.end();
    });
  }

  /** Takes nothing new, answers what it took, and lets the answers reach the server. */
  override async close(): Promise<void> {
    const taking = this.taking.splice(0);
    await briefly(Promise.all(taking.map((subscription) => subscription.drain())));
    await this.inFlight.idle();
    if (taking.length > 0) await briefly(this.unwrap<NatsConnection>().drain());
    await super.close();
  }
}
