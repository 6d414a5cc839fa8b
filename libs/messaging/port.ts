import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { Call, Caller } from '@sluice/contracts';
import type { JsonObject } from '@sluice/kernel';
import type { z } from 'zod';
import type { MessageHeaders } from './caller-headers';

export interface CallOptions {
  /** Until the promise rejects with UnavailableError. Default 10,000 ms. */
  readonly timeoutMs?: number;
}

/** A request as a service takes it; `pattern` names its call. */
export interface TakenRequest {
  readonly pattern: string;
  readonly headers: MessageHeaders;
}

/** Told of every request that a server takes; answers whom to tell how it ended. */
export type Observer = (request: TakenRequest) => (outcome: 'answered' | 'refused') => void;

export const unobserved: Observer = () => () => undefined;

/** The largest request, and the largest part of a reply, on every transport. */
export const MAX_PACKET_BYTES = 512 * 1024;

/**
 * Requests, replies and announcements between services. One contract suite holds both transports
 * to this.
 */
export interface Messaging {
  /**
   * The transport of a service's Nest microservice. Replicas of one service share its requests (a
   * queue group); closing it stops taking requests and answers those in flight.
   */
  server(service: string, observe?: Observer): CustomTransportStrategy;

  /**
   * Asks the service that handles the call and waits for its answer. At most once: never repeated
   * by itself. JSON both ways, never references.
   * @throws the handler's DomainError intact; UnavailableError without a reply in time or when the
   *   bus is unavailable; PacketTooLargeError before anything is sent
   */
  request<Request extends z.ZodType, Reply extends z.ZodType>(
    call: Call<Request, Reply>,
    body: z.input<Request>,
    caller: Caller,
    options?: CallOptions,
  ): Promise<z.output<Reply>>;

  /**
   * As `request`, for a caller that only passes the reply on: its JSON text as the service wrote it, which
   * is not validated against the call's schema.
   */
  requestRaw<Request extends z.ZodType>(
    call: Call<Request>,
    body: z.input<Request>,
    caller: Caller,
    options?: CallOptions,
  ): Promise<string>;

  /** A hint to every listening process, this one included. At most once; losing it costs latency alone. */
  announce(topic: string, body: JsonObject): void;
  /** Answers how to stop listening. */
  listen(topic: string, listener: (body: JsonObject) => void): () => void;

  /** Within this many milliseconds an announcement has reached every process that is connected. */
  readonly announcementDelayMs: number;

  /** The engine's name and version as its server reports them, such as `NATS 2.11.4`. Omitted: it reports none. */
  readonly product?: () => Promise<string | undefined>;
  /** @throws when the bus can't be reached */
  ping(): Promise<void>;
  /** Waits for requests in flight. */
  close(): Promise<void>;
}

export class PacketTooLargeError extends Error {
  constructor(
    readonly pattern: string,
    readonly bytes: number,
  ) {
    super(`The message "${pattern}" has ${bytes} bytes; at most ${MAX_PACKET_BYTES} may cross the bus.`);
    this.name = 'PacketTooLargeError';
  }
}

/** Injection token of Messaging. */
export const MESSAGING = Symbol('Messaging');
