import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Clock } from '@sluice/kernel';
import { LRUCache } from 'lru-cache';
import type { ReportKind, Reporting } from '../reports/reporting';
import type { ServedBuild } from '../serving/served-builds';

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

/** Of reports: a device that checks again writes nothing. */
const REMEMBERED = 100_000;
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
  const recorded = new LRUCache<string, string>({ max: REMEMBERED });

  return ({ socket }, { deviceId, headers, running, failed = [], error = '' }) => {
    const day = Math.floor(clock.now().getTime() / DAY_MS);
    const record = async ({ kind, body }: Inferred, id: string, value: string): Promise<void> => {
      recorded.set(id, value);
      try {
        await reporting.record(reporting.reporter(kind, { headers, socket }), body);
      } catch {
        // The next check says the same.
        recorded.delete(id);
      }
    };
    const report = (inferred: Inferred, once: string, value = ''): void => {
      const id = `${once}/${headers['x-api-key'] as string}/${deviceId}`;
      if (recorded.get(id) !== value) void record(inferred, id, value);
    };
    report({ kind: 'active' }, 'active', `${day}/${running?.buildId}`);
    for (const build of [...(running === undefined ? [] : [running]), ...failed]) {
      const isRolledBack = build !== running;
      const body = { bundle_id: build.facts.bundleId };
      const rolledBack = { status: 'rollback', error: error.slice(0, MAX_ERROR) };
      const installed = isRolledBack ? rolledBack : { status: 'complete' };
      report({ kind: 'download', body: { ...body, status: 'complete' } }, `download/${build.buildId}`);
      report({ kind: 'install', body: { ...body, ...installed } }, `${installed.status}/${build.buildId}`);
    }
  };
}
