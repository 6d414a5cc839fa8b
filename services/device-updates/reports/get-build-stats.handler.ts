import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { type BuildStats, getBuildStats } from '@sluice/contracts';
import { DomainError } from '@sluice/kernel';
import { QueryOf } from '@sluice/messaging';
import { buildMetric, checksMetric, daysBetween, offersMetric, REPORTED } from './domain/report';
import { ReportCounts } from './report-counts';
import { ServingIndex } from '../serving/serving-index';

export class GetBuildStats extends QueryOf(getBuildStats) {}

type Outcomes = BuildStats['totals'];
const NONE: Outcomes = {
  ...{ checks: 0, offered: 0, downloads: 0, download_failures: 0, installs: 0, install_failures: 0, rollbacks: 0 },
};

@QueryHandler(GetBuildStats)
export class GetBuildStatsHandler implements IQueryHandler<GetBuildStats> {
  constructor(
    private readonly index: ServingIndex,
    private readonly counts: ReportCounts,
  ) {}

  async execute({ request: { appId, id, from, to } }: GetBuildStats): Promise<BuildStats> {
    const build = this.index.build(id)?.facts;
    if (build?.appId !== appId) throw new DomainError('BUILD_NOT_FOUND', `There is no build ${id} here.`);
    const { channel, version } = build;
    const memberOf = new Map<string, keyof Outcomes>([
      [offersMetric(id), 'offered'],
      ...REPORTED.map((outcome) => [buildMetric(id, outcome), outcome] as const),
    ]);
    const [reported, offered, checked, errors] = await Promise.all([
      this.counts.reported({ appId, metric: { in: [...memberOf.keys()] } }),
      this.counts.checked({ appId, metric: offersMetric(id) }),
      this.counts.checked({ appId, metric: checksMetric(channel) }),
      this.errors(appId, id, daysBetween(from, to)),
    ]);

    const days = new Map<string, Outcomes>();
    for (const { metric, day, count } of [...reported, ...offered]) {
      const member = memberOf.get(metric);
      if (member !== undefined) days.set(day, { ...(days.get(day) ?? NONE), [member]: count });
    }
    for (const { day, count } of checked) {
      const outcomes = days.get(day);
      if (outcomes !== undefined) days.set(day, { ...outcomes, checks: count });
    }
    return {
      ...{ build_id: id, version, channel },
      totals: [...days.values()].reduce(plus, NONE),
      days: daysBetween(from, to).map((day) => ({ day, ...(days.get(day) ?? NONE) })),
      errors,
    };
  }

  private async errors(appId: number, id: number, days: readonly string[]): Promise<BuildStats['errors']> {
    const reportOf = new Map<string, BuildStats['errors'][number]['report']>([
      [buildMetric(id, 'download_failures'), 'download'],
      [buildMetric(id, 'install_failures'), 'install'],
      [buildMetric(id, 'rollbacks'), 'rollback'],
    ]);
    const errors = await this.counts.errors(appId, [...reportOf.keys()], days);
    return errors.flatMap(({ metric, error, count }) => {
      const report = reportOf.get(metric);
      return report === undefined ? [] : [{ report, error, count }];
    });
  }
}

function plus(left: Outcomes, right: Outcomes): Outcomes {
  const members = Object.keys(NONE) as (keyof Outcomes)[];
  return Object.fromEntries(members.map((member) => [member, left[member] + right[member]])) as Outcomes;
}
