import { Inject, Injectable } from '@nestjs/common';
import {
  causedBy,
  type CommandContext,
  type CommandHandling,
  COMMANDS,
  createSequence,
  EVENT_STORE,
  type EventStore,
  type HandleOptions,
  type Recorded,
  type Sequence,
} from '@sluice/event-store';
import { DomainError, stableUuid, unlessUnavailable } from '@sluice/kernel';
import type { ProcessManager } from '@sluice/projections';
import {
  channelDecider,
  type ChannelEvent,
  channelStream,
  isGone,
  isManualChange,
  type RecallTarget,
} from '../builds/domain/channel';
import { planDecider, type PlanEvent, planStream } from './domain/plan';

type Entered = Recorded<Extract<PlanEvent, { type: 'StepEntered' }>>;
type Aborted = Recorded<Extract<PlanEvent, { type: 'PlanAborted' }>>;

/** Changes builds as their plans decide, and ends a plan when a person changes its build. */
@Injectable()
export class PlanEffects {
  private readonly ids: Sequence;

  /** Completes what a stopped process left half done. */
  readonly process: ProcessManager<ChannelEvent | PlanEvent> = {
    name: 'rollout-plans',
    prefixes: ['plan-', 'channel-'],
    react: (event) => this.apply(event, { waitForReaders: false }),
  };

  /** Called when a plan has entered a step. */
  entered: () => void = () => undefined;

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(EVENT_STORE) private readonly events: Pick<EventStore, 'readStream'>,
  ) {
    this.ids = createSequence({ commands, name: 'builds' });
  }

  /** The same event again, and one that a later one of its plan has overtaken, changes nothing. */
  async apply(event: Recorded<ChannelEvent | PlanEvent>, options?: HandleOptions): Promise<void> {
    if (event.type === 'StepEntered') return this.enter(event, options);
    if (event.type === 'PlanAborted') {
      return event.data.because === 'deleted' ? this.completeStep(event, options) : this.act(event, options);
    }
    if (!event.stream.startsWith('channel-')) return;
    const change = event as Recorded<ChannelEvent>;
    if (!isManualChange(change) || !('buildId' in change.data)) return;
    const { buildId } = change.data;
    const end = { type: 'EndPlan', change: change.type, channelRevision: change.revision } as const;
    const context = causedBy(change, change.metadata.actor, `end-plan-${buildId}`);
    await this.commands.handle(planDecider, planStream(buildId), end, context, options);
  }

  /** Ends the plans of builds that a person changed, unless that has to wait for the process. */
  async endedBy(changes: readonly Recorded<ChannelEvent>[]): Promise<void> {
    for (const change of changes) await unlessUnavailable(this.apply(change));
  }

  private async enter(event: Entered, options?: HandleOptions): Promise<void> {
    const { appId, buildId, percentage: rolloutPercentage, basis } = event.data;
    const plan = { revision: event.revision, manualRevision: basis.manualRevision };
    const command = { type: 'ChangeRollout', buildId, rolloutPercentage, enabled: true, plan } as const;
    const stream = channelStream(appId, basis.channel);
    const context = causedBy(event, event.metadata.actor, 'enter-step');
    let changed = 'unknown';
    try {
      const { state } = await this.commands.handle(channelDecider, stream, command, context, options);
      if (state.builds.get(buildId)?.manualRevision === basis.manualRevision) {
        this.entered();
        return;
      }
    } catch (error) {
      if (!isGone(error)) throw error;
      changed = 'BuildDeleted';
    }
    // The change came between the look at the build and the plan, so that its event found no plan to end.
    const end = { type: 'EndPlan', change: changed, channelRevision: basis.channelRevision + 1 } as const;
    const ending = causedBy(event, event.metadata.actor, 'end-plan');
    await this.commands.handle(planDecider, planStream(buildId), end, ending, options);
  }

  /** So that nothing changes the build after the response to the deletion: the step may be entered and not applied yet. */
  private async completeStep(deletion: Aborted, options?: HandleOptions): Promise<void> {
    let entered: Entered | undefined;
    for await (const event of this.events.readStream(deletion.stream)) {
      if (event.revision === deletion.revision) break;
      if (event.type === 'StepEntered') entered = event as unknown as Entered;
      if (event.type === 'PlanSet') entered = undefined;
    }
    if (entered !== undefined) await this.enter(entered, options);
  }

  private async act(event: Aborted, options?: HandleOptions): Promise<void> {
    const { appId, buildId, action } = event.data;
    if (action === undefined) return;
    const { reason, basis } = action;
    const stream = channelStream(appId, basis.channel);
    const plan = { revision: event.revision, manualRevision: basis.manualRevision };
    const context = (step: string) => causedBy(event, event.metadata.actor, step);
    const recall = async (caller: CommandContext, to?: RecallTarget) => {
      const republishedId = await this.ids.next(caller);
      const bundleId = stableUuid('bundle', republishedId);
      const command = { type: 'RecallBuild', buildId, reason, to, republishedId, bundleId, plan } as const;
      await this.commands.handle(channelDecider, stream, command, caller, options);
    };
    try {
      if (action.type === 'recall') {
        await recall(context('recall'));
        return;
      }
      const halt = { type: 'ChangeRollout', buildId, enabled: false, plan } as const;
      await this.commands.handle(channelDecider, stream, halt, context('halt'), options);
    } catch (error) {
      if (isGone(error)) return;
      if (!(error instanceof DomainError && error.code === 'RECALL_TARGET_MISSING')) throw error;
      await recall(context('recall-without-target'), 'none');
    }
  }
}
