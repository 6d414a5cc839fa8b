import type { IncomingHttpHeaders } from 'node:http';
import { downloadReportBody, installReportBody } from '@sluice/contracts';
import { parseJsonBody, unsupportedMediaType, validate } from '@sluice/http';
import { DomainError, parseVersion, ValidationError } from '@sluice/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DeviceHashes } from '../application/device-hashes';
import type { DeviceReports, ReportDetails } from '../application/device-reports';
import type { KeyUsage } from '../application/key-usage';
import type { ServingIndex } from '../application/serving-index';
import type { Report } from '../domain/report';
import type { ServingApp } from '../projections/serving.projection';
import { authenticate, deviceIdOf, header, isPlatform, MAX_DEVICE_ID_LENGTH, PLATFORMS } from './device-headers';
import type { DeviceLimits } from './device-limits';

export interface ReportRoutesOptions {
  readonly index: ServingIndex;
  readonly usage: KeyUsage;
  readonly reports: DeviceReports;
  readonly hashes: DeviceHashes;
  readonly limits: DeviceLimits;
}

/** Who reports, as its headers say. */
interface Reporter {
  readonly app: ServingApp;
  readonly deviceId: string;
  /** Of the bundle that runs, in canonical form; empty where none was sent. */
  readonly bundleVersion: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    reporter: Reporter | null;
  }
}

const MAX_BODY_BYTES = 16 * 1024;

/**
 * Registers `POST /mau`, `/download` and `/install` (spec 4, Reports) on a scope of their own. Headers
 * are judged before the body is read; the answer leaves once the report is durable.
 */
export function registerReportRoutes(plane: FastifyInstance, options: ReportRoutesOptions): void {
  const { index, reports, hashes, limits } = options;
  plane.decorateRequest('reporter', null);
  plane.removeAllContentTypeParsers();
  const asText = { parseAs: 'string', bodyLimit: MAX_BODY_BYTES } as const;
  plane.addContentTypeParser<string>(
    /^application\/([\w.-]+\+)?json\b/,
    asText,
    (_request: FastifyRequest, text: string) => Promise.resolve(text).then(parseJsonBody),
  );
  // Clients label empty bodies with whatever their library is used to.
  plane.addContentTypeParser<string>('*', asText, (_request, text, done) =>
    done(text === '' ? null : unsupportedMediaType('application/json')),
  );

  const readHeaders = (kind: Report['kind']) => ({
    onRequest: (request: FastifyRequest, _reply: FastifyReply, next: () => void) => {
      const reporter = readReporter(options, request.headers, kind);
      limits.countDevice(reporter.app.appId, reporter.deviceId);
      request.reporter = reporter;
      next();
    },
  });
  const record = ({ app, deviceId }: Reporter, report: Report, details?: ReportDetails): Promise<Date> =>
    reports.record(app.appId, hashes.of(app.appId, deviceId), report, details);

  plane.post('/mau', readHeaders('active'), async (request, reply) => {
    const reporter = reporterOf(request);
    const at = await record(reporter, { kind: 'active', version: reporter.bundleVersion });
    return reply.header('Cache-Control', 'no-store').send({ success: true, recorded_at: at.toISOString() });
  });

  plane.post('/download', readHeaders('download'), async (request, reply) => {
    const reporter = reporterOf(request);
    const { bundle_id: bundleId, status, error } = validate(downloadReportBody, request.body ?? {});
    await record(reporter, { kind: 'download', buildId: buildOf(index, reporter, bundleId), status }, { error });
    return reply.header('Cache-Control', 'no-store').send({ success: true });
  });

  plane.post('/install', readHeaders('install'), async (request, reply) => {
    const reporter = reporterOf(request);
    const body = validate(installReportBody, request.body ?? {});
    const { bundle_id: bundleId, status, error, previous_version: previousVersion } = body;
    const report = { kind: 'install', buildId: buildOf(index, reporter, bundleId), status } as const;
    await record(reporter, report, { error, previousVersion });
    return reply.header('Cache-Control', 'no-store').send({ success: true });
  });
}

function reporterOf({ reporter }: FastifyRequest): Reporter {
  if (reporter === null) throw new Error('The headers of the report were not read.');
  return reporter;
}

/** @throws DomainError BUILD_NOT_FOUND also for a build of another app */
function buildOf(index: ServingIndex, { app }: Reporter, bundleId: string): number {
  const build = index.buildOfBundle(bundleId);
  if (build?.facts.appId === app.appId) return build.facts.buildId;
  throw new DomainError('BUILD_NOT_FOUND', 'There is no such build.');
}

/** @throws DomainError in spec 4's order of refusals: 401, 403, 400, then a ValidationError that names every fault */
function readReporter(
  { index, usage }: Pick<ReportRoutesOptions, 'index' | 'usage'>,
  headers: IncomingHttpHeaders,
  kind: Report['kind'],
): Reporter {
  const app = authenticate(index, usage, headers);
  const deviceId = deviceIdOf(headers);
  const platform = header(headers, 'x-platform');
  const bundleText = header(headers, 'x-bundle-version');
  const bundleVersion = bundleText === undefined ? undefined : parseVersion(bundleText)?.version;
  const errors = {
    ...(deviceId.length > MAX_DEVICE_ID_LENGTH && {
      'X-Device-ID': [`The X-Device-ID header may hold at most ${MAX_DEVICE_ID_LENGTH} characters.`],
    }),
    ...(bundleVersion === undefined &&
      kind === 'active' && {
        'X-Bundle-Version': [
          bundleText === undefined
            ? 'The X-Bundle-Version header is required.'
            : 'The X-Bundle-Version header must hold a version like 1.2.3.',
        ],
      }),
    ...(!isPlatform(platform) &&
      (platform !== undefined || kind === 'active') && {
        'X-Platform': [
          platform === undefined
            ? 'The X-Platform header is required.'
            : `The X-Platform header must be one of ${PLATFORMS.join(', ')}.`,
        ],
      }),
  };
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  return { app, deviceId, bundleVersion: bundleVersion ?? '' };
}
