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

/** A service that a process can start, alone or together with others. */
export interface ServiceDefinition {
  /** Also the name of its queue group on the bus. */
  readonly name: string;
  readonly module: Type;
  /**
   * The engines that it uses, in addition to the bus. A process opens the engines that its services need, and each
   * service can access only its own.
   */
  readonly needs: readonly EngineName[];
  readonly projections: readonly Projection[];
  /** The history of its apps, for a service that receives calls over the bus. */
  readonly history?: History;
  /**
   * Absent for a service without an HTTP plane. A service with a plane receives calls over the bus about its
   * projections only.
   */
  readonly plane?: HttpPlane;
  /** Facts for an operator that only this service can provide. */
  readonly diagnostics?: (app: INestApplicationContext) => Promise<ServiceFactsOfService>;
}

export interface HttpPlane {
  /** Paths that start with one of these belong to this plane. */
  readonly prefixes: readonly string[];
  /** Hosts at whose root the plane serves a part of it; see ListenerPlane. Default: none. */
  readonly hosts?: (settings: Settings) => ReadonlyMap<string, string>;
  /** Rewrites the URL of a request to that of its routes. Default: unchanged. */
  readonly innerUrl?: (url: string, settings: Settings) => string;
  /** The longest path parameter. A longer one matches no route. Default: 256. */
  readonly maxParamLength?: number;
  /** Adds routes, hooks and filters before the application starts. May return a fast path that bypasses them. */
  readonly configure: (app: NestFastifyApplication) => FastPath | undefined;
  /**
   * The response to requests that reach no route: a malformed URL, and every request during the start. Throws nothing.
   * Default: the envelope of the management plane.
   */
  readonly refusal?: (request: IncomingMessage, error: unknown, settings: Settings) => ErrorReply;
  /** Headers of the response when a request body times out. */
  readonly headers?: (request: IncomingMessage) => Readonly<Record<string, string>>;
  /** The body of that response, and of one to a malformed request. Default: the envelope of the management plane. */
  readonly envelope?: (url: string, refusal: DomainError, settings: Settings) => object;
  /** Called when the stop begins, while requests are still completed. Ends endless responses. */
  readonly stopping?: (app: NestFastifyApplication) => void;
  /** Additional parts of /health/ready. */
  readonly readiness?: (app: NestFastifyApplication) => PlaneReadiness;
}

export interface PlaneReadiness {
  /** For a plane that serves from memory without the engines. Default: ready once it has started. */
  readonly ready?: boolean;
  /** What is degraded, in addition to unavailable engines. */
  readonly degraded?: readonly string[];
}

/** The part of a service in /health/ready. */
export interface ServiceReadiness {
  readonly ready: boolean;
  /** The service works without any engine. */
  readonly fromMemory?: boolean;
  readonly degraded?: readonly string[];
  readonly catching_up?: true;
}

/** Handles a request and returns true, or leaves it to the plane's router. Throws nothing. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface RunningService {
  readonly name: string;
  readonly handle?: RequestListener;
  readiness(): ServiceReadiness;
  /** Ends endless responses. Requests that arrive meanwhile are still handled. */
  stopping(): void;
  /** Completes the requests in flight, then ends subscriptions and workers. */
  stop(): Promise<void>;
}
