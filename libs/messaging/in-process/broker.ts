import { Logger } from '@nestjs/common';
import type { WritePacket } from '@nestjs/microservices';
import type { JsonObject } from '@sluice/kernel';
import { Observable, type Subscriber } from 'rxjs';
import { packBody } from '../packets';
import type { OutgoingRequest } from '../requester';
import type { InProcessServer } from './in-process-server';

type Listener = (body: JsonObject) => void;

interface Delivery {
  readonly request: OutgoingRequest;
  readonly caller: Subscriber<unknown>;
}

/** Carries messages between the services of one process, as text. */
export class Broker {
  private readonly logger = new Logger('Messaging');
  /** The one that was served longest ago comes first. */
  private readonly servers: InProcessServer[] = [];
  private readonly waiting = new Set<Delivery>();
  private readonly listeners = new Map<string, Set<Listener>>();

  join(server: InProcessServer): void {
    this.servers.push(server);
    for (const delivery of this.waiting) this.deliver(delivery);
  }

  leave(server: InProcessServer): void {
    const index = this.servers.indexOf(server);
    if (index >= 0) this.servers.splice(index, 1);
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
    const index = this.servers.findIndex((server) => server.handles(request.pattern));
    const server = this.servers[index];
    if (!server || !this.waiting.delete(delivery)) return;
    this.servers.splice(index, 1);
    this.servers.push(server);
    server.receive(request, (text) => {
      const packet = JSON.parse(text) as WritePacket<unknown>;
      if (packet.err !== undefined) caller.error(packet.err);
      else if (packet.response !== undefined) caller.next(packet.response);
      if (packet.isDisposed) caller.complete();
    });
  }
}
