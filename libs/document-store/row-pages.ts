import type { Collection, PositionedRow, ProjectionTarget, Query, ReadableRows, Row, Where } from './port';

/**
 * All rows of a collection by id, tombstones left out, so many at a time. Not of one instant: a row
 * that changes meanwhile comes as it was or as it is.
 */
export async function* rowPages<R extends Row>(
  target: ProjectionTarget,
  collection: Collection<R>,
  size: number,
): AsyncGenerator<readonly PositionedRow<R>[]> {
  for (let after: string | undefined; ;) {
    // The id is of every row, whatever else a collection has.
    const where = (after === undefined ? {} : { id: { gt: after } }) as Where<R>;
    const page = await target.find(collection, { where, limit: size });
    if (page.length > 0) yield page;
    after = page.at(-1)?.row?.id;
    if (page.length < size || after === undefined) return;
  }
}

/** One page of the rows that match, and how many match in all. Pages count from 1. */
export async function findPage<R extends Row>(
  rows: ReadableRows<R>,
  { page, perPage, ...query }: Pick<Query<R>, 'where' | 'sort'> & { readonly page: number; readonly perPage: number },
): Promise<{ readonly rows: R[]; readonly total: number }> {
  const [found, total] = await Promise.all([
    rows.find({ ...query, offset: (page - 1) * perPage, limit: perPage }),
    rows.count(query.where),
  ]);
  return { rows: found, total };
}
