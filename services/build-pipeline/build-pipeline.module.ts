import {
  Inject,
  Injectable,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { SETTINGS } from '@sluice/config';
import { ReadStore, StateStore } from '@sluice/document-store';
import { COMMANDS, EVENT_STORE, type CommandHandling, type EventStore } from '@sluice/event-store';
import { MESSAGING, serveHandlers } from '@sluice/messaging';
import { OBJECT_STORE } from '@sluice/object-store';
import { PROJECTIONS, type RunningProcess, startProcess } from '@sluice/projections';
import { CLOCK, provide, LOGGER, type Logger } from '@sluice/service-host';
import { jobs, plans } from '@sluice/telemetry';
import { BuildHandlers } from './builds/build.handlers';
import { BuildResources } from './builds/build-resources';
import { RecalledCopies } from './builds/recalled-copies';
import { PinHandlers } from './builds/pin.handlers';
import { RecallHandlers } from './builds/recall.handlers';
import { StoredMetadata } from './builds/build-metadata';
import { BuildsAsOf } from './builds/builds-as-of';
import { channelEmptier } from './builds/channel-emptier';
import { IndexBackfill } from './inspection/index-backfill';
import { countJobs } from './jobs/count-jobs';
import { jobStarter } from './jobs/job-starter';
import { JobHandlers } from './jobs/job.handlers';
import { JobWorker } from './jobs/job-worker';
import { countPlans } from './plans/count-plans';
import { PlanEffects } from './plans/plan-effects';
import { PlanSetter } from './builds/plan-setter';
import { PlanHandlers } from './builds/plan.handlers';
import { HealthHandlers } from './plans/health.handlers';
import { PlanRunner } from './plans/plan-runner';
import { BuildRetention } from './retention/build-retention';
import { BundleSweep } from './storage/bundle-sweep';
import { MetadataSweep } from './storage/metadata-sweep';
import { StoredBundles } from './storage/stored-bundles';

/** Runs the service's process managers as long as the application runs. */
@Injectable()
class BackgroundWork implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private processes: readonly RunningProcess[] = [];

  constructor(
    @Inject(EVENT_STORE) private readonly events: EventStore,
    private readonly readStore: ReadStore,
    private readonly state: StateStore,
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly worker: JobWorker,
    private readonly copies: RecalledCopies,
    private readonly plans: PlanEffects,
    private readonly planSetter: PlanSetter,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    jobs.count = () => countJobs(this.readStore);
    plans.count = () => countPlans(this.readStore);
    const { events, state, logger, commands } = this;
    const starter = jobStarter({ commands, queued: (jobId) => this.worker.offer(jobId) });
    this.processes = await Promise.all([
      startProcess({ events, state, process: starter, logger }),
      startProcess({ events, state, process: channelEmptier(commands), logger }),
      startProcess({ events, state, process: this.copies.process, logger }),
      startProcess({ events, state, process: this.plans.process, logger }),
      startProcess({ events, state, process: this.planSetter.process, logger }),
    ]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    delete jobs.count;
    delete plans.count;
    await Promise.all(this.processes.map((process) => process.close()));
  }
}

const { controllers, providers } = serveHandlers(
  BuildHandlers,
  RecallHandlers,
  JobHandlers,
  PlanHandlers,
  HealthHandlers,
  PinHandlers,
  StoredBundles,
  provide(BuildRetention, {
    ...{ commands: COMMANDS, readStore: ReadStore, bundles: StoredBundles, messaging: MESSAGING },
    ...{ clock: CLOCK, settings: SETTINGS, logger: LOGGER },
  }),
);

@Module({
  imports: [CqrsModule],
  controllers,
  providers: [
    ...providers,
    BuildsAsOf,
    StoredMetadata,
    BuildResources,
    RecalledCopies,
    PlanEffects,
    PlanSetter,
    BackgroundWork,
    provide(PlanRunner, {
      ...{ commands: COMMANDS, readStore: ReadStore, state: StateStore, effects: PlanEffects, messaging: MESSAGING },
      ...{ clock: CLOCK, logger: LOGGER },
    }),
    provide(JobWorker, {
      ...{ commands: COMMANDS, readStore: ReadStore, objects: OBJECT_STORE, messaging: MESSAGING },
      ...{ plans: PlanSetter, clock: CLOCK, settings: SETTINGS, logger: LOGGER },
    }),
    provide(BundleSweep, {
      ...{ commands: COMMANDS, events: EVENT_STORE, readStore: ReadStore, state: StateStore, projections: PROJECTIONS },
      ...{ objects: OBJECT_STORE, clock: CLOCK, settings: SETTINGS, logger: LOGGER },
    }),
    provide(IndexBackfill, { readStore: ReadStore, objects: OBJECT_STORE, logger: LOGGER }),
    provide(MetadataSweep, {
      ...{ events: EVENT_STORE, readStore: ReadStore, state: StateStore, projections: PROJECTIONS },
      ...{ clock: CLOCK, settings: SETTINGS, logger: LOGGER },
    }),
  ],
})
export class BuildPipelineModule {}
