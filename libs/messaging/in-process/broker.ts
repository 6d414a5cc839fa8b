import { Logger } from '@nestjs/common';
import type { WritePacket } from '@nestjs/microservices';
import type { JsonObject } from '@sluice/kernel';
import { Observable, type Subscriber } from 'rxjs';
import { packBody } from '../packets';
import type { OutgoingRequest } from '../requester';

type Listener = (body: JsonObject) => void;

/** A replica of a service, as the broker sees it. */
export interface Replica {
  handles(pattern: string): boolean;
  /** Every packet of the answer goes to `respond` as JSON text. */
  receive(request: OutgoingRequest, respond: (packet: string) => void): void;
}

interface Delivery {
  readonly request: OutgoingRequest;
  readonly caller: Subscriber<unknown>;
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

  /** Delivered as soon as somebody handles the pattern; emits the parts of the answer. */
  ask(request: OutgoingRequest): Observable<unknown> {
    return new Observable((caller) => {
      const delivery = { request, caller };
      this.waiting.add(delivery);
      queueMicrotask(() => this.deliver(delivery));
      return () => this.waiting.delete(delivery);
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
    for (const { caller } of this.waiting) caller.error(new Error('This process is stopping.'));
    this.listeners.clear();
  }

  private deliver(delivery: Delivery): void {
    const { request, caller } = delivery;
    const index = this.replicas.findIndex((replica) => replica.handles(request.pattern));
    const replica = this.replicas[index];
    if (!replica || !this.waiting.delete(delivery)) return;
    this.replicas.splice(index, 1);
    this.replicas.push(replica);
    replica.receive(request, (text) => {
      const packet = JSON.parse(text) as WritePacket<unknown>;
      if (packet.err !== undefined) caller.error(packet.err);
      else if (packet.response !== undefined) caller.next(packet.response);
      if (packet.isDisposed) caller.complete();
    });
  }
}
