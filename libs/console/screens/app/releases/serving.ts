import type { Build } from '@sluice/contracts';

/** Negative when `a` is the older of two versions, major.minor.patch. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const at = left.findIndex((part, index) => part !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

type Reach = Pick<Build, 'rollout_percentage' | 'rollout_enabled' | 'min_native_version'>;

/** In percent of the devices that it suits: 0 when its rollout is halted. */
export function percentageOf({ rollout_percentage: percentage, rollout_enabled: enabled }: Reach): number {
  return enabled ? (percentage ?? 100) : 0;
}

/** Whether no device is left to an older build. */
export function reachesAll(build: Reach): boolean {
  return percentageOf(build) === 100 && build.min_native_version === null;
}

export interface Serving {
  /** Newest version first, each serving what the ones before it leave over; halted ones among them. */
  readonly served: readonly Build[];
  /** Whether each device that is behind is offered something. */
  readonly complete: boolean;
}

/** What devices of a channel get, out of its active builds. The server selects by the same rule. */
export function servingOf(active: readonly Build[]): Serving {
  const sorted = [...active].sort((a, b) => compareVersions(b.version, a.version));
  const last = sorted.findIndex(reachesAll);
  const complete = last >= 0;
  return { served: complete ? sorted.slice(0, last + 1) : sorted, complete };
}

/** Who gets a build that serves what `before` leaves over. */
export function reachWords(build: Reach, before: readonly Reach[]): string {
  const isFirst = before.every((each) => percentageOf(each) === 0);
  const percentage = percentageOf(build);
  if (!build.rollout_enabled) return 'Halted: no further device gets it';
  if (percentage === 0) return 'At 0 %: no device gets it';
  const whom =
    percentage === 100
      ? isFirst
        ? 'Every device with an older version'
        : 'All other devices'
      : `${percentage} % of ${isFirst ? 'the devices' : 'the others'}`;
  const gate = build.min_native_version;
  return gate === null ? whom : `${whom}, on native version ${gate} or newer`;
}
