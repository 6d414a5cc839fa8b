import { others as othersName } from '../../../texts/adoption';
import { compareVersions } from '../../builds/versions';

/** The values of a chart, one for each day. */
export interface Series {
  readonly name: string;
  /** In the order of the days. */
  readonly values: readonly number[];
  /** The class of its colour. */
  readonly colour: string;
  /** Drawn over the colour, so that neighbours differ without it; 0: nothing. */
  readonly texture: number;
}

/** More versions than these are shown as one. */
const MOST = 8;
const COLOURS = 8;
export const TEXTURES = 3;
/** Of colour and texture; there are more of them than versions shown. */
const PAIRS = COLOURS * TEXTURES;
const OTHERS = { colour: 'series-others', texture: 0 };

type Named = Pick<Series, 'name' | 'values'>;

/**
 * The most used versions of an app, newest first, each in its own colour; all others as one. `rest`: what the server
 * has already counted together.
 */
export function versionSeries(app: number, versions: readonly Named[], rest: readonly Named[]): Series[] {
  const busiest = [...versions].sort((a, b) => sum(b.values) - sum(a.values));
  const shown = busiest
    .slice(0, MOST)
    .filter(({ values }) => sum(values) > 0)
    .sort((a, b) => compareVersions(b.name, a.name));
  const places = placesOf(
    app,
    shown.map(({ name }) => name),
  );
  const series = shown.map((each) => {
    const place = places.get(each.name) ?? 0;
    return { ...each, colour: `series-${place % COLOURS}`, texture: place % TEXTURES };
  });
  const others = [...busiest.slice(MOST), ...rest].filter(({ values }) => sum(values) > 0);
  if (others.length === 0) return series;
  const values = others.reduce<number[]>((sums, each) => each.values.map((value, day) => value + (sums[day] ?? 0)), []);
  return [...series, { name: othersName, values, ...OTHERS }];
}

const keyOf = (app: number): string => `sluice.versions.${app}`;
const MOST_KEPT = 1_000;

/**
 * The place of each version among those that this browser has shown, which gives it its colour and texture. It keeps
 * them, unless an older version of those that are shown has both.
 */
function placesOf(app: number, versions: readonly string[]): ReadonlyMap<string, number> {
  let known: readonly string[] = [];
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(keyOf(app)) ?? '[]');
    if (Array.isArray(saved)) known = saved as string[];
  } catch {
    // They begin again.
  }
  const added = versions.filter((version) => !known.includes(version)).sort(compareVersions);
  const all = [...known, ...added];
  try {
    if (added.length > 0 && all.length <= MOST_KEPT) localStorage.setItem(keyOf(app), JSON.stringify(all));
  } catch {
    // There is no room: the same places result until another version appears.
  }
  const taken = new Set<number>();
  const byPlace = [...versions].sort((one, other) => all.indexOf(one) - all.indexOf(other));
  return new Map(
    byPlace.map((version) => {
      let place = all.indexOf(version) % PAIRS;
      while (taken.has(place)) place = (place + 1) % PAIRS;
      taken.add(place);
      return [version, place];
    }),
  );
}

/** With the values of each day in proportion, so that they add up to `totals`. */
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
