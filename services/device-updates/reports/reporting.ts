import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { downloadReportBody, installReportBody } from '@sluice/contracts';
import { requireJsonObject, validate } from '@sluice/http';
import { channelName, coerceVersion, DomainError, ValidationError } from '@sluice/kernel';
import type { DeviceHashes } from '../devices/device-hashes';
import type { DeviceReports, ReportDetails } from './device-reports';
import type { DiskFloor } from './disk-floor';
import type { KeyUsage } from '../access/key-usage';
import type { ReportBudgets } from './report-budgets';
import type { ServedKey, ServingIndex } from '../serving/serving-index';
import type { Report } from './domain/report';
import type { DevicePlatform } from '../serving/domain/select-build';
import type { ServingApp } from '../serving/serving.projection';
import {
  authenticate,
  deviceIdFault,
  deviceIdOf,
  header,
  isPlatform,
  platformFault,
  requireChannel,
  versionFault,
} from '../access/device-headers';
import type { DeviceLimits } from '../access/device-limits';

export type ReportKind = Report['kind'];
type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

export interface ReportingOptions {
  readonly index: ServingIndex;
  readonly usage: KeyUsage;
  readonly reports: DeviceReports;
  readonly hashes: DeviceHashes;
  readonly limits: DeviceLimits;
  readonly budgets: Pick<ReportBudgets, 'check'>;
  readonly disk: Pick<DiskFloor, 'check'>;
}

/** Who reports what kind of thing, as the headers say. */
export interface Reporter {
  readonly kind: ReportKind;
  readonly app: ServingApp;
  readonly key: ServedKey;
  readonly deviceId: string;
  /** Of the client, as limits count it. */
  readonly address: string;
  /** Of the bundle that runs, in canonical form; of who reports that it is active, else empty. */
  readonly bundleVersion: string;
  /** Undefined when it was not sent: only a report of being active requires it. */
  readonly platform: DevicePlatform | undefined;
  /** Of the native app, in canonical form; undefined when none was sent, or none of a usual length. */
  readonly nativeVersion: string | undefined;
}

/** A longer one is not kept: it would be part of each row, and unauthenticated clients choose it. */
const MAX_NATIVE_VERSION = 64;

/** Reports, whether they arrive over the routes or the fast path. */
export interface Reporting {
  /**
   * Checks the headers, counts the device, and checks the budgets and the disk, before the body is read.
   * @throws DomainError, ValidationError in this order: 401, 403, 400, 422, 429; UnavailableError
   */
  reporter(kind: ReportKind, request: Request): Reporter;
  /**
   * Resolves with the time of the report once it is durable.
   * @param body parsed; undefined when none came
   * @param inferred true: the device did not send it. Left out: false
   * @throws ValidationError; DomainError BUILD_NOT_FOUND, API_KEY_RESTRICTED for a build of a channel that the key is not
   *   for; what DeviceReports throws
   */
  record(reporter: Reporter, body: unknown, inferred?: boolean): Promise<Date>;
}

export function reporting({ index, usage, reports, hashes, limits, budgets, disk }: ReportingOptions): Reporting {
  return {
    reporter(kind, request) {
      const reporter = { ...readReporter(index, usage, request.headers, kind), address: limits.addressOf(request) };
      const { appId, ownerId } = reporter.app;
      limits.countDevice(appId, reporter.deviceId);
      budgets.check(appId, ownerId);
      disk.check();
      return reporter;
    },
    async record(reporter, body, inferred = false) {
      const { app, key, deviceId } = reporter;
      const { report, details } = plainReport(index, reporter, body) ?? readReport(index, reporter, body);
      if (key.channels !== undefined && report.kind !== 'active') {
        requireChannel(key, index.builds.find(report.buildId)?.facts.channel, usage);
      }
      const { hash, otherHashes } = hashes.of(app.appId, deviceId);
      const { platform, nativeVersion } = reporter;
      const address = report.kind === 'install' ? hashes.ofAddress(app.appId, reporter.address) : undefined;
      const { keyId, channels } = key;
      const more = { channel: channels?.only, keyId, platform, nativeVersion, address, inferred };
      return reports.record(app.appId, hash, report, { ...more, ...details }, otherHashes);
    },
  };
}

