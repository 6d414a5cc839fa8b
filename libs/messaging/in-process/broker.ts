import { Logger } from '@nestjs/common';
import type { JsonObject } from '@sluice/kernel';
import { packBody, type ReplyPart } from '../packets';
import { LateAnswerError, type OutgoingRequest } from '../requester';

type Listener = (body: JsonObject) => void;

/** A replica of a service, as the broker sees it. */
export interface Replica {
  handles(pattern: string): boolean;
  /** Rejects with the WireError of a refusal. */
  receive(request: OutgoingRequest): Promise<readonly ReplyPart[]>;
}

interface Delivery {
  readonly request: OutgoingRequest;
  readonly resolve: (parts: readonly ReplyPart[]) => void;
  readonly reject: (refusal: unknown) => void;
}

/** Carries messages between the services of one process, as text. */
export class Broker {
  private readonly logger = new Logger('Messaging');
  /** The one that was served longest ago comes first. */
  private readonly replicas: Replica[] = [];
  private readonly waiting = new Set<Delivery>();
  private readonly listeners = new Map<string, Set<Listener>>();

  join(replica: Replica): void {
    this.replicas.push(replica);
    for (const delivery of this.waiting) this.deliver(delivery);
  }

  leave(replica: Replica): void {
    const index = this.replicas.indexOf(replica);
    if (index >= 0) this.replicas.splice(index, 1);
  }

  /** Delivered as soon as somebody handles the pattern, but not before the caller goes on. */
  ask(request: OutgoingRequest, timeoutMs: number): Promise<readonly ReplyPart[]> {
    return new Promise((resolve, reject) => {
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value) => {
          clearTimeout(timer);
          this.waiting.delete(delivery);
          settle(value);
        };
      const delivery: Delivery = { request, resolve: settled(resolve), reject: settled(reject) };
      const timer = setTimeout(() => delivery.reject(new LateAnswerError()), timeoutMs);
      this.waiting.add(delivery);
      void Promise.resolve().then(() => this.deliver(delivery));
    });
  }

  announce(topic: string, body: JsonObject): void {
    const json = packBody(topic, body);
    setImmediate(() => {
      for (const listener of this.listeners.get(topic) ?? []) {
        try {
          listener(JSON.parse(json) as JsonObject);
        } catch (error) {
          this.logger.error(error);
        }
      }
    });
  }

  listen(topic: string, listener: Listener): () => void {
    const own: Listener = (body) => listener(body);
    const listeners = this.listeners.get(topic) ?? new Set();
    this.listeners.set(topic, listeners.add(own));
    return () => listeners.delete(own);
  }

  close(): void {
    for (const { reject } of this.waiting) reject(new Error('This process is stopping.'));
    this.listeners.clear();
  }

  private deliver(delivery: Delivery): void {
    const { request, resolve, reject } = delivery;
    const index = this.replicas.findIndex((replica) => replica.handles(request.pattern));
    const replica = this.replicas[index];
    if (!replica || !this.waiting.delete(delivery)) return;
    this.replicas.splice(index, 1);
    this.replicas.push(replica);
    replica.receive(request).then(resolve, reject);
  }
}
