import { others as othersName } from '../../../texts/adoption';

/** The values of a chart, one for each day. */
export interface Series {
  readonly name: string;
  /** In the order of the days. */
  readonly values: readonly number[];
  /** The class of its colour. */
  readonly colour: string;
}

/** As many versions as there are distinguishable colours; one more is for all others. */
const COLOURS = 6;
const OTHERS = 'series-others';

type Named = Omit<Series, 'colour'>;

/**
 * The most used versions of an app, newest first, each in its own colour; all others as one. `rest`: what the server
 * has already counted together.
 */
export function versionSeries(app: number, versions: readonly Named[], rest: readonly Named[]): Series[] {
  const busiest = [...versions].sort((a, b) => sum(b.values) - sum(a.values));
  const shown = busiest
    .slice(0, COLOURS)
    .filter(({ values }) => sum(values) > 0)
    .sort((a, b) => byVersion.compare(b.name, a.name));
  const others = [...busiest.slice(COLOURS), ...rest].filter(({ values }) => sum(values) > 0);
  const colours = coloursOf(
    app,
    shown.map(({ name }) => name),
  );
  const series = shown.map((each) => ({ ...each, colour: `series-${colours.get(each.name) ?? 0}` }));
  if (others.length === 0) return series;
  const values = others.reduce<number[]>((sums, each) => each.values.map((value, day) => value + (sums[day] ?? 0)), []);
  return [...series, { name: othersName, values, colour: OTHERS }];
}

const byVersion = new Intl.Collator('en', { numeric: true });

/** The colour of each version, by app: it stays the same for every period. */
const taken = new Map<number, Map<string, number>>();

/** A colour for each version, no two the same. */
function coloursOf(app: number, versions: readonly string[]): ReadonlyMap<string, number> {
  const known = taken.get(app) ?? new Map<string, number>();
  taken.set(app, known);
  const mine = new Map<string, number>();
  const isShown = (colour: number): boolean => [...mine.values()].includes(colour);
  for (const version of versions) {
    const colour = known.get(version);
    if (colour !== undefined && !isShown(colour)) mine.set(version, colour);
  }
  const all = Array.from({ length: COLOURS }, (_, colour) => colour);
  for (const version of versions) {
    if (mine.has(version)) continue;
    // Preferably a colour that no version has had.
    const held = new Set(known.values());
    const colour = all.find((each) => !held.has(each)) ?? all.find((each) => !isShown(each)) ?? 0;
    mine.set(version, colour);
    known.set(version, colour);
  }
  return mine;
}

/** With each day's values in proportion, so that they add up to its total: series may count one thing twice. */
export function scaledTo(totals: readonly number[], all: readonly Series[]): Series[] {
  const factors = totals.map((total, day) => total / Math.max(1, sum(all.map(({ values }) => values[day] ?? 0))));
  return all.map((each) => ({ ...each, values: each.values.map((value, day) => value * (factors[day] ?? 1)) }));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

const longDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const shortDay = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A day in UTC, `2026-11-22`, in the format of the browser. */
export const dayWords = (day: string): string => longDay.format(new Date(day));
export const shortDayWords = (day: string): string => shortDay.format(new Date(day));
