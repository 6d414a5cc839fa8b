import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { BuildFacts } from '@sluice/contracts';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { openFilesystemObjectStore } from '@sluice/object-store/filesystem';

/**
 * Reads the data of an installation that was stopped, as its events tell it.
 * @throws Error when an id was given twice, a channel holds a version twice, a job was left open or
 *   closed twice, or the bundle of a build that did not fail is not what was accepted
 */
export async function auditData(dataDir: string, objectFolder = join(dataDir, 'objects')): Promise<void> {
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

  const events = await openSqliteEventStore({ path: join(dataDir, 'events.db') });
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
  await events.close();
  if (openJobs.size > 0) throw new Error(`Jobs were left open: ${[...openJobs].join(', ')}`);

  const objects = await openFilesystemObjectStore({ path: objectFolder });
  for (const { buildId, objectKey, checksum } of bundles.values()) {
    const hash = createHash('sha256');
    await pipeline(await objects.get(objectKey), hash);
    if (hash.digest('hex') !== checksum) throw new Error(`The bundle of build ${buildId} is not what was accepted.`);
  }
  await objects.close();
}
