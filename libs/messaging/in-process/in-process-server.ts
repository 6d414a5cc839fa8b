import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import type { Caller } from '@sluice/contracts';
import type { Logger } from '@sluice/kernel';
import { traceIdOf } from '@sluice/telemetry';
import { answerOf } from '../answer';
import { traceparentOf } from '../caller-headers';
import { InFlight } from '../in-flight';
import { packPacket, type ReplyPart } from '../packets';
import type { Observer } from '../port';
import type { OutgoingRequest } from '../requester';
import type { Broker, Replica } from './broker';

const TRANSPORT = Symbol('in-process');

/** One replica of a service, on the broker of its own process. */
export class InProcessServer extends Server implements CustomTransportStrategy, Replica {
  override transportId = TRANSPORT;
  private readonly inFlight = new InFlight();

  constructor(
    private readonly broker: Broker,
    private readonly observe: Observer,
    private readonly log: Logger | undefined,
  ) {
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

  /** The parts are within their size and hold text alone; a refusal is made of what can cross any transport. */
  async receive({ pattern, json, headers }: OutgoingRequest): Promise<readonly ReplyPart[]> {
    this.inFlight.begin();
    try {
      const handler: MessageHandler<unknown, Caller, unknown> | undefined = this.messageHandlers.get(pattern);
      if (!handler) throw new Error(`Nothing handles ${pattern}.`);
      return await answerOf(handler, JSON.parse(json), headers, this.observe, this.log);
    } catch (refusal) {
      if (refusal instanceof Error) this.logger.error(refusal, { trace_id: traceIdOf(traceparentOf(headers)) });
      else packPacket(pattern, { err: refusal });
      throw refusal;
    } finally {
      this.inFlight.end();
    }
  }

  on(): never {
    throw new Error('The in-process transport has no events.');
  }

  unwrap(): never {
    throw new Error('The in-process transport wraps no client.');
  }
}
