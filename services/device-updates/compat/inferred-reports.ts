import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Clock } from '@sluice/kernel';
import type { ReportKind, Reporting } from '../reports/reporting';
import type { ServedBuild } from '../serving/served-builds';
import { SeenDevices } from './seen-devices';

/** What a check says of the device. */
export interface SeenDevice {
  readonly deviceId: string;
  /** The headers by which a client of Sluice sends the same. */
  readonly headers: IncomingHttpHeaders;
  /** Undefined: the bundle inside the native app, or none that is known. */
  readonly running: ServedBuild | undefined;
  /** Builds that did not start; left out: the client does not say. */
  readonly failed?: readonly ServedBuild[];
  /** Why they did not. */
  readonly error?: string;
}

/** Called after the check was answered; never throws. */
export type InferredReports = (request: Pick<IncomingMessage, 'socket'>, device: SeenDevice) => void;

/** A device that checks again and says the same writes nothing. 16 MiB, of which only what is used takes memory. */
const REMEMBERED = 2 ** 20;
const MAX_ERROR = 1_000;
const DAY_MS = 86_400_000;

interface Inferred {
  readonly kind: ReportKind;
  readonly body?: { readonly bundle_id: string; readonly status: string; readonly error?: string };
}

/**
 * Infers the reports of clients that send none from what their checks say: that the device is active, that the build that
 * runs was downloaded and installed, and that one that did not start was rolled back.
 */
export function inferredReports({
  reporting,
  clock,
}: {
  readonly reporting: Reporting;
  readonly clock: Clock;
}): InferredReports {
  let seen: SeenDevices | undefined;

  return ({ socket }, { deviceId, headers, running, failed = [], error = '' }) => {
    const day = Math.floor(clock.now().getTime() / DAY_MS);
    const device = `${headers['x-api-key'] as string}/${deviceId}`;
    const remembered = (seen ??= new SeenDevices(REMEMBERED));
    const { activeBefore, sameBuilds } = remembered.note(device, {
      ...{ day, build: running?.buildId ?? 0 },
      builds: failed.length === 0 ? '' : failed.map(({ buildId }) => buildId).join(),
    });
    if (activeBefore && sameBuilds) return;
    const record = ({ kind, body }: Inferred): Promise<unknown> => {
      const reporter = reporting.reporter(kind, { headers, socket });
      return reporting.record(reporter, body, true);
    };
    const all: Inferred[] = activeBefore ? [] : [{ kind: 'active' }];
    for (const build of sameBuilds ? [] : [...(running === undefined ? [] : [running]), ...failed]) {
      const body = { bundle_id: build.facts.bundleId };
      const rolledBack = { status: 'rollback', error: error.slice(0, MAX_ERROR) };
      const installed = build === running ? { status: 'complete' } : rolledBack;
      all.push({ kind: 'download', body: { ...body, status: 'complete' } });
      all.push({ kind: 'install', body: { ...body, ...installed } });
    }
    // The next check says the same.
    Promise.all(all.map(async (inferred) => record(inferred))).catch(() => remembered.forget(device));
  };
}
