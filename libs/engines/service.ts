import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Projection } from '@sluice/document-store';
import type { History } from '@sluice/history';
import type { ErrorReply } from '@sluice/http';

/** One of the services, as every main starts it: alone in its process or beside the others. */
export interface ServiceDefinition {
  /** Names its queue group on the bus. */
  readonly name: string;
  readonly module: Type;
  readonly projections: readonly Projection[];
  /** What it tells of its apps' history; for a service that is asked over the bus. */
  readonly history?: History;
  /** Absent for a service that serves no HTTP plane; one that does is asked over the bus for its projections alone. */
  readonly plane?: HttpPlane;
}

export interface HttpPlane {
  /** Paths that begin with one of these are this plane's. */
  readonly prefixes: readonly string[];
  /** Sets up routes, hooks and filters before the application starts; may answer a shortcut past them. */
  readonly configure: (app: NestFastifyApplication) => Shortcut | undefined;
  /** What no route of its own answers: a malformed address, and whatever comes while it starts. Default: spec 1's envelope. */
  readonly refusal?: (url: string, error: unknown) => ErrorReply;
  /** Parts of its own for /health/ready; without it, the service is ready once it has started. */
  readonly readiness?: (app: NestFastifyApplication) => {
    readonly ready: boolean;
    readonly degraded: readonly string[];
  };
}

/** Answers a request and tells so, or leaves it to the plane's router. Throws nothing. */
export type Shortcut = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface RunningService {
  readonly name: string;
  readonly handle?: RequestListener;
  readiness(): Promise<{ readonly ready: boolean; readonly detail: Readonly<Record<string, unknown>> }>;
  /** Answers requests in flight, ends subscriptions and workers. */
  stop(): Promise<void>;
}
