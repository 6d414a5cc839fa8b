/** Round numbers in equal steps, from 0 to the first that is not below `most`; no more than `count` steps. */
export function ticksUpTo(most: number, count: number): number[] {
  const least = most / count;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = Math.max(1, power * ([1, 2, 5].find((factor) => factor * power >= least) ?? 10));
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, index) => index * step);
}
