import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorReply, UNCACHED, type ErrorReply } from '@sluice/http';
import { DomainError, UnavailableError, type Clock, type Logger } from '@sluice/kernel';
import { countDeviceAnswer, countDeviceRefusal } from '@sluice/telemetry';
import type { Messaging } from '@sluice/messaging';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { asciiJson } from './serving/prepared-answer';
import { bundleDownload, type BundleDownloadOptions } from './downloads/bundle-download.route';
import { fileDownload, type FileDownloadOptions } from './files/file.route';
import { capgoCheck } from './compat/capgo/capgo-check';
import { registerCapgoRoutes } from './compat/capgo/capgo.routes';
import { capawesomeCheck, registerCapawesomeRoutes } from './compat/capawesome/capawesome.routes';
import { expoCheck } from './compat/expo/expo-check';
import { registerExpoRoutes } from './compat/expo/expo.routes';
import { inferredReports } from './compat/inferred-reports';
import { ExpoUpdates } from './compat/expo/expo-updates';
import { codePushCheck } from './compat/codepush/codepush-check';
import { registerCodePushRoutes } from './compat/codepush/codepush.routes';
import { hotUpdaterCheck } from './compat/hot-updater/hot-updater-check';
import { registerHotUpdaterRoutes } from './compat/hot-updater/hot-updater.routes';
import { nativeUpdateCheck, registerNativeUpdateRoutes } from './compat/native-update/native-update.routes';
import {
  CAPAWESOME_BASE,
  CAPGO_BASE,
  CODEPUSH_BASE,
  EXPO_BASE,
  HOT_UPDATER_BASE,
  NATIVE_UPDATE_BASE,
} from './http/compat-planes';
import { maskedPath } from './compat/url-key';
import { type ChannelRoutesOptions, registerChannelRoutes } from './channels/channel.routes';
import { checkFastPath } from './fast-path/check-fast-path';
import { sendPrepared } from './http/send-prepared';
import { anyOrigin, preflight } from './http/cors';
import { registerReportRoutes } from './reports/report.routes';
import { planeFastPaths } from './fast-path/plane-fast-paths';
import { reportFastPath } from './fast-path/report-fast-path';
import { ReleaseTimes } from './serving/release-times';
import { reporting, type ReportingOptions } from './reports/reporting';
import { BASE, FILES_BASE } from './http/unrouted';
import { updateCheck, type UpdateCheckOptions } from './update-check/update-check.route';

export interface DeviceRoutesOptions
  extends UpdateCheckOptions, ReportingOptions, BundleDownloadOptions, FileDownloadOptions, ChannelRoutesOptions {
  readonly messaging: Pick<Messaging, 'request'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Returned by /api/health. */
  readonly environment: string;
}

/** Below these, a scope responds to a request without a route. */
const OWN_BASES = [
  BASE,
  FILES_BASE,
  ...[CAPAWESOME_BASE, CAPGO_BASE, CODEPUSH_BASE, EXPO_BASE, HOT_UPDATER_BASE, NATIVE_UPDATE_BASE].map(
    (base) => `${base}/`,
  ),
];

/**
 * Registers the device plane on a Fastify instance that has not started yet. Returns a function that gets
 * each request first and may respond to it.
 */
