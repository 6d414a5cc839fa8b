import type { Settings } from '@sluice/config';
import {
  type Caller,
  type Channel,
  listBuildRetention,
  MAX_PREVIEWED_BUILDS,
  previewRetention,
  type RequestOf,
} from '@sluice/contracts';
import type { ReadableRows, ReadStore } from '@sluice/document-store';
import type { CommandHandling } from '@sluice/event-store';
import { newCommandId, type Clock, type Logger } from '@sluice/kernel';
import { HandlesQuery, type Messaging } from '@sluice/messaging';
import { PeriodicTask } from '@sluice/service-host';
import { channelsOf } from '../builds/app-channels';
import { buildRows, buildsProjection, nativeRulesIn, toBuild, type BuildRow } from '../builds/builds.projection';
import {
  channelDecider,
  channelStream,
  isGone,
  isPinned,
  isUsedByRecall,
  type RetainedBuild,
} from '../builds/domain/channel';
import { beyondRetention } from '../builds/domain/retention';
import type { StoredBundles } from '../storage/stored-bundles';

const APPS = 1_000;
/** Of one channel by one command. */
const AT_ONCE = 100;

export interface BuildRetentionOptions {
  readonly commands: Pick<CommandHandling, 'handle' | 'load'>;
  readonly readStore: ReadStore;
  readonly bundles: StoredBundles;
  /** To the registry, which holds the retention of each app. */
  readonly messaging: Pick<Messaging, 'request'>;
  readonly clock: Clock;
  readonly settings: Pick<Settings, 'buildsKeptPerChannel' | 'buildRetentionGraceSeconds'>;
  readonly logger: Logger;
}

/**
 * Deletes the builds that no retention keeps, each by an event of its own, as a person would. Which go is decided from
 * rows and once more by the channel, so that a build which came into service meanwhile stays. Any number of replicas
 * may run it.
 */
export class BuildRetention extends PeriodicTask {
  private readonly rows: ReadableRows<BuildRow>;

  constructor(private readonly options: BuildRetentionOptions) {
    const { settings, logger } = options;
    super({
      everyMs: Math.min(Math.max(settings.buildRetentionGraceSeconds * 250, 1_000), 3_600_000),
      run: async () => {
        const deleted = await this.sweep();
        if (deleted > 0) logger.warn(`Deleted builds beyond the retention: ${deleted}`);
      },
      fault: 'Old builds could not be deleted; it will be tried again',
      logger,
    });
    this.rows = options.readStore.view(buildsProjection.name, buildRows);
  }

  @HandlesQuery(previewRetention)
  async preview({ appId, keepBuilds }: RequestOf<typeof previewRetention>) {
    const keep = this.keeps(keepBuilds);
    const due = await this.due(appId, keep);
    const freed = await this.options.bundles.freedBy(appId, new Set(due.map(({ id }) => Number(id))));
    const builds = due.slice(0, MAX_PREVIEWED_BUILDS).map((row) => {
      const { id, version, channel, state, file_size, created_at } = toBuild(row);
      return { id, version, channel, state, file_size, created_at };
    });
    return { keep_builds: keep, total: due.length, freed_bytes: freed, builds };
  }

  /** The number in force for an app: 0 for all. */
  private keeps(ofApp: number | null): number {
    return ofApp ?? this.options.settings.buildsKeptPerChannel;
  }

  /** Builds of an app that the retention would delete now, by channel and newest version first. @throws DocumentStoreUnavailableError */
  private async due(appId: number, keep: number): Promise<BuildRow[]> {
    const channels = await channelsOf(this.options.commands, appId);
    return (await Promise.all(channels.map((channel) => this.dueIn(appId, channel, keep)))).flat();
  }

  /** Looks at every app once; answers how many builds it deleted. @throws as the stores and the registry do */
  async sweep(): Promise<number> {
    let deleted = 0;
    for (let after = 0; ;) {
      const apps = await this.options.messaging.request(listBuildRetention, { after, limit: APPS }, context());
      for (const { appId, keepBuilds } of apps) {
        const kept = this.keeps(keepBuilds);
        for (const channel of kept === 0 ? [] : await channelsOf(this.options.commands, appId)) {
          if (this.signal.aborted) return deleted;
          deleted += await this.empty(appId, channel, kept);
        }
      }
      const last = apps.at(-1);
      if (last === undefined || apps.length < APPS) return deleted;
      after = last.appId;
    }
  }

  private async dueIn(appId: number, channel: Channel, keep: number): Promise<BuildRow[]> {
    const where = { app_id: appId, channel };
    if (keep === 0 || (await this.rows.count(where)) <= keep) return [];
    const { clock, settings } = this.options;
    const settledBefore = clock.now().getTime() - settings.buildRetentionGraceSeconds * 1_000;
    const builds = (await this.rows.find({ where })).map((row) => ({ ...retained(row), row }));
    const now = clock.now().toISOString();
    const due = beyondRetention(builds, keep, ({ row }) => Date.parse(row.updated_at) <= settledBefore).filter(
      ({ row }) => !isPinned(row.pinned_until, now),
    );
    if (due.every(({ recallOf }) => recallOf === undefined)) return due.map(({ row }) => row);
    const { state } = await this.options.commands.load(channelDecider, channelStream(appId, channel));
    return due.flatMap(({ buildId, recallOf, row }) => (isUsedByRecall({ buildId, recallOf }, state) ? [] : [row]));
  }

  private async empty(appId: number, channel: Channel, keep: number): Promise<number> {
    const due = (await this.dueIn(appId, channel, keep)).map(({ id }) => Number(id));
    let deleted = 0;
    for (let from = 0; from < due.length; from += AT_ONCE) {
      const buildIds = due.slice(from, from + AT_ONCE);
      try {
        const { events } = await this.options.commands.handle(
          channelDecider,
          channelStream(appId, channel),
          { type: 'ExpireBuilds', buildIds, keep, now: this.options.clock.now().toISOString() },
          context(),
        );
        deleted += events.length;
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
    return deleted;
  }
}

function context(): Caller {
  return { commandId: newCommandId(), actor: 'system:build-retention' };
}

function retained(row: BuildRow): RetainedBuild {
  return {
    buildId: Number(row.id),
    version: row.version,
    status: row.status === 'uploading' ? 'processing' : row.status,
    rolloutPercentage: row.rollout_percentage ?? 100,
    rolloutEnabled: row.rollout_enabled,
    minNativeVersion: row.min_native_version,
    mandatory: row.mandatory,
    ...nativeRulesIn(row),
    recallOf: row.recall_of ?? undefined,
  };
}
