import type { Build } from '@sluice/contracts';
import { audienceOf } from '../../../texts/audience';
import * as texts from '../../../texts/releases';
import { isForEvery, type NativeRules } from '../../builds/native-rules';
import { compareVersions } from '../../builds/versions';

/** A server of an earlier release returns no audience. */
type Reach = Pick<Build, 'rollout_percentage' | 'rollout_enabled'> & NativeRules & Partial<Pick<Build, 'audience'>>;

/** In percent of the devices that match it: 0 if its rollout is halted. */
export function percentageOf({ rollout_percentage: percentage, rollout_enabled: enabled }: Reach): number {
  return enabled ? (percentage ?? 100) : 0;
}

/** Whether older builds serve no device. */
export function reachesAll(build: Reach): boolean {
  return percentageOf(build) === 100 && isForAll(build);
}

const isForAll = (build: Reach): boolean => isForEvery(build) && (build.audience ?? null) === null;

/** In percent of the devices of its channel; undefined where they are not what its percentage is of. */
export function targetOf(build: Reach, before: readonly Reach[]): number | undefined {
  return before.length === 0 && build.rollout_enabled && isForAll(build) ? percentageOf(build) : undefined;
}

/** A server of an earlier release returns no such member. */
type Recallable = Partial<Pick<Build, 'recalled_at' | 'recall_of'>>;

export const isRecalled = ({ recalled_at: at }: Recallable): boolean => typeof at === 'string';
/** It replaces a recalled build, for devices of that one alone. */
export const isReplacement = ({ recall_of: recalled }: Recallable): boolean => typeof recalled === 'number';

export interface Serving {
  /** Newest version first, including halted ones. Each serves the devices that the ones before it don't serve. */
  readonly served: readonly Build[];
  /** Whether every device with an older version is offered a build. */
  readonly complete: boolean;
}

/** The builds that devices of a channel get, out of its active builds. The server selects by the same rule. */
export function servingOf(active: readonly Build[]): Serving {
  const sorted = active.filter((build) => !isReplacement(build)).sort((a, b) => compareVersions(b.version, a.version));
  const last = sorted.findIndex(reachesAll);
  const complete = last >= 0;
  return { served: complete ? sorted.slice(0, last + 1) : sorted, complete };
}

/** Which devices get a build that serves those that `before` don't serve. `pins`: how many devices are pinned to it. */
export function reachWords(build: Reach, before: readonly Reach[], pins: number): string {
  if (!build.rollout_enabled) return texts.reachHalted;
  const percentage = percentageOf(build);
  const isFirst = before.every((each) => percentageOf(each) === 0);
  if (percentage === 0) return pins === 0 ? texts.reachNone : texts.reachPinned(pins);
  return texts.reach(percentage, isFirst, audienceOf(build), pins);
}
