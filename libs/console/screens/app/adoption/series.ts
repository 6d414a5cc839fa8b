/** What a chart shows of each day, one of its colours for each. */
export interface Series {
  readonly name: string;
  /** In the order of the days. */
  readonly values: readonly number[];
}

/** As many as a chart has colours for that are told apart. */
export const MOST_SERIES = 7;

/** The first ones as they are, all others as one. */
export function limited(all: readonly Series[]): Series[] {
  if (all.length <= MOST_SERIES) return [...all];
  const rest = all.slice(MOST_SERIES - 1);
  const values = rest.reduce<number[]>(
    (sums, series) => series.values.map((value, day) => value + (sums[day] ?? 0)),
    [],
  );
  return [...all.slice(0, MOST_SERIES - 1), { name: `${rest.length} others`, values }];
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The last day on which there was anything; the last of all where there was nothing. */
export function lastDay(days: readonly string[], all: readonly Series[]): number {
  const found = days.findLastIndex((_, day) => all.some(({ values }) => (values[day] ?? 0) > 0));
  return found < 0 ? days.length - 1 : found;
}

/** With each day's values in proportion, so that they add up to its total: series may count one thing twice. */
export function scaledTo(totals: readonly number[], all: readonly Series[]): Series[] {
  const factors = totals.map((total, day) => total / Math.max(1, sum(all.map(({ values }) => values[day] ?? 0))));
  return all.map(({ name, values }) => ({ name, values: values.map((value, day) => value * (factors[day] ?? 1)) }));
}