export function registerDeviceRoutes(fastify: FastifyInstance, options: DeviceRoutesOptions) {
  const { index, limits, logger, clock, environment } = options;
  const check = updateCheck(options);
  const reports = reporting(options);
  const capgo = capgoCheck(options);
  const times = new ReleaseTimes(index);
  const updates = new ExpoUpdates({ ...options, times });
  const inferred = inferredReports({ reporting: reports, clock });
  const expo = expoCheck({ ...options, times, updates, reports: inferred });
  const codePush = codePushCheck({ ...options, reports: inferred });
  const capawesome = capawesomeCheck({ ...options, reports: inferred });
  const hotUpdater = hotUpdaterCheck(options);
  const nativeUpdate = nativeUpdateCheck(options);

  const admit = (request: IncomingMessage): void => {
    limits.countAddress(request);
    if (!index.ready) throw notLoadedYet();
  };
  const refuse = (error: unknown, { method = '', url = '' }: Pick<IncomingMessage, 'method' | 'url'>): ErrorReply => {
    const answer = errorReply(error);
    // The query may contain a download's signature.
    const path = maskedPath(url.split('?', 1).join(''));
    countDeviceRefusal(answer.code);
    if (answer.unexpected) logger.error({ err: error }, `${method} ${path} failed: ${JSON.stringify(answer.body)}`);
    return answer;
  };

  /** For responses that are sent past the hooks of Fastify. */
  const counted: typeof refuse = (error, request) => {
    const answer = refuse(error, request);
    countDeviceAnswer(answer.status);
    return answer;
  };

  // Runs before Fastify rejects a request without a route, because it would do so outside our envelope.
  fastify.addHook('onRequest', (request, reply, next) => {
    if (!request.is404 || OWN_BASES.some((base) => request.url.startsWith(base))) {
      next();
      return;
    }
    const { status, headers, body } = errorReply(notFound());
    void reply.code(status).headers(headers).headers(UNCACHED).send(body);
  });
  void fastify.register((health, _options, done) => {
    judgeNoBody(health);
    const handler = (_request: FastifyRequest, reply: FastifyReply) => {
      const time = clock.now().toISOString();
      void reply.headers(UNCACHED).send({ status: 'ok', app: 'sluice', env: environment, time });
    };
    health.route({ method: ['GET', 'HEAD'], url: '/api/health', handler });
    done();
  });

  const addHooks = (plane: FastifyInstance): void => {
    plane.addHook('onRequest', (request, reply, next) => {
      reply.headers(anyOrigin(request));
      admit(request.raw);
      next();
    });
    // Checks and requests on the fast paths do not reach this hook; their responses are counted where they are sent.
    plane.addHook('onSend', (_request, reply, _payload, next) => {
      reply.header('X-Content-Type-Options', 'nosniff');
      countDeviceAnswer(reply.statusCode);
      next();
    });
    plane.setNotFoundHandler(() => {
      throw notFound();
    });
  };
  const addOwn = (plane: FastifyInstance): void => {
    judgeNoBody(plane);
    addHooks(plane);
    plane.setErrorHandler((error, request, reply) => {
      const { status, headers, body } = refuse(error, request);
      const all = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers };
      // Node would re-encode the echoed origin, which was read as Latin-1, as UTF-8 if a text followed.
      void reply
        .code(status)
        .headers(all)
        .send(Buffer.from(asciiJson(body), 'latin1'));
    });
    plane.options('/*', preflight);
  };
  // A scope of its own, so that its errors, 404 and headers apply to no other plane.
  void fastify.register(
    (plane, _options, done) => {
      addOwn(plane);
      plane.get('/updates/check', (request, reply) => {
        const { channel } = request.query as { readonly channel?: unknown };
        const answer = check(request.headers, channel);
        reply.hijack();
        sendPrepared(answer, request.raw, reply.raw);
      });
      plane.route({ method: ['GET', 'HEAD'], url: '/bundles/:build/download', handler: bundleDownload(options) });
      void plane.register(
        (channel, _none, ready) => {
          registerChannelRoutes(channel, options);
          ready();
        },
        { prefix: '/channel' },
      );
      void plane.register(
        (analytics, _none, ready) => {
          registerReportRoutes(analytics, reports);
          ready();
        },
        { prefix: '/analytics' },
      );
      done();
    },
    { prefix: '/api/v1' },
  );
  void fastify.register(
    (plane, _options, done) => {
      addOwn(plane);
      plane.route({ method: ['GET', 'HEAD'], url: '/:capability/:sha256', handler: fileDownload(options) });
      done();
    },
    { prefix: FILES_BASE.slice(0, -1) },
  );
  void fastify.register(
    (plane, _options, done) => {
      addHooks(plane);
      registerCapgoRoutes(plane, { ...options, check: capgo, reporting: reports, refuse });
      done();
    },
    { prefix: CAPGO_BASE },
  );
  void fastify.register(
    (plane, _options, done) => {
      judgeNoBody(plane);
      addHooks(plane);
      registerExpoRoutes(plane, { check: expo, refuse });
      done();
    },
    { prefix: EXPO_BASE },
  );
  void fastify.register(
    (plane, _options, done) => {
      addHooks(plane);
      registerCodePushRoutes(plane, { ...options, check: codePush, reporting: reports, refuse: counted });
      done();
    },
    { prefix: CODEPUSH_BASE },
  );
  void fastify.register(
    (plane, _options, done) => {
      judgeNoBody(plane);
      addHooks(plane);
      registerCapawesomeRoutes(plane, { ...options, check: capawesome, refuse: counted });
      done();
    },
    { prefix: CAPAWESOME_BASE },
  );
  void fastify.register(
    (plane, _options, done) => {
      judgeNoBody(plane);
      addHooks(plane);
      registerHotUpdaterRoutes(plane, { check: hotUpdater, refuse: counted });
      done();
    },
    { prefix: HOT_UPDATER_BASE },
  );
  void fastify.register(
    (plane, _options, done) => {
      judgeNoBody(plane);
      addHooks(plane);
      // Its client in JavaScript sends headers of its own from the page of an app.
      plane.options('/*', preflight);
      registerNativeUpdateRoutes(plane, { check: nativeUpdate, refuse: counted });
      done();
    },
    { prefix: NATIVE_UPDATE_BASE },
  );
  const checks = checkFastPath({ admit, check, refuse: counted });
  const reported = reportFastPath({ admit, reporting: reports, refuse: counted, answered: countDeviceAnswer });
  const others = planeFastPaths(
    { capawesome, capgo, codePush, expo, hotUpdater, nativeUpdate },
    { admit, refuse: counted },
  );
  return (request: IncomingMessage, response: ServerResponse): boolean =>
    checks(request, response) || reported(request, response) || others(request, response);
}

/** Ignores bodies of operations that have none. */
function judgeNoBody(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
}

function notFound(): DomainError {
  return new DomainError('NOT_FOUND', 'There is nothing at this address.');
}

function notLoadedYet(): DomainError {
  return new UnavailableError('The server is starting. Try again shortly.');
}
