import { randomBytes, randomUUID } from 'node:crypto';
import { call, management } from '../support/http';
import { zipOf } from '../support/zip';

export interface SteadyWritesOptions {
  readonly address: string;
  /** An access token for the uploads, to the first app's development channel. */
  readonly token: string;
  readonly apiKey: string;
  /** The build whose installs are reported. */
  readonly bundleId: string;
}

export interface SteadyWrites {
  /** @throws when one was not taken; answers how many were written */
  stop(): Promise<{ readonly reports: number; readonly uploads: number }>;
}

const BEAT_MS = 20;
const REPORTS_A_BEAT = 4;
const BEATS_AN_UPLOAD = 50;
const BUNDLE_BYTES = 256 * 1024;
/** A server that is slower than the beat is not buried under what it has not answered yet. */
const MOST_UNDER_WAY = 64;

/**
 * Reports and uploads at a pace that does not depend on what else is measured: 200 reports and one
 * bundle of 256 KiB a second.
 */
export async function writeSteadily({ address, token, apiKey, bundleId }: SteadyWritesOptions): Promise<SteadyWrites> {
  const api = management(address, token);
  const file = await zipOf({ 'index.html': '<p>bench</p>', 'app.bin': randomBytes(BUNDLE_BYTES) });
  const run = randomUUID();
  const underWay = new Set<Promise<void>>();
  const written = { reports: 0, uploads: 0 };
  let beats = 0;
  let fault: Error | undefined;

  const start = (
    kind: keyof typeof written,
    wanted: number,
    send: (n: number) => Promise<{ readonly status: number }>,
  ) => {
    if (underWay.size >= MOST_UNDER_WAY) return;
    const n = (written[kind] += 1);
    const one: Promise<void> = send(n)
      .then(({ status }) => {
        if (status !== wanted) throw new Error(`Of the ${kind} one was answered with ${status}.`);
      })
      .catch((error: unknown) => void (fault ??= error instanceof Error ? error : new Error(String(error))))
      .finally(() => underWay.delete(one));
    underWay.add(one);
  };
  const report = (n: number) =>
    call(`${address}/api/v1/analytics/install`, {
      method: 'POST',
      headers: { 'X-API-Key': apiKey, 'X-Device-ID': `${run}-${n}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ bundle_id: bundleId, status: 'complete' }),
    });
  const upload = (n: number) => api.upload('/apps/1/builds', file, { version: `1.0.${n}`, channel: 'development' });

  const timer = setInterval(() => {
    for (let at = 0; at < REPORTS_A_BEAT; at += 1) start('reports', 200, report);
    if (beats++ % BEATS_AN_UPLOAD === 0) start('uploads', 202, upload);
  }, BEAT_MS);

  return {
    stop: async () => {
      clearInterval(timer);
      await Promise.all(underWay);
      if (fault !== undefined) throw fault;
      return written;
    },
  };
}
