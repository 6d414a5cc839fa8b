import { Inject, Injectable } from '@nestjs/common';
import {
  type Caller,
  changePlanSteps,
  deletePlan,
  getPlan,
  holdPlan,
  listOpenPlans,
  openPlanSchema,
  type OpenPlan,
  type Plan,
  type ReplyOf,
  type RequestOf,
  resumePlan,
  setPlan,
  skipPlanStep,
} from '@sluice/contracts';
import { type ReadableRows, ReadStore, StateStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling, type Recorded } from '@sluice/event-store';
import { channelName, DomainError, unlessUnavailable } from '@sluice/kernel';
import { HandlesCommand, HandlesQuery } from '@sluice/messaging';
import { PLAN_STEPS_FORMAT, requireFormat } from '@sluice/service-host';
import { BuildResources } from './build-resources';
import { buildOf, channelDecider, channelStream, refuseRepublished } from './domain/channel';
import { PlanSetter } from './plan-setter';
import {
  isWatched,
  type PlanCommand,
  planDecider,
  type PlanEvent,
  planNotFound,
  planOf,
  planStream,
  refuseRunning,
} from '../plans/domain/plan';
import { PlanEffects } from '../plans/plan-effects';
import { readSteps, toPlan } from '../plans/plan-resource';
import { type PlanRow, planRows, plansProjection } from '../plans/plans.projection';
import { lastAnswer } from '../plans/webhook-answers';

type OfBuild = RequestOf<typeof getPlan>;

const OPEN = openPlanSchema.shape.status.options;
const NEWEST_FIRST = [
  ['position', 'desc'],
  ['id', 'desc'],
] as const;
/** Of each status. */
const MAX_OPEN = 50;

@Injectable()
export class PlanHandlers {
  private readonly rows: ReadableRows<PlanRow>;

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    private readonly builds: BuildResources,
    private readonly effects: PlanEffects,
    private readonly setter: PlanSetter,
    private readonly state: StateStore,
    readStore: ReadStore,
  ) {
    this.rows = readStore.view(plansProjection.name, planRows);
  }

  @HandlesCommand(setPlan)
  async set({ appId, id: buildId, plan }: RequestOf<typeof setPlan>, caller: Caller): Promise<ReplyOf<typeof setPlan>> {
    const { channel } = await this.builds.find(appId, buildId);
    const stream = channelStream(appId, channel);
    const { state, revision } = await this.commands.load(channelDecider, stream);
    const build = buildOf(state, buildId);
    refuseRepublished(build);
    const { status } = build;
    if (status !== 'active') {
      const message = `Build ${buildId} is ${status}, and a plan needs an active build.`;
      throw new DomainError('BUILD_NOT_READY', message, { status });
    }
    refuseRunning((await this.commands.load(planDecider, planStream(buildId))).state);
    const made = await this.setter.prepare(appId, plan, caller);
    await this.setter.set({ build, state, channelRevision: revision === 'none' ? -1 : revision, plan }, caller);
    return { ...(await this.resource(buildId)), ...made };
  }

  @HandlesQuery(getPlan)
  async get({ appId, id }: OfBuild): Promise<Plan> {
    const { status, channel } = await this.builds.find(appId, id);
    if (status === 'processing') {
      const { state } = await this.commands.load(channelDecider, channelStream(appId, channel));
      if (state.builds.get(id)?.plan !== undefined) throw planNotFound('The plan is set once the build is active.');
    }
    return this.resource(id);
  }

  /** Most apps have none, which one query finds out. */
  @HandlesQuery(listOpenPlans)
  async listOpen({ apps }: RequestOf<typeof listOpenPlans>): Promise<OpenPlan[][]> {
    const where = { app_id: { in: apps }, status: { in: OPEN } };
    const counted = await this.rows.countBy(['app_id', 'status'], where);
    return Promise.all(
      apps.map((app) => {
        const statuses = OPEN.filter((status) => counted.some((each) => each.app_id === app && each.status === status));
        return this.openOf(app, statuses);
      }),
    );
  }

  @HandlesCommand(deletePlan)
  delete(request: OfBuild, caller: Caller): Promise<Plan> {
    return this.change(request, { type: 'DeletePlan' }, caller);
  }

  @HandlesCommand(holdPlan)
  hold(request: OfBuild, caller: Caller): Promise<Plan> {
    return this.change(request, { type: 'HoldPlan' }, caller);
  }

  @HandlesCommand(resumePlan)
  resume(request: OfBuild, caller: Caller): Promise<Plan> {
    return this.change(request, { type: 'ResumePlan' }, caller);
  }

  @HandlesCommand(skipPlanStep)
  skip(request: OfBuild, caller: Caller): Promise<Plan> {
    return this.change(request, { type: 'SkipStep' }, caller);
  }

  @HandlesCommand(changePlanSteps)
  async changeSteps(request: RequestOf<typeof changePlanSteps>, caller: Caller): Promise<Plan> {
    await requireFormat(this.commands, PLAN_STEPS_FORMAT);
    const { steps, ifRevision } = request;
    return this.change(request, { type: 'ChangeSteps', steps: readSteps(steps), ifRevision }, caller);
  }

  private async openOf(appId: number, statuses: readonly OpenPlan['status'][]): Promise<OpenPlan[]> {
    const found = await Promise.all(
      statuses.map(async (status) => {
        const rows = await this.rows.find({
          where: { app_id: appId, status },
          sort: NEWEST_FIRST,
          limit: MAX_OPEN,
        });
        return rows.map(({ id, version, channel, because, percentage, reasons }) => ({
          ...{
            build_id: Number(id),
            version,
            channel: channelName(channel),
            status,
            because,
            percentage,
            reasons: [...reasons],
          },
        }));
      }),
    );
    const plans = found.flat();
    const stopped = await this.builds.stopped(
      plans.filter(({ status }) => status === 'failed').map(({ build_id }) => build_id),
    );
    return plans.filter(({ status, build_id }) => status !== 'failed' || stopped.has(build_id));
  }

  private async change({ appId, id }: OfBuild, command: PlanCommand, caller: Caller): Promise<Plan> {
    await this.builds.find(appId, id);
    return this.give(id, command, caller);
  }

  /** The response shows the build as the plan leaves it. */
  private async give(buildId: number, command: PlanCommand, caller: Caller): Promise<Plan> {
    const { events } = await this.commands.handle(planDecider, planStream(buildId), command, caller);
    for (const event of events as readonly Recorded<PlanEvent>[]) await this.effects.apply(event);
    return this.resource(buildId);
  }

  private async resource(buildId: number): Promise<Plan> {
    const plan = planOf((await this.commands.load(planDecider, planStream(buildId))).state);
    const [counts, answer] = await Promise.all([
      isWatched(plan) ? unlessUnavailable(this.setter.reportsOf(plan)) : undefined,
      plan.webhookUrl === undefined ? undefined : unlessUnavailable(lastAnswer(this.state, plan)),
    ]);
    return toPlan(plan, counts, answer);
  }
}