interface Told {
  readonly report: Report;
  readonly details?: ReportDetails;
}

/**
 * A body that names a build of the app as its update check did, and has no member but the status. Nearly all
 * reports are such, and validation by schema takes longer than the rest. Undefined for any other.
 */
function plainReport(index: ServingIndex, { kind, app }: Reporter, body: unknown): Told | undefined {
  if (kind === 'active' || typeof body !== 'object' || body === null) return undefined;
  const { bundle_id: bundleId, status, error, previous_version: previous } = body as Readonly<Record<string, unknown>>;
  if (typeof bundleId !== 'string' || error !== undefined || previous !== undefined) return undefined;
  const facts = index.builds.findByBundleId(bundleId)?.facts;
  if (facts?.appId !== app.appId) return undefined;
  const { buildId, version: buildVersion } = facts;
  const details = { buildVersion, channel: channelName(facts.channel) };
  if (status === 'complete' || status === 'failed') return { report: { kind, buildId, status }, details };
  return status === 'rollback' && kind === 'install' ? { report: { kind, buildId, status }, details } : undefined;
}

/** @throws ValidationError that names every fault; DomainError BUILD_NOT_FOUND */
function readReport(index: ServingIndex, reporter: Reporter, body: unknown = {}): Told {
  const { kind } = reporter;
  requireJsonObject(body);
  if (kind === 'active') {
    const { bundleVersion: version, platform = 'all', nativeVersion } = reporter;
    return { report: { kind, version, platform, nativeVersion } };
  }
  if (kind === 'download') {
    const { bundle_id: bundleId, status, error } = validate(downloadReportBody, body);
    const { buildId, ...ofBuild } = buildOf(index, reporter, bundleId);
    return { report: { kind, buildId, status }, details: { error, ...ofBuild } };
  }
  const read = validate(installReportBody, body);
  const { bundle_id: bundleId, status, error, previous_version: previousVersion } = read;
  const { buildId, ...ofBuild } = buildOf(index, reporter, bundleId);
  return { report: { kind, buildId, status }, details: { error, previousVersion, ...ofBuild } };
}

/** @throws DomainError BUILD_NOT_FOUND also for a build of another app */
function buildOf(index: ServingIndex, { app }: Reporter, bundleId: string) {
  const facts = index.builds.findByBundleId(bundleId)?.facts;
  if (facts?.appId === app.appId) {
    return { buildId: facts.buildId, buildVersion: facts.version, channel: channelName(facts.channel) };
  }
  throw new DomainError('BUILD_NOT_FOUND', 'There is no build with this id.');
}

/** @throws DomainError in this order: 401, 403, 400; then a ValidationError that names every fault */
function readReporter(
  index: ServingIndex,
  usage: KeyUsage,
  headers: IncomingHttpHeaders,
  kind: ReportKind,
): Omit<Reporter, 'address'> {
  const { app, key } = authenticate(index, usage, headers);
  const deviceId = deviceIdOf(headers);
  const platform = header(headers, 'x-platform');
  const bundleText = kind === 'active' ? header(headers, 'x-bundle-version') : undefined;
  const bundleVersion = bundleText === undefined ? undefined : coerceVersion(bundleText);
  const errors = {
    ...deviceIdFault(deviceId),
    ...(bundleVersion === undefined && kind === 'active' && versionFault('X-Bundle-Version', bundleText)),
    ...(!isPlatform(platform) && (platform !== undefined || kind === 'active') && platformFault(platform)),
  };
  if (Object.keys(errors).length > 0) throw new ValidationError(errors);
  const nativeText = header(headers, 'x-app-version');
  const nativeVersion = nativeText === undefined ? undefined : coerceVersion(nativeText);
  return {
    ...{ kind, app, key, deviceId, bundleVersion: bundleVersion ?? '' },
    platform: isPlatform(platform) ? platform : undefined,
    nativeVersion:
      nativeVersion !== undefined && nativeVersion.length <= MAX_NATIVE_VERSION ? nativeVersion : undefined,
  };
}
