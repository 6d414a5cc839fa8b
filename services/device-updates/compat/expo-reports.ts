import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Clock } from '@sluice/kernel';
import { LRUCache } from 'lru-cache';
import type { ReportKind, Reporting } from '../reports/reporting';
import type { ServedBuild } from '../serving/served-builds';

/** What a request for a manifest says of the device. */
export interface ExpoFacts {
  readonly deviceId: string;
  /** The headers by which a client of Sluice sends the same. */
  readonly headers: IncomingHttpHeaders;
  /** Undefined: the bundle inside the native app, or none that is known. */
  readonly running: ServedBuild | undefined;
  /** Builds that did not start. */
  readonly failed: readonly ServedBuild[];
  readonly fatalError: string | undefined;
}

/** Called after the request was answered; never throws. */
export type ExpoReports = (request: Pick<IncomingMessage, 'socket'>, facts: ExpoFacts) => void;

/** Of recorded facts: a device that requests a manifest again writes nothing. */
const REMEMBERED = 100_000;
const MAX_ERROR = 1_000;
const NO_ERROR_SENT = 'Listed in Expo-Recent-Failed-Update-IDs';

interface Inferred {
  readonly kind: ReportKind;
  readonly body?: { readonly bundle_id: string; readonly status: string; readonly error?: string };
}

/**
 * Reports what Expo's clients do not report themselves, from what they send with a request for a manifest: that the device
 * is active, that the update that runs was downloaded and installed, and that one that did not start was rolled back.
 */
export function expoReports({
  reporting,
  clock,
}: {
  readonly reporting: Reporting;
  readonly clock: Clock;
}): ExpoReports {
  const recorded = new LRUCache<string, true>({ max: REMEMBERED });

  return ({ socket }, { deviceId, headers, running, failed, fatalError }) => {
    const day = clock.now().toISOString().slice(0, 10);
    const report = async ({ kind, body }: Inferred, once: string): Promise<void> => {
      const id = `${once}/${headers['x-api-key'] as string}/${deviceId}`;
      if (recorded.has(id)) return;
      recorded.set(id, true);
      try {
        await reporting.record(reporting.reporter(kind, { headers, socket }), body);
      } catch {
        // The next request says the same.
        recorded.delete(id);
      }
    };
    void report({ kind: 'active' }, `active/${day}/${running?.buildId}`);
    for (const build of [...(running === undefined ? [] : [running]), ...failed]) {
      const isRolledBack = build !== running;
      const body = { bundle_id: build.facts.bundleId };
      const error = (fatalError ?? NO_ERROR_SENT).slice(0, MAX_ERROR);
      const installed = isRolledBack ? { status: 'rollback', error } : { status: 'complete' };
      void report({ kind: 'download', body: { ...body, status: 'complete' } }, `download/${build.buildId}`);
      void report({ kind: 'install', body: { ...body, ...installed } }, `${installed.status}/${build.buildId}`);
    }
  };
}
