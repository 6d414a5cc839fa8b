import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { devicePlatformSchema, type Adoption, getAdoption } from '@sluice/contracts';
import { QueryOf } from '@sluice/messaging';
import { ACTIVE, daysBetween, NATIVE_VERSIONS, OTHER_VERSIONS, PLATFORMS, VERSIONS } from './domain/report';
import { ReportCounts } from './report-counts';

/** Further versions are told as one. */
const MAX_VERSIONS = 50;

export class GetAdoption extends QueryOf(getAdoption) {}

@QueryHandler(GetAdoption)
export class GetAdoptionHandler implements IQueryHandler<GetAdoption> {
  constructor(private readonly counts: ReportCounts) {}

  async execute({ request: { appId, from, to } }: GetAdoption): Promise<Adoption> {
    const days = daysBetween(from, to);
    const at = new Map(days.map((day, index) => [day, index]));
    const byMetric = new Map<string, number[]>();
    for (const { metric, day, count } of await this.counts.active({ appId, from, to })) {
      const active = byMetric.get(metric) ?? days.map(() => 0);
      byMetric.set(metric, active);
      active[at.get(day) ?? 0] = count;
    }
    const platforms = devicePlatformSchema.options.flatMap((platform) => {
      const active = byMetric.get(PLATFORMS + platform);
      return active === undefined ? [] : [{ platform, active }];
    });
    return {
      ...{ days, total: byMetric.get(ACTIVE) ?? days.map(() => 0), platforms },
      versions: mostFrequent(byMetric, VERSIONS, days.length),
      native_versions: mostFrequent(byMetric, NATIVE_VERSIONS, days.length),
    };
  }
}

/** The most frequent first; further ones, and those that a closed day counts together, as null. */
function mostFrequent(
  byMetric: ReadonlyMap<string, number[]>,
  prefix: string,
  days: number,
): { version: string | null; active: number[] }[] {
  const named = [...byMetric]
    .filter(([metric]) => metric.startsWith(prefix) && metric !== prefix + OTHER_VERSIONS)
    .sort(([one, left], [other, right]) => sum(right) - sum(left) || (one < other ? -1 : 1));
  const others = [
    ...named.slice(MAX_VERSIONS).map(([, active]) => active),
    byMetric.get(prefix + OTHER_VERSIONS) ?? [],
  ].reduce((sums, active) => sums.map((total, day) => total + (active[day] ?? 0)), Array<number>(days).fill(0));
  const versions = named
    .slice(0, MAX_VERSIONS)
    .map(([metric, active]) => ({ version: metric.slice(prefix.length), active }));
  return sum(others) === 0 ? versions : [...versions, { version: null, active: others }];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
