import type { Logger } from './logger';

/**
 * For how long a start waits for each engine, in milliseconds. The startup probes of k8s/base allow five minutes,
 * which include the start itself.
 */
export const ENGINE_PATIENCE_MS = 240_000;

const PAUSE_MS = 500;
/** An attempt that takes longer is logged before it ends. */
const SILENT_MS = 1_000;
const SAME_REASON_EVERY_MS = 30_000;

export interface EngineWait {
  /** Such as `MongoDB`. */
  readonly engine: string;
  /** Where it is expected, without a password. */
  readonly address: string;
  /** Warns of the first failure immediately, or of a second's silence; later of each other reason, and of the same one every 30 s. */
  readonly logger?: Logger | undefined;
  /** Default: ENGINE_PATIENCE_MS. */
  readonly patienceMs?: number;
  /** What no wait would change: the engine rejects this client. Default: nothing. */
  readonly isFinal?: (error: unknown) => boolean;
}

/**
 * Repeats an attempt to reach an engine, which may start later than its clients.
 * @param attempt may note why it has not ended yet
 * @throws the error of the last attempt, once the patience is over or the error is final
 */
export async function waitForEngine<T>(
  { engine, address, logger, patienceMs = ENGINE_PATIENCE_MS, isFinal = () => false }: EngineWait,
  attempt: (note: (reason: unknown) => void) => Promise<T>,
): Promise<T> {
  let last: { readonly reason: string; readonly at: number } | undefined;
  const warn = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : String(error);
    if (reason === last?.reason && performance.now() - last.at < SAME_REASON_EVERY_MS) return;
    last = { reason, at: performance.now() };
    logger?.warn({ address, reason }, `Waiting for ${engine}`);
  };
  for (const deadline = performance.now() + patienceMs; ;) {
    let noted: unknown = 'no response yet';
    const silent = setTimeout(() => warn(noted), SILENT_MS);
    try {
      return await attempt((reason) => (noted = reason));
    } catch (error) {
      if (isFinal(error) || performance.now() + PAUSE_MS > deadline) throw error;
      warn(error);
    } finally {
      clearTimeout(silent);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
