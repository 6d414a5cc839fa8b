import type { Context } from './context';
import { Refusal, UnreachableError, type Failure } from './failure';

/** Looks in a row that the server may leave without an answer. */
const PATIENCE = 24;

/**
 * Looks until there is something to answer, through limits and short absences of the server. Between
 * two looks it waits for `delaysMs`, whose last one repeats, or for as long as the server asked.
 * @throws what `look` throws, but for what passes
 */
export async function follow<T extends object>(
  look: () => Promise<T | undefined>,
  delaysMs: readonly number[],
  { terminal, output }: Context,
): Promise<T> {
  let unanswered = 0;
  for (let looks = 0; ; looks += 1) {
    let delay = delaysMs[Math.min(looks, delaysMs.length - 1)] ?? 0;
    try {
      const found = await look();
      if (found !== undefined) return found;
      unanswered = 0;
    } catch (error) {
      if (!isPassing(error)) throw error;
      unanswered += 1;
      if (unanswered > PATIENCE) throw error;
      if (error instanceof Refusal) delay = Math.max(delay, (error.retryAfterSeconds ?? 0) * 1_000);
      output.note(`${error.message} Looking again in ${Math.ceil(delay / 1_000)} s`);
    }
    await terminal.pause(delay);
  }
}

function isPassing(error: unknown): error is Failure {
  return (
    error instanceof UnreachableError || (error instanceof Refusal && (error.status === 429 || error.status >= 502))
  );
}
