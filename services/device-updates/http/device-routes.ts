import type { Clock } from '@sluice/kernel';
import type { ObjectStore } from '@sluice/object-store';
import { errorReply } from '@sluice/http';
import { DomainError } from '@sluice/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceHashes } from '../application/device-hashes';
import type { DeviceReports } from '../application/device-reports';
import type { DownloadUrls } from '../application/download-urls';
import type { KeyUsage } from '../application/key-usage';
import type { ServingIndex } from '../application/serving-index';
import type { UpdateAnswers } from '../application/update-answers';
import { bundleDownload } from './bundle-download.route';
import { allowAnyOrigin, preflight } from './cors';
import { registerReportRoutes } from './report.routes';
import { updateCheck } from './update-check.route';

export interface DeviceRoutesOptions {
  readonly index: ServingIndex;
  readonly usage: KeyUsage;
  readonly answers: UpdateAnswers;
  readonly urls: DownloadUrls;
  readonly objects: ObjectStore;
  readonly reports: DeviceReports;
  readonly hashes: DeviceHashes;
  readonly clock: Clock;
  readonly report: (message: string, error?: unknown) => void;
  /** Told by /api/health. */
  readonly environment: string;
}

/** Registers the device plane (spec 4) on a Fastify instance that has not started yet. */
export function registerDeviceRoutes(fastify: FastifyInstance, options: DeviceRoutesOptions): void {
  const { index, report, clock, environment } = options;

  fastify.get('/api/health', (_request, reply) => {
    const time = clock.now().toISOString();
    void reply.header('Cache-Control', 'no-store').send({ status: 'ok', app: 'sluice', env: environment, time });
  });

  // A scope of its own: its errors, its 404 and its headers are no other plane's.
  void fastify.register(
    (plane, _options, done) => {
      plane.addHook('onRequest', (request, reply, next) => {
        allowAnyOrigin(request, reply);
        next(index.ready ? undefined : notLoadedYet());
      });
      plane.setErrorHandler((error, request, reply) => refuse(error, request, reply, report));
      plane.setNotFoundHandler((request, reply) => {
        refuse(new DomainError('NOT_FOUND', 'There is nothing at this address.'), request, reply, report);
      });
      plane.options('/*', preflight);
      plane.get('/updates/check', updateCheck(options));
      plane.route({ method: ['GET', 'HEAD'], url: '/bundles/:build/download', handler: bundleDownload(options) });
      void plane.register(
        (analytics, _none, ready) => {
          registerReportRoutes(analytics, options);
          ready();
        },
        { prefix: '/analytics' },
      );
      done();
    },
    { prefix: '/api/v1' },
  );
}

function notLoadedYet(): DomainError {
  return new DomainError('SERVICE_UNAVAILABLE', 'The server is starting. Try again shortly.', { retry_after: 1 });
}

function refuse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  report: DeviceRoutesOptions['report'],
): void {
  const answer = errorReply(error);
  if (answer.unexpected) {
    // The query may hold a download's signature.
    report(`${request.method} ${request.url.split('?')[0] ?? ''} failed: ${JSON.stringify(answer.body)}`, error);
  }
  void reply.code(answer.status).headers(answer.headers).header('Cache-Control', 'no-store').send(answer.body);
}
