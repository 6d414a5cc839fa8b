import { Logger as NestLogger } from '@nestjs/common';
import cluster from 'node:cluster';
import type { RequestListener } from 'node:http';
import { SettingsError, VERSION, type Settings } from '@sluice/config';
import {
  openHttpListener,
  openMetricsListener,
  renderOnceASecond,
  type HttpListener,
  type ListenerPlane,
  type Readiness,
} from '@sluice/http';
import type { Logger } from '@sluice/kernel';
import { createLogger, metrics, metricsOfAllWorkers, nestLogger, startTracing, tracing } from '@sluice/telemetry';
import { answerStarting } from './answer-starting';
import { protectDataFolder } from './data-folder';
import { EngineHealth, probesOf } from './engine-health';
import { refuseNewerFormat } from './installation-format';
import { keepsOnDisk, openEngines, type Engines } from '@sluice/engines';
import { readinessOf } from './readiness';
import type { RunningService, ServiceDefinition } from './service';
import { prepareService, type PreparedService } from './start-service';
import { superviseWorkers, WORKER_READY } from './worker-processes';

export interface ProcessOptions<All extends Settings> {
  /** Names the process in its log and on the bus. */
  readonly name: string;
  /** @throws SettingsError */
  readonly readSettings: (env: NodeJS.ProcessEnv) => All;
  readonly services: readonly ServiceDefinition[];
  /** How many processes share the port and the work; Default: 1. */
  readonly workers?: (settings: All) => number;
  /** Called once every service is ready. */
  readonly started?: (address: string, settings: Settings) => void;
}

/** The part of STOP_GRACE_MS that is reserved for closing the engines after the last response. */
const CLOSING_MS = 1_500;

/**
 * Runs services in this process until SIGTERM or SIGINT, with one listener and one set of engines. A failed start logs
 * the reason and exits with 1.
 */
export async function runProcess<All extends Settings>(options: ProcessOptions<All>): Promise<void> {
  // Files that this process writes are readable by its user only.
  process.umask(0o077);
  let settings: All;
  try {
    settings = options.readSettings(process.env);
    requireSharedBus(settings, options.services);
  } catch (error) {
    refuseStart(error);
    return;
  }
  const logger = createLogger(settings.logLevel);
  // Adapters log while they wait for their engines, before Nest is given a logger.
  NestLogger.overrideLogger(nestLogger(logger));
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'Unhandled promise rejection'));
  const workers = options.workers?.(settings) ?? 1;
  if (workers > 1 && cluster.isPrimary) {
    superviseWorkers({ workers, stopGraceMs: settings.stopGraceMs, logger });
    return;
  }
  try {
    await start(options, settings, logger);
  } catch (error) {
    refuseStart(error);
  }
}

/** Logs at every LOG_LEVEL, because LOG_LEVEL may be the invalid setting. */
function refuseStart(error: unknown): void {
  const reason = isPortInUse(error)
    ? `Port ${error.port} of ${error.address} is already in use (EADDRINUSE). Stop the program that uses it, or set PORT or METRICS_PORT to a free port.`
    : error instanceof Error
      ? error.message
      : String(error);
  createLogger('fatal').fatal(`Sluice can not start. ${reason}`);
  process.exit(1);
}

function isPortInUse(error: unknown): error is { readonly address: string; readonly port: number } {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === 'EADDRINUSE' && 'port' in error;
}

function requireSharedBus(settings: Settings, services: readonly ServiceDefinition[]): void {
  if (settings.busUrl === 'inproc:' && services.length === 1) {
    throw new SettingsError('The setting BUS_URL must be nats://… for a service that runs in its own process.');
  }
}

