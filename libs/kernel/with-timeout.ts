export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
}

/**
 * Settles as `work` does, or rejects after `ms` milliseconds. The work itself is not stopped, and what it rejects with
 * later is ignored.
 * @throws what `timeoutError` makes; default: TimeoutError
 */
export function withTimeout<T>(
  work: Promise<T>,
  ms: number,
  timeoutError = (): Error => new TimeoutError(`No answer within ${ms} ms.`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timeoutError()), ms);
  });
  return Promise.race([work, timeout]).finally(() => clearTimeout(timer));
}
