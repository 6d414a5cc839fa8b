import { setTimeout as delay } from 'node:timers/promises';
import type { Row, Rows, Where } from '@sluice/document-store';

const DELETED_AT_ONCE = 500;
/** Between two deletions, so that new reports are stored soon. */
const PAUSE_MS = 20;

/** Deletes the rows found, unless it is stopped before; returns how many were deleted. */
export async function deleteInParts<R extends Row>(
  rows: Rows<R>,
  where: Where<R>,
  stopping: AbortSignal,
): Promise<number> {
  let deleted = 0;
  while (!stopping.aborted) {
    const count = await rows.deleteWhere(where, DELETED_AT_ONCE);
    deleted += count;
    if (count < DELETED_AT_ONCE) break;
    await delay(PAUSE_MS);
  }
  return deleted;
}
