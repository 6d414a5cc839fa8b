import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { credentialHash, newCredential, type BuildFacts, type Channel } from '@sluice/contracts';
import type { EventStore, NewEvent } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { newUlid, stableUuid, type DomainEvent } from '@sluice/kernel';

/** The past of an installation, written straight into the event store of a folder that no process serves. */
export interface History {
  /** An access token that may do everything, and its owner's first. */
  readonly token: string;
  /** The first app's API key. */
  readonly apiKey: string;
  readonly events: number;
}

export interface HistoryOptions {
  readonly apps: number;
  /** Of each app in each of these channels: as many of every app, or of the first, the second and so on. */
  readonly channels: readonly Channel[];
  readonly builds: number | readonly number[];
  /** Of the newest builds of a channel, the newest first; all others are at 100. */
  readonly rollouts?: readonly number[];
  /** Whether builds were also paused, resumed, edited and archived meanwhile. */
  readonly busy?: boolean;
  /** By app: so many changes of the rollouts of its builds in the first channel, one build after the other. */
  readonly rolloutChanges?: readonly number[];
  /** Events of one append have the same time. */
  readonly eventsPerAppend?: number;
  /** Of all builds; left out: none. */
  readonly fingerprint?: string;
  /** Whether the builds came by promotion, without jobs, and every other one is archived. */
  readonly promoted?: boolean;
}

/** At most so many events in one append, so that none gets too large, unless others are wanted. */
const APPEND_EVENTS = 500;

export const versionOf = (build: number): string => `1.${build}.0`;
export const objectKeyOf = (buildId: number): string => `bundles/bench-${buildId}.zip`;

export async function writeHistory(dataDir: string, options: HistoryOptions): Promise<History> {
  const { apps, channels, builds, rollouts = [], rolloutChanges = [], busy = false, promoted = false } = options;
  const store = await openSqliteEventStore({ path: join(dataDir, 'events.db') });
  const [token, apiKey] = [newCredential('svc_pat_'), newCredential('svc_app_')];
  const streams = new Map<string, DomainEvent[]>();
  const add: Add = (stream, type, data) => {
    const events = streams.get(stream) ?? [];
    streams.set(stream, events);
    events.push({ type, data });
  };

  const grant = { id: 1, ownerId: 1, name: 'bench', permissions: ['manage'], allApps: true, apps: [], expiresAt: null };
  add('token-1', 'TokenIssued', { ...grant, hash: credentialHash(token) });
  let buildId = 0;
  for (let appId = 1; appId <= apps; appId += 1) {
    const bundle = `com.example.app${appId}`;
    const names = { appId: bundle, bundleId: bundle, name: `App ${appId}`, description: null };
    add('apps', 'AppRegistered', { ...names, id: appId, ownerId: 1, platform: 'both', tokenId: 1 });
    const key = appId === 1 ? apiKey : newCredential('svc_app_');
    const created = { id: appId, appId, name: 'installs', preview: 'svc_app_…', sealId: null };
    add(`apiKeys-${appId}`, 'ApiKeyCreated', { ...created, hash: credentialHash(key) });
    const count = typeof builds === 'number' ? builds : (builds[appId - 1] ?? 0);
    const firstId = buildId + 1;
    for (const channel of channels) {
      for (let build = 1; build <= count; build += 1) {
        buildId += 1;
        const rolloutPercentage = rollouts[count - build] ?? 100;
        const fingerprint = options.fingerprint ?? null;
        const facts = {
          ...buildFacts(buildId, { appId, channel, version: versionOf(build), rolloutPercentage }),
          fingerprint,
        };
        if (promoted) addPromoted(add, facts, build % 2 === 0);
        else addBuild(add, facts, busy && build < count);
      }
    }
    for (let change = 0; change < (rolloutChanges[appId - 1] ?? 0); change += 1) {
      const rollout = { buildId: firstId + (change % count), rolloutPercentage: 1 + (change % 100), enabled: true };
      add(`channel-${appId}-${channels[0]!}`, 'RolloutChanged', rollout);
    }
  }
  add('sequence-builds', 'BlockReserved', { first: 1, size: buildId });
  add('sequence-tokens', 'BlockReserved', { first: 1, size: 1 });
  add('sequence-keys', 'BlockReserved', { first: 1, size: apps });

  try {
    return { token, apiKey, events: await appendAll(store, streams, options.eventsPerAppend ?? APPEND_EVENTS) };
  } finally {
    await store.close();
  }
}

export function buildFacts(
  buildId: number,
  given: Pick<BuildFacts, 'appId' | 'channel' | 'version' | 'rolloutPercentage'>,
): BuildFacts {
  return {
    ...given,
    buildId,
    bundleId: stableUuid('build', buildId),
    objectKey: objectKeyOf(buildId),
    size: 1_234_567,
    checksum: credentialHash(`bundle ${buildId}`),
    signature: null,
    releaseNotes: 'Faster start, and the list keeps its place.',
    minNativeVersion: null,
    mandatory: false,
  };
}

type Add = (stream: string, type: string, data: object) => void;

function addPromoted(add: Add, facts: BuildFacts, archived: boolean): void {
  const stream = `channel-${facts.appId}-${facts.channel}`;
  add(stream, 'BuildPromoted', { ...facts, promotedFromId: facts.buildId });
  if (archived) add(stream, 'BuildArchived', { buildId: facts.buildId });
}

/** From upload to release: the channel's events and those of the job. */
function addBuild(add: Add, facts: BuildFacts, busy: boolean): void {
  const { buildId, appId, channel } = facts;
  const stream = `channel-${appId}-${channel}`;
  const jobId = newUlid();
  add(stream, 'BuildAccepted', { ...facts, jobId });
  add(`job-${jobId}`, 'JobQueued', { appId, channel, buildId });
  add(`job-${jobId}`, 'JobClaimed', { holder: newUlid(), attempt: 1 });
  add(stream, 'BuildActivated', { buildId });
  add(`job-${jobId}`, 'JobCompleted', {});
  if (!busy) return;
  add(stream, 'RolloutChanged', { buildId, rolloutPercentage: 100, enabled: true });
  if (buildId % 3 === 0) add(stream, 'BuildEdited', { buildId, releaseNotes: 'Corrected notes.' });
  if (buildId % 4 === 0) add(stream, 'BuildPaused', { buildId });
  if (buildId % 4 !== 1) add(stream, 'BuildArchived', { buildId });
}

/** Answers how many events it wrote. */
async function appendAll(
  store: EventStore,
  streams: ReadonlyMap<string, readonly DomainEvent[]>,
  size: number,
): Promise<number> {
  let written = 0;
  const append = async (stream: string, events: readonly DomainEvent[]) => {
    for (let from = 0; from < events.length; from += size) {
      const part = events.slice(from, from + size).map(recordable);
      await store.append(stream, from === 0 ? 'none' : from - 1, part);
      written += part.length;
    }
  };
  // Many at a time, which the store commits together.
  const waiting = [...streams];
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await append(...next);
    }),
  );
  return written;
}

function recordable({ type, data }: DomainEvent): NewEvent {
  const commandId = randomUUID();
  return {
    id: randomUUID(),
    type,
    data,
    metadata: {
      commandId,
      actor: 'token:1',
      correlationId: commandId,
      causationId: commandId,
      at: '2026-01-01T00:00:00.000Z',
    },
  };
}
