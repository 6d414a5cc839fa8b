/** What devices of a recalled build get: another build, the bundle inside their native app, or nothing. */
export type RecallTarget = number | 'embedded' | 'none';

/** The recalls of one channel. */
export interface ChannelRecalls {
  /** By version: the build that has it and is recalled, or the build that it republishes. */
  readonly originOf: (version: string) => number | undefined;
  /** Undefined: the build is not recalled. */
  readonly targetOf: (buildId: number) => RecallTarget | undefined;
}

/** Where devices of this version go, over targets that were recalled in turn; undefined: the version is not recalled. */
export function recallTarget(version: string, { originOf, targetOf }: ChannelRecalls): RecallTarget | undefined {
  let target: RecallTarget | undefined;
  let next: RecallTarget | undefined = originOf(version);
  // No channel accepts recalls in a circle. An index that was rebuilt from broken rows must not hang.
  for (const seen = new Set<number>(); typeof next === 'number' && !seen.has(next);) {
    seen.add(next);
    next = targetOf(next);
    target = next ?? target;
  }
  return target;
}
