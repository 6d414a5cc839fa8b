import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { readSettings } from '@sluice/config';
import type { BuildFacts } from '@sluice/contracts';
import { openEngines } from '@sluice/engines';
import type { EventStore } from '@sluice/event-store';
import type { Deployment } from '../support/deployment';

/** A job that is open for this long will not be closed any more. */
const CLOSED_WITHIN_MS = 60_000;
const POLL_MS = 100;

/**
 * Reads the engines of an installation, which may be running without writers, and compares them with its events.
 * @throws Error when an id was given twice, a channel holds a version twice, a job stays open or was
 *   closed twice, or the bundle of a build that did not fail is not what was accepted
 */
export async function auditData({ env }: Pick<Deployment, 'env'>): Promise<void> {
  const engines = await openEngines(readSettings({ ...env, BUS_URL: 'inproc:' }), 'audit');
  try {
    const { events, objects } = engines;
    let audited = await auditEvents(events);
    for (const deadline = performance.now() + CLOSED_WITHIN_MS; audited.openJobs.size > 0;) {
      if (performance.now() > deadline) throw new Error(`Jobs stay open: ${[...audited.openJobs].join(', ')}`);
      await delay(POLL_MS);
      audited = await auditEvents(events);
    }
    for (const { buildId, objectKey, checksum } of audited.bundles) {
      const hash = createHash('sha256');
      await pipeline(await objects.get(objectKey), hash);
      if (hash.digest('hex') !== checksum) throw new Error(`The bundle of build ${buildId} is not what was accepted.`);
    }
  } finally {
    await engines.close();
  }
}

interface Audited {
  readonly openJobs: ReadonlySet<string>;
  /** Of builds that did not fail. */
  readonly bundles: readonly BuildFacts[];
}

async function auditEvents(events: EventStore): Promise<Audited> {
  const given = new Set<string>();
  const holding = new Map<string, number>();
  const versions = new Map<number, string>();
  const bundles = new Map<number, BuildFacts>();
  const openJobs = new Set<string>();

  const giveOnce = (what: string): void => {
    if (given.has(what)) throw new Error(`${what} was given twice.`);
    given.add(what);
  };
  const place = (build: BuildFacts): void => {
    giveOnce(`Build ${build.buildId}`);
    const version = `${build.appId} ${build.channel} ${build.version}`;
    if (holding.has(version))
      throw new Error(`Builds ${build.buildId} and ${String(holding.get(version))}: ${version}.`);
    holding.set(version, build.buildId);
    versions.set(build.buildId, version);
    bundles.set(build.buildId, build);
  };

  for await (const { type, data, stream } of events.readAll()) {
    switch (type) {
      case 'AppRegistered':
      case 'TokenIssued':
      case 'ApiKeyCreated':
        giveOnce(`${type} ${JSON.stringify(data['id'])}`);
        break;
      case 'BuildAccepted':
      case 'BuildPromoted':
        place(data as unknown as BuildFacts);
        break;
      case 'BuildFailed':
        holding.delete(versions.get(data['buildId'] as number) ?? '');
        bundles.delete(data['buildId'] as number);
        break;
      case 'JobQueued':
        openJobs.add(stream);
        break;
      case 'JobCompleted':
      case 'JobFailed':
        if (!openJobs.delete(stream)) throw new Error(`${stream} was closed twice.`);
        break;
    }
  }
  return { openJobs, bundles: [...bundles.values()] };
}
