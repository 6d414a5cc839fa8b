import {
  Inject,
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS, type Settings } from '@sluice/config';
import { PROJECTIONS, type Projections, type RunningProcess, startProcess } from '@sluice/projections';
import { ReadStore, StateStore } from '@sluice/document-store';
import { CLOCK, REPORT, type Report } from '@sluice/service-host';
import { COMMANDS, createSequence, EVENT_STORE, type CommandHandling, type EventStore } from '@sluice/event-store';
import { listBuildRetention, signDigest, type RequestOf } from '@sluice/contracts';
import { newCommandId, type Clock } from '@sluice/kernel';
import { MESSAGING, type Messaging, serveCalls } from '@sluice/messaging';
import { OBJECT_STORE, type ObjectStore } from '@sluice/object-store';
import { jobs } from '@sluice/telemetry';
import { countJobs } from './jobs/count-jobs';
import { AcceptBuild, AcceptBuildHandler } from './builds/accept-build.handler';
import { BUILD_IDS } from './builds/build-ids';
import { Builds } from './builds/builds';
import { BuildsAsOf } from './builds/builds-as-of';
import { ChangeRollout, ChangeRolloutHandler } from './builds/change-rollout.handler';
import { CloseAppChannels, CloseAppChannelsHandler } from './builds/close-app-channels.handler';
import { CountUnfinishedBuilds, CountUnfinishedBuildsHandler } from './builds/count-unfinished-builds.handler';
import { DeleteBuild, DeleteBuildHandler } from './builds/delete-build.handler';
import { EditBuild, EditBuildHandler } from './builds/edit-build.handler';
import { GetBuild, GetBuildHandler } from './builds/get-build.handler';
import { GetJob, GetJobHandler } from './jobs/get-job.handler';
import { GetStorage, GetStorageHandler } from './storage/get-storage.handler';
import { ListBuilds, ListBuildsHandler } from './builds/list-builds.handler';
import { PreviewRetention, PreviewRetentionHandler } from './retention/preview-retention.handler';
import { PromoteBuild, PromoteBuildHandler } from './builds/promote-build.handler';
import { StoredBundles } from './storage/stored-bundles';
import { BuildRetention } from './retention/build-retention';
import { BundleSweep } from './storage/bundle-sweep';
import { channelEmptier } from './builds/channel-emptier';
import { jobStarter } from './jobs/job-starter';
import { JobWorker } from './jobs/job-worker';

/** Runs the service's process managers as long as the application runs. */
@Injectable()
class BackgroundWork implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private processes: readonly RunningProcess[] = [];

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly readStore: ReadStore,
    private readonly state: StateStore,
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(REPORT) private readonly report: Report,
    private readonly worker: JobWorker,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    jobs.count = () => countJobs(this.readStore);
    const { events, state, report, commands } = this;
    const starter = jobStarter({ commands, queued: (jobId) => this.worker.offer(jobId) });
    this.processes = await Promise.all([
      startProcess({ events, state, process: starter, report }),
      startProcess({ events, state, process: channelEmptier(commands), report }),
    ]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    delete jobs.count;
    await Promise.all(this.processes.map((process) => process.close()));
  }
}

@Module({
  imports: [CqrsModule],
  controllers: [
    serveCalls(
      AcceptBuild,
      GetBuild,
      ListBuilds,
      CountUnfinishedBuilds,
      EditBuild,
      ChangeRollout,
      PromoteBuild,
      DeleteBuild,
      PreviewRetention,
      GetStorage,
      CloseAppChannels,
      GetJob,
    ),
  ],
  providers: [
    Builds,
    BuildsAsOf,
    AcceptBuildHandler,
    ChangeRolloutHandler,
    CloseAppChannelsHandler,
    DeleteBuildHandler,
    EditBuildHandler,
    PromoteBuildHandler,
    GetBuildHandler,
    GetJobHandler,
    GetStorageHandler,
    PreviewRetentionHandler,
    StoredBundles,
    ListBuildsHandler,
    CountUnfinishedBuildsHandler,
    {
      provide: BUILD_IDS,
      inject: [COMMANDS],
      useFactory: (commands: CommandHandling) => createSequence({ commands, name: 'builds' }),
    },
    {
      provide: JobWorker,
      inject: [COMMANDS, ReadStore, OBJECT_STORE, MESSAGING, CLOCK, SETTINGS, REPORT],
      useFactory: (
        commands: CommandHandling,
        readStore: ReadStore,
        objects: ObjectStore,
        messaging: Messaging,
        clock: Clock,
        settings: Settings,
        report: Report,
      ) => {
        const sign = async (appId: number, digest: string) => {
          const caller = { actor: 'system:worker', commandId: newCommandId() };
          return (await messaging.request(signDigest, { appId, digest }, caller)).signature;
        };
        return new JobWorker({ commands, readStore, objects, sign, clock, settings, report });
      },
    },
    {
      provide: BundleSweep,
      inject: [COMMANDS, EVENT_STORE, ReadStore, StateStore, PROJECTIONS, OBJECT_STORE, CLOCK, SETTINGS, REPORT],
      useFactory: (
        commands: CommandHandling,
        events: EventStore,
        readStore: ReadStore,
        state: StateStore,
        projections: Projections,
        objects: ObjectStore,
        clock: Clock,
        settings: Settings,
        report: Report,
      ) => new BundleSweep({ commands, events, readStore, state, projections, objects, clock, settings, report }),
    },
    {
      provide: BuildRetention,
      inject: [COMMANDS, ReadStore, MESSAGING, CLOCK, SETTINGS, REPORT],
      useFactory: (
        commands: CommandHandling,
        readStore: ReadStore,
        messaging: Messaging,
        clock: Clock,
        settings: Settings,
        report: Report,
      ) => {
        const apps = (page: RequestOf<typeof listBuildRetention>) =>
          messaging.request(listBuildRetention, page, { actor: 'system:build-retention', commandId: newCommandId() });
        return new BuildRetention({ commands, readStore, apps, clock, settings, report });
      },
    },
    BackgroundWork,
  ],
})
export class BuildPipelineModule {}
