import type { Condition, Rows } from '@sluice/document-store';
import {
  ACTIVE,
  beginningWith,
  MAX_LIVE_COUNTS,
  NATIVE_VERSIONS,
  OTHER_VERSIONS,
  PLATFORMS,
  readVersionMetric,
  VERSIONS,
} from './domain/report';
import type { DeviceReport } from './device-reports';

export interface DailyCount {
  readonly metric: string;
  readonly day: string;
  readonly count: number;
}

/**
 * Counts the active devices of an app from their reports, in the same way as the totals of closed days: each device
 * once a day (`active`), by the version, platform and native version that it reported last that day. Versions beyond
 * the 5,000 most frequent are counted together.
 */
export async function countActive(
  reports: Rows<DeviceReport>,
  where: { readonly appId: number; readonly day: Condition },
): Promise<DailyCount[]> {
  const { groups, ofDays } = await countByMetric(reports, where);
  const counted = new Map<string, DailyCount>();
  const add = (day: string, metric: string, count: number): void => {
    const key = `${day} ${metric}`;
    counted.set(key, { day, metric, count: count + (counted.get(key)?.count ?? 0) });
  };
  for (const { day, count, rest } of ofDays) {
    add(day, ACTIVE, count);
    if (rest > 0) add(day, VERSIONS + OTHER_VERSIONS, rest);
  }
  for (const { day, metric, count } of groups) {
    const { version, platform, nativeVersion } = readVersionMetric(metric);
    add(day, VERSIONS + version, count);
    if (platform !== undefined) add(day, PLATFORMS + platform, count);
    if (nativeVersion !== undefined) add(day, NATIVE_VERSIONS + nativeVersion, count);
  }
  return [...counted.values()];
}

/** The most frequent metrics, and all rows of each day; `rest` are those of further metrics. */
async function countByMetric(
  reports: Rows<DeviceReport>,
  where: { readonly appId: number; readonly day: Condition },
): Promise<{
  readonly groups: readonly DailyCount[];
  readonly ofDays: readonly { readonly day: string; readonly count: number; readonly rest: number }[];
}> {
  const wanted = { ...where, metric: beginningWith(VERSIONS) };
  const groups = await reports.countBy(['metric', 'day'], wanted, MAX_LIVE_COUNTS);
  const named = new Map<string, number>();
  for (const { day, count } of groups) named.set(day, count + (named.get(day) ?? 0));
  const all =
    groups.length < MAX_LIVE_COUNTS
      ? [...named].map(([day, count]) => ({ day, count }))
      : await reports.countBy(['day'], wanted);
  return { groups, ofDays: all.map(({ day, count }) => ({ day, count, rest: count - (named.get(day) ?? 0) })) };
}
