import { hostname } from 'node:os';
import {
  Global,
  Module,
  type DynamicModule,
  type INestApplicationContext,
  type InjectionToken,
  type Provider,
  type Type,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { SETTINGS, VERSION } from '@sluice/config';
import { createProjections, PROJECTIONS, type Projections } from '@sluice/projections';
import { ReadStore, StateStore } from '@sluice/document-store';
import { COMMANDS, createCommandHandling, EVENT_STORE } from '@sluice/event-store';
import { errorReply, UNCACHED, type TrafficFacts } from '@sluice/http';
import type { Logger } from '@sluice/kernel';
import { createReplicaPositions, MESSAGING, RpcErrorFilter } from '@sluice/messaging';
import { OBJECT_STORE } from '@sluice/object-store';
import { lateMembers, nestLogger, projectionStates } from '@sluice/telemetry';
import { VAULT } from '@sluice/vault';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { EngineName, Engines } from '@sluice/engines';
import { KNOWN_FORMAT } from './installation-format';
import { ProjectionTasks } from './projection-tasks';
import { observeAppends, observeEvents } from './observe-events';
import { observeRequests } from './rpc-telemetry';
import { serviceCalls } from './service-calls';
import { ServiceDiagnostics } from './service-diagnostics';
import type { PlaneReadiness, RunningService, ServiceDefinition, ServiceReadiness } from './service';
import { CLOCK, REPLICA_POSITIONS, LOGGER, PUBLIC_URL, type PublicUrl } from './injection-tokens';

@Global()
@Module({})
class PortsModule {}

@Module({})
class ServiceRoot {}

const TOKENS: Readonly<Record<EngineName, InjectionToken>> = {
  events: EVENT_STORE,
  readStore: ReadStore,
  stateStore: StateStore,
  objects: OBJECT_STORE,
  vault: VAULT,
};

/** A service whose projections have started. */
export interface PreparedService {
  /** Starts its providers and then accepts requests. */
  start(): Promise<RunningService>;
  /** Stops its projections if the start was not completed. */
  stop(): Promise<void>;
}

/**
 * Prepares one service on the engines of this process and starts its projections. Requests are accepted only once every
 * projection has caught up, so that no list is incomplete.
 */
export function prepareService(
  definition: ServiceDefinition,
  engines: Engines,
  publicUrl: PublicUrl,
  processLogger: Logger,
  traffic?: () => TrafficFacts,
): PreparedService {
  const { name } = definition;
  const logger = processLogger.child({ service: name });

  const projections = createProjections({
    events: engines.events,
    documents: engines.readStore,
    projections: definition.projections,
    waitMs: engines.settings.readYourWritesMs,
    logger,
    observe: observeEvents(name),
  });
  // Prometheus shows the first increase of a counter only if the counter existed before.
  lateMembers.inc({ service: name }, 0);
  const members = createReplicaPositions({
    messaging: engines.messaging,
    clock: engines.clock,
    replica: { service: name, name: `${hostname()}:${process.pid}`, release: VERSION, format: KNOWN_FORMAT },
    onLate: () => lateMembers.inc({ service: name }),
  });
  const commands = createCommandHandling({
    store: engines.events,
    clock: engines.clock,
    visible: async (stream, position) => {
      await Promise.all([projections.visible(stream, position), members.applied(stream, position)]);
    },
    observe: observeAppends(name),
  });

  const tasks = new ProjectionTasks({
    ...{ service: name, events: engines.events, readStore: engines.readStore, stateStore: engines.stateStore },
    ...{ projections: definition.projections, running: projections, clock: engines.clock, logger },
  });

  const { diagnostics } = definition;
  const facts = new ServiceDiagnostics({
    ...{ service: name, engines, publicUrl, projections: () => tasks.list() },
    ...(definition.plane !== undefined && traffic !== undefined && { traffic }),
    ...(diagnostics !== undefined && {
      more: () => (started === undefined ? Promise.resolve({}) : diagnostics(started.app)),
    }),
  });

  const ports = [
    ...definition.needs.map((engine) => ({ provide: TOKENS[engine], useValue: engines[engine] })),
    { provide: MESSAGING, useValue: engines.messaging },
    { provide: SETTINGS, useValue: engines.settings },
    { provide: CLOCK, useValue: engines.clock },
    { provide: COMMANDS, useValue: commands },
    { provide: PROJECTIONS, useValue: projections },
    { provide: ServiceDiagnostics, useValue: facts },
    { provide: REPLICA_POSITIONS, useValue: members },
    { provide: PUBLIC_URL, useValue: publicUrl },
    { provide: LOGGER, useValue: logger },
  ];
  const calls = serviceCalls({ definition, readStore: engines.readStore, projections, tasks, facts });
  const root = withPorts(definition.module, ports, calls);

  projectionStates.set(name, () =>
    [...projections.status()].map(([projection, { caughtUp, stopped }]) => [
      projection,
      caughtUp && stopped === undefined,
    ]),
  );
  let caughtUp = false;
  void projections.caughtUp.then(() => (caughtUp = true));
  let started: Started | undefined;
  const begun = projections.start();
  const readiness = (): ServiceReadiness => {
    const { ready, degraded = [] } = started?.readiness?.() ?? {};
    const detail = degraded.length > 0 ? { degraded } : {};
    if (ready !== undefined) return { ready, fromMemory: true, ...detail };
    return { ready: caughtUp, ...detail, ...(!caughtUp && { catching_up: true }) };
  };

  const stop = async (): Promise<void> => {
    tasks.stop();
    projectionStates.delete(name);
    await started?.app.close();
    members.close();
    await projections.close();
  };

  return {
    stop,
    async start() {
      await begun;
      const { handle, stopping } = (started =
        definition.plane === undefined
          ? await startRpc(definition, root, engines, projections, logger)
          : await startPlane(definition, root, engines, logger));
      return { name, ...(handle && { handle }), readiness, stopping: () => stopping?.(), stop };
    },
  };
}

/** Starts one service and waits until it accepts requests. */
export function startService(...prepared: Parameters<typeof prepareService>): Promise<RunningService> {
  return prepareService(...prepared).start();
}

interface Started {
  readonly app: INestApplicationContext;
  readonly handle?: RunningService['handle'];
  readonly stopping?: () => void;
  readonly readiness?: () => PlaneReadiness;
}

async function startRpc(
  { name }: ServiceDefinition,
  root: DynamicModule,
  engines: Engines,
  projections: Projections,
  logger: Logger,
): Promise<Started> {
  const app = await NestFactory.createMicroservice<MicroserviceOptions>(root, {
    strategy: engines.messaging.server(name, observeRequests(name)),
    logger: nestLogger(logger),
    abortOnError: false,
  });
  app.useGlobalFilters(new RpcErrorFilter(logger));
  await projections.caughtUp;
  await app.listen();
  return { app };
}

async function startPlane(
  { name, plane, projections }: ServiceDefinition,
  root: DynamicModule,
  engines: Engines,
  logger: Logger,
): Promise<Started> {
  const innerUrl = plane?.innerUrl;
  const adapter = new FastifyAdapter({
    skipMiddie: true,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: plane?.maxParamLength ?? 256 },
    forceCloseConnections: false,
    ...(innerUrl && { rewriteUrl: ({ url = '/' }) => innerUrl(url, engines.settings) }),
    // A malformed URL bypasses every hook, filter and route.
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => {
      const { status, headers, body } = plane?.refusal?.(request.raw, error, engines.settings) ?? errorReply(error);
      void reply
        .status(status)
        .headers({ ...UNCACHED, ...headers })
        .send(body);
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(root, adapter, {
    logger: nestLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  const fastPath = plane?.configure(app) ?? (() => false);
  await app.init();
  if (projections.length > 0) {
    // Microservices connected after the start do not inherit filters. The only controllers of this service are those of
    // the bus.
    app.useGlobalFilters(new RpcErrorFilter(logger));
    app.connectMicroservice<MicroserviceOptions>(
      { strategy: engines.messaging.server(name, observeRequests(name)) },
      { inheritAppConfig: true },
    );
    await app.startAllMicroservices();
  }
  const fastify = adapter.getInstance();
  await fastify.ready();
  const { readiness, stopping } = plane ?? {};
  return {
    app,
    handle: (request, response) => {
      if (!fastPath(request, response)) fastify.routing(request, response);
    },
    ...(stopping && { stopping: () => stopping(app) }),
    ...(readiness && { readiness: () => readiness(app) }),
  };
}

function withPorts(module: Type, providers: Provider[], calls: Type): DynamicModule {
  const tokens = providers.map((provider) => (provider as { provide: symbol }).provide);
  const ports: DynamicModule = { module: PortsModule, providers, exports: tokens };
  return { module: ServiceRoot, imports: [ports, module], controllers: [calls] };
}
