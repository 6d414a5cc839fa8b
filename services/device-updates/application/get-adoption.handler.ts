import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { Adoption, getAdoption, RequestOf } from '@sluice/contracts';
import { beginningWith, daysBetween, OTHER_VERSIONS, VERSIONS } from '../domain/report';
import { ReportCounts } from './report-counts';

/** Further versions are told as one. */
const MAX_VERSIONS = 50;

export class GetAdoption extends Query<Adoption> {
  constructor(readonly request: RequestOf<typeof getAdoption>) {
    super();
  }
}

@QueryHandler(GetAdoption)
export class GetAdoptionHandler implements IQueryHandler<GetAdoption> {
  constructor(private readonly counts: ReportCounts) {}

  async execute({ request: { appId, from, to } }: GetAdoption): Promise<Adoption> {
    const days = daysBetween(from, to);
    const at = new Map(days.map((day, index) => [day, index]));
    const none = (): number[] => days.map(() => 0);
    const byVersion = new Map<string, number[]>();
    for (const { metric, day, count } of await this.counts.reported({
      ...{ appId, from, to, metric: beginningWith(VERSIONS) },
    })) {
      const version = metric.slice(VERSIONS.length);
      const active = byVersion.get(version) ?? none();
      byVersion.set(version, active);
      active[at.get(day) ?? 0] = count;
    }
    const others = byVersion.get(OTHER_VERSIONS) ?? none();
    byVersion.delete(OTHER_VERSIONS);
    const sorted = [...byVersion].sort(
      ([one, left], [other, right]) => sum(right) - sum(left) || (one < other ? -1 : 1),
    );
    for (const [, active] of sorted.slice(MAX_VERSIONS)) {
      active.forEach((count, index) => (others[index] = (others[index] ?? 0) + count));
    }
    const versions = sorted.slice(0, MAX_VERSIONS).map(([version, active]) => ({ version, active }));
    return { days, versions: sum(others) === 0 ? versions : [...versions, { version: null, active: others }] };
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