async function start(
  { name, services, started }: Pick<ProcessOptions<Settings>, 'name' | 'services' | 'started'>,
  settings: Settings,
  logger: Logger,
): Promise<void> {
  const running: RunningService[] = [];
  let waiting: readonly PreparedService[] = [];
  let readiness = (): Readiness => ({ ready: false, parts: { services: {} } });
  const planes = new Map<string, ListenerPlane & { handle: RequestListener }>();
  for (const { name: service, plane } of services) {
    if (plane === undefined) continue;
    const { prefixes, hosts, headers, envelope } = plane;
    planes.set(service, {
      ...{ prefixes, handle: answerStarting(plane, settings) },
      ...(hosts && { hosts: hosts(settings) }),
      ...(headers && { headers }),
      ...(envelope && { envelope: (url, refusal) => envelope(url, refusal, settings) }),
    });
  }

  const render = renderOnceASecond(cluster.isWorker ? metricsOfAllWorkers() : () => metrics.metrics());
  const { metricsHost, metricsPort } = settings;
  const ownMetrics =
    metricsPort === undefined
      ? undefined
      : await openMetricsListener({ host: metricsHost, port: metricsPort, metrics: render });
  const httpListener = await openHttpListener({
    host: settings.host,
    port: settings.port,
    planes: [...planes.values()],
    metrics: ownMetrics === undefined ? render : undefined,
    readiness: () => readiness(),
    slowAfterMs: settings.slowRequestMs,
    // The client of a rejected upload must receive the response, even if it keeps sending the whole body.
    lingerBytes: settings.maxBundleBytes + 64 * 1024 ** 2,
    slowResponseMs: settings.slowResponseMs,
    // Until then the primary process gives connections to the other workers.
    listenLater: cluster.isWorker,
  });
  const address = (): string => settings.publicUrl ?? `http://${urlHost(httpListener.host)}:${httpListener.port}`;

  if (settings.otelExporterOtlpEndpoint !== undefined) {
    await startTracing({
      ...{ endpoint: settings.otelExporterOtlpEndpoint, ratio: settings.otelTracesSamplerArg },
      ...{ service: `sluice-${name}`, version: VERSION },
      deliveryChanged: (fault) => {
        if (fault === undefined) logger.info('The trace collector accepts traces again');
        else logger.warn({ reason: reasonOf(fault) }, 'Traces are lost: the collector does not accept them');
      },
    });
  }
  const needs = [...new Set(services.flatMap((service) => service.needs))];
  if (keepsOnDisk(settings, needs)) {
    for (const open of await protectDataFolder(settings)) {
      logger.warn({ path: open }, 'Other users of this machine can open what the server stores');
    }
  }
  const engines = await openEngines(settings, name, { needs, logger });
  const health = new EngineHealth(probesOf(engines), logger);
  health.start();
  readiness = () => readinessOf(services.length, running, health);
  let stopping: Promise<void> | undefined;
  const stop = (signal: NodeJS.Signals): void => {
    health.stop();
    stopping ??= shutDown(httpListener, running, waiting, engines, settings, logger.child({ signal }));
  };
  const isStopping = (): boolean => stopping !== undefined;
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  const sealedOtherwise = needs.includes('vault') ? await engines.vault.countUnderOtherKeys() : 0;
  if (sealedOtherwise > 0) {
    logger.warn(
      { secrets: sealedOtherwise },
      'Some secrets are encrypted with a key other than MASTER_KEY, or in the format of an earlier release. Run "sluice secrets reseal". After a change of MASTER_KEY, keep the former key in MASTER_KEY_PREVIOUS until the command reports no remaining secrets',
    );
  }

  if (needs.includes('events')) await refuseNewerFormat(engines.events, isStopping);

  const prepare = (service: ServiceDefinition): PreparedService =>
    prepareService(service, engines, address, logger, () => httpListener.traffic());
  // An event store server reads its log once for all projections that catch up simultaneously. The embedded store gains
  // nothing from that.
  if (!settings.eventStoreUrl.startsWith('sqlite:') && !isStopping()) waiting = services.map(prepare);
  // Services that serve from memory are last in the list, so the services that they call have already started.
  for (const service of services) {
    if (isStopping()) return;
    const one = await (waiting[0] ?? prepare(service)).start();
    running.push(one);
    waiting = waiting.slice(1);
    const plane = planes.get(one.name);
    if (plane !== undefined && one.handle !== undefined) plane.handle = one.handle;
  }
  if (cluster.isWorker) await httpListener.listen();
  logger.info(
    { address: address(), metrics_port: ownMetrics?.port, services: services.map((service) => service.name) },
    'Sluice is ready',
  );
  if (cluster.isWorker) process.send?.(WORKER_READY);
  started?.(address(), settings);
}

async function shutDown(
  httpListener: HttpListener,
  running: readonly RunningService[],
  waiting: readonly PreparedService[],
  engines: Engines,
  settings: Settings,
  logger: Logger,
): Promise<void> {
  logger.info('Stopping: answering what is in flight');
  // The process exits before the grace period ends, even if a step hangs.
  setTimeout(() => process.exit(1), settings.stopGraceMs).unref();
  try {
    for (const service of running) service.stopping();
    await httpListener.close(Math.max(0, settings.stopGraceMs - 2 * CLOSING_MS));
    for (const service of [...running].reverse()) await service.stop();
    for (const service of waiting) await service.stop();
    await engines.close();
    // An unresponsive collector must not delay the stop.
    await tracing()
      ?.close()
      .catch(() => logger.warn('The last traces could not be sent'));
    logger.info('Stopped');
    // With 0, unless a command of this process failed.
    process.exit();
  } catch (error) {
    logger.error({ err: error }, 'Stopping failed');
    process.exit(1);
  }
}

/** When all addresses of a host name are unreachable, the error has a code but no message. */
const reasonOf = ({ message, code }: Error & { readonly code?: unknown }): string => message || String(code);

/** An IPv6 address is written in brackets. */
const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);
