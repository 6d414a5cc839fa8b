import { BaseRpcContext, Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { MessageHeaders } from '../caller-headers';
import { InFlight } from '../in-flight';
import { packPacket } from '../packets';
import type { OutgoingRequest } from '../requester';
import type { Broker, Replica } from './broker';

const TRANSPORT = Symbol('in-process');

class InProcessContext extends BaseRpcContext<[MessageHeaders]> {
  getHeaders(): MessageHeaders {
    return this.getArgs()[0];
  }
}

/** One replica of a service, on the broker of its own process. */
export class InProcessServer extends Server implements CustomTransportStrategy, Replica {
  override transportId = TRANSPORT;
  private readonly inFlight = new InFlight();

  constructor(private readonly broker: Broker) {
    super();
  }

  listen(callback: () => void): void {
    this.broker.join(this);
    callback();
  }

  async close(): Promise<void> {
    this.broker.leave(this);
    await this.inFlight.idle();
  }

  handles(pattern: string): boolean {
    return this.messageHandlers.has(pattern);
  }

  receive(request: OutgoingRequest, respond: (packet: string) => void): void {
    const context = new InProcessContext([request.headers]);
    this.inFlight.begin();
    this.onProcessingStartHook(TRANSPORT, context, async () => {
      try {
        await this.answer(request, context, respond);
      } catch (error) {
        this.logger.error(error);
        this.inFlight.end();
      }
    });
  }

  on(): never {
    throw new Error('The in-process transport has no events.');
  }

  unwrap(): never {
    throw new Error('The in-process transport wraps no client.');
  }

  private async answer(
    { pattern, json }: OutgoingRequest,
    context: InProcessContext,
    respond: (packet: string) => void,
  ): Promise<void> {
    const handler = this.messageHandlers.get(pattern);
    if (!handler) throw new Error(`Nothing handles ${pattern}.`);
    const answer = this.transformToObservable<unknown>(await handler(JSON.parse(json), context));
    this.send(answer, (packet) => {
      try {
        respond(packPacket(pattern, packet));
      } catch (error) {
        this.logger.error(error);
      }
      if (packet.isDisposed) this.inFlight.end();
    });
  }
}
