import type { Condition, Row, Where } from './port';

/** Whether a row meets all conditions, as every engine's `find` judges it. */
export function matches<R extends Row>(row: R, where: Where<R>): boolean {
  return Object.entries(where).every(([field, wanted]) =>
    holds((row as Readonly<Record<string, unknown>>)[field] ?? null, wanted as Condition),
  );
}

function holds(value: unknown, wanted: Condition): boolean {
  if (wanted === null || typeof wanted !== 'object') return value === wanted;
  if ('in' in wanted) return wanted.in.some((one) => one === value);
  const { gt, gte, lt, lte } = wanted;
  return (
    (gt === undefined || compare(value, gt) > 0) &&
    (gte === undefined || compare(value, gte) >= 0) &&
    (lt === undefined || compare(value, lt) < 0) &&
    (lte === undefined || compare(value, lte) <= 0)
  );
}

/** Strings by their UTF-8 bytes, as engines compare them; NaN, which meets no bound, for what can't be compared. */
function compare(value: unknown, bound: string | number): number {
  if (typeof value === 'number' && typeof bound === 'number') return value - bound;
  if (typeof value === 'string' && typeof bound === 'string')
    return Buffer.compare(Buffer.from(value), Buffer.from(bound));
  return NaN;
}
