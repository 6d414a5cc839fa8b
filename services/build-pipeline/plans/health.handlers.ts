import { Inject, Injectable } from '@nestjs/common';
import {
  type AppHealth,
  type BuildCounts,
  type BuildHealth,
  countBuilds,
  getHealth,
  type RequestOf,
  requestedPlanSchema,
} from '@sluice/contracts';
import { type ReadableRows, ReadStore } from '@sluice/document-store';
import { COMMANDS, type CommandHandling } from '@sluice/event-store';
import { newCommandId } from '@sluice/kernel';
import { HandlesQuery, MESSAGING, type Messaging } from '@sluice/messaging';
import { LRUCache } from 'lru-cache';
import { healthOf } from './domain/health';
import { type LivePlan, planDecider, planStream } from './domain/plan';
import { type PlanRow, planRows, plansProjection } from './plans.projection';

/** That of every plan which sets none. */
const DEFAULT_THRESHOLD = requestedPlanSchema.shape.gates.parse(undefined).failures.threshold_percent;

const KEPT_PLANS = 10_000;

/** Judges the builds that devices get: device-updates counts, and the rule is that of the gates of plans. */
@Injectable()
export class HealthHandlers {
  private readonly rows: ReadableRows<PlanRow>;
  /** Plans that ended, by the event that set them: they no longer change. */
  private readonly over = new LRUCache<string, LivePlan>({ max: KEPT_PLANS });

  constructor(
    @Inject(COMMANDS) private readonly commands: CommandHandling,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    readStore: ReadStore,
  ) {
    this.rows = readStore.view(plansProjection.name, planRows);
  }

  @HandlesQuery(getHealth)
  async get(request: RequestOf<typeof getHealth>): Promise<AppHealth[]> {
    const caller = { commandId: newCommandId(), actor: 'system:health' };
    const counted = await this.messaging.request(countBuilds, request, caller);
    const ids = counted.flatMap(({ builds }) => builds.map(({ build_id: id }) => String(id)));
    const rows = ids.length === 0 ? [] : await this.rows.find({ where: { id: { in: ids } } });
    // By the rule, a build whose plan was aborted has none.
    const planned = rows.filter(({ status }) => status !== 'aborted');
    const plans = new Map(
      await Promise.all(planned.map(async (row) => [Number(row.id), await this.planOf(row)] as const)),
    );
    return counted.map(({ devices, builds }) => ({
      devices,
      builds: builds.map((build) => judged(build, plans.get(build.build_id) ?? null)),
    }));
  }

  private async planOf({ id, status, position }: PlanRow): Promise<LivePlan | null> {
    const isOver = status === 'completed' || status === 'failed';
    const key = `${id} ${position}`;
    const known = isOver ? this.over.get(key) : undefined;
    if (known !== undefined) return known;
    const { plan } = (await this.commands.load(planDecider, planStream(Number(id)))).state;
    if (isOver && plan !== null) this.over.set(key, plan);
    return plan;
  }
}

function judged({ previous, ...build }: BuildCounts, plan: LivePlan | null): BuildHealth {
  const { attempts: finished, failed_attempts: failed } = build;
  const { health, limit, judgedBy, baseline } = healthOf(
    { finished, failed },
    {
      ...{ plan, defaultThreshold: DEFAULT_THRESHOLD },
      previous: previous && {
        ...{ buildId: previous.build_id, finished: previous.attempts, failed: previous.failed_attempts },
      },
    },
  );
  return {
    ...build,
    ...{ health, judged_by: judgedBy, baseline_build_id: baseline?.buildId ?? null },
    failed_percent: finished === 0 ? null : asPercent(failed / finished),
    limit_percent: asPercent(limit),
  };
}

const asPercent = (share: number): number => Number((share * 100).toFixed(3));
