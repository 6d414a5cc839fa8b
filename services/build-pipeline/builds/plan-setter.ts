import { Inject, Injectable } from '@nestjs/common';
import { type Caller, countGate, prepareGate, type RequestedPlan, requestedPlanSchema } from '@sluice/contracts';
import {
  causedBy,
  type CommandContext,
  type CommandHandling,
  COMMANDS,
  type HandleOptions,
  type Recorded,
} from '@sluice/event-store';
import { DomainError, newCommandId, stableUuid } from '@sluice/kernel';
import { MESSAGING, type Messaging } from '@sluice/messaging';
import type { ProcessManager } from '@sluice/projections';
import { requireFormat } from '@sluice/service-host';
import { BASELINE_DEVICES } from '../plans/domain/gate';
import { type Baseline, planDecider, type PlanEvent, planStream } from '../plans/domain/plan';
import { PlanEffects } from '../plans/plan-effects';
import { readRules } from '../plans/plan-resource';
import {
  type ChannelBuild,
  channelDecider,
  type ChannelEvent,
  type ChannelState,
  previousBuild,
} from './domain/channel';
import { RECALL_FORMAT } from './recall.handlers';

interface Subject {
  readonly build: ChannelBuild;
  /** Of its channel. */
  readonly state: ChannelState;
  readonly channelRevision: number;
  readonly plan: RequestedPlan;
}

/** Sets the plans of builds: by a request of its own, and for an upload or a promotion once its build is active. */
@Injectable()
export class PlanSetter {
  /**
   * Completes what a stopped process left half done. It has a checkpoint of its own, because replicas of earlier
   * releases do not set these plans.
   */
  readonly process: ProcessManager<ChannelEvent> = {
    name: 'requested-plans',
    prefixes: ['channel-'],
    react: (event) => this.begin(event, { waitForReaders: false }),
  };

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    private readonly effects: PlanEffects,
  ) {}

  /**
   * Before anything is stored. Returns the secret of the app's webhook gates if it is new.
   * @throws DomainError UPGRADE_NOT_FINISHED; ValidationError for the address of a webhook gate
   */
  async prepare(appId: number, { on_fail, gates }: RequestedPlan, caller: Caller) {
    if (on_fail === 'recall') await requireFormat(this.commands, RECALL_FORMAT);
    const { webhook } = gates;
    return webhook === null ? {} : this.messaging.request(prepareGate, { appId, url: webhook.url }, caller);
  }

  /** @throws DomainError PLAN_RUNNING; UnavailableError: a plan without its baseline would have another limit */
  async set(subject: Subject, caller: CommandContext, options?: HandleOptions): Promise<void> {
    const { build, state, channelRevision, plan } = subject;
    const { appId, buildId, version, channel, manualRevision } = build;
    const baseline = await this.baseline(appId, previousBuild(build, state)?.buildId);
    const of = { appId, buildId, version, baseline, basis: { channel, channelRevision, manualRevision } };
    const command = { type: 'SetPlan', plan: readRules(plan), of } as const;
    const { events } = await this.commands.handle(planDecider, planStream(buildId), command, caller, options);
    for (const event of events as readonly Recorded<PlanEvent>[]) await this.effects.apply(event, options);
  }

  /**
   * Sets the plan that came with the upload or the promotion of a build that is active from this event on. Any number
   * of times: the id of the command is made of the build. Nothing is set once a person changed the build.
   */
  async begin(event: Recorded<ChannelEvent>, options?: HandleOptions): Promise<void> {
    if (event.type !== 'BuildActivated' && event.type !== 'BuildPromoted') return;
    const { buildId } = event.data;
    const { state } = await this.commands.load(channelDecider, event.stream);
    const build = state.builds.get(buildId);
    if (build?.plan === undefined || build.status !== 'active' || build.manualRevision !== 0) return;
    if ((await this.commands.load(planDecider, planStream(buildId))).state.plan !== null) return;
    const commandId = stableUuid('requested-plan', buildId);
    const context = { ...causedBy(event, event.metadata.actor, 'set-plan'), commandId };
    const plan = requestedPlanSchema.parse(build.plan);
    try {
      await this.set({ build, state, channelRevision: event.revision, plan }, context, options);
    } catch (error) {
      // A person set another one meanwhile.
      if (!(error instanceof DomainError && error.code === 'PLAN_RUNNING')) throw error;
    }
  }

  reportsOf(build: Pick<ChannelBuild, 'appId' | 'buildId'>) {
    const caller = { commandId: newCommandId(), actor: 'system:rollout-plan' };
    return this.messaging.request(countGate, { appId: build.appId, buildId: build.buildId }, caller);
  }

  private async baseline(appId: number, buildId: number | undefined): Promise<Baseline | null> {
    if (buildId === undefined) return null;
    const { finished, failed } = await this.reportsOf({ appId, buildId });
    return finished < BASELINE_DEVICES ? null : { buildId, finished, failed };
  }
}
