import type { Row, Rows } from './port';

/** `Rows.update` of every engine. */
export async function updateRow<R extends Row, Next extends R | undefined>(
  rows: Pick<Rows<R>, 'getVersioned' | 'put'>,
  id: string,
  change: (row: R | undefined) => Next | Promise<Next>,
): Promise<Next> {
  for (;;) {
    const found = await rows.getVersioned(id);
    const next = await change(found?.row);
    if (next === undefined || (await rows.put(next, found?.version ?? 'absent')) !== undefined) return next;
  }
}
