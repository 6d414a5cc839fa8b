import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { INestApplicationContext, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '@sluice/config';
import type { Projection } from '@sluice/projections';
import type { History } from '@sluice/history';
import type { ErrorReply } from '@sluice/http';
import type { DomainError } from '@sluice/kernel';
import type { EngineName } from '@sluice/engines';
import type { ServiceFactsOfService } from './service-diagnostics';

/** One of the services, as every main starts it: alone in its process or beside the others. */
export interface ServiceDefinition {
  /** Names its queue group on the bus. */
  readonly name: string;
  readonly module: Type;
  /** The engines that it uses, besides the bus: a process opens those of its services, and each is given its own alone. */
  readonly needs: readonly EngineName[];
  readonly projections: readonly Projection[];
  /** What it tells of its apps' history; for a service that is asked over the bus. */
  readonly history?: History;
  /** Absent for a service that serves no HTTP plane; one that does is asked over the bus for its projections alone. */
  readonly plane?: HttpPlane;
  /** What it alone can tell an operator about itself. */
  readonly diagnostics?: (app: INestApplicationContext) => Promise<ServiceFactsOfService>;
}

export interface HttpPlane {
  /** Paths that begin with one of these are this plane's. */
  readonly prefixes: readonly string[];
  /** A request's URL as its routes know it. Default: as it was asked for. */
  readonly innerUrl?: (url: string, settings: Settings) => string;
  /** Characters of a part of an address that stands for a parameter; a longer one is at no route. Default 256. */
  readonly maxParamLength?: number;
  /** Sets up routes, hooks and filters before the application starts; may answer a fast path past them. */
  readonly configure: (app: NestFastifyApplication) => FastPath | undefined;
  /**
   * Answers what no route of its own does: a malformed address, and whatever comes while it starts.
   * Throws nothing. Default: spec 1's envelope.
   */
  readonly refusal?: (request: IncomingMessage, error: unknown, settings: Settings) => ErrorReply;
  /** Stand on what is answered in its place, when a body comes too slowly. */
  readonly headers?: (request: IncomingMessage) => Readonly<Record<string, string>>;
  /** The body of such an answer, and of one to a request that could not be read. Default: spec 1's envelope. */
  readonly envelope?: (url: string, refusal: DomainError, settings: Settings) => object;
  /** Told once the process is to stop, while answers still leave: ends those that would never end by themselves. */
  readonly stopping?: (app: NestFastifyApplication) => void;
  /** Parts of its own for /health/ready. */
  readonly readiness?: (app: NestFastifyApplication) => PlaneReadiness;
}

export interface PlaneReadiness {
  /** Of a plane that serves from memory, whatever becomes of the engines. Left out: once it has started. */
  readonly ready?: boolean;
  /** What it does without, for now, beside engines that are away. */
  readonly degraded?: readonly string[];
}

/** What stands of a service in /health/ready. */
export interface ServiceReadiness {
  readonly ready: boolean;
  /** It serves without a single engine. */
  readonly fromMemory?: boolean;
  readonly degraded?: readonly string[];
  readonly catching_up?: true;
}

/** Answers a request and tells so, or leaves it to the plane's router. Throws nothing. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface RunningService {
  readonly name: string;
  readonly handle?: RequestListener;
  readiness(): ServiceReadiness;
  /** Ends answers that would never end by themselves; what is asked meanwhile is still answered. */
  stopping(): void;
  /** Answers requests in flight, ends subscriptions and workers. */
  stop(): Promise<void>;
}
