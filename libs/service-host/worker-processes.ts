import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '@sluice/kernel';
import { tellWorkersMetrics } from '@sluice/telemetry';

/** The message that a worker sends to its primary process once it is ready. */
export const WORKER_READY = 'ready';

export interface WorkerProcessesOptions {
  readonly workers: number;
  readonly stopGraceMs: number;
  readonly logger: Logger;
}

const FIRST_RESTART_MS = 100;
const LAST_RESTART_MS = 10_000;
/** A worker that ran for this long did not fail because of its start. */
const SOUND_MS = 30_000;

/**
 * Runs this program in several processes that share its port. A worker that exits is restarted immediately, then after
 * pauses that double up to 10 s. SIGTERM and SIGINT stop all workers; the process exits with 0 once each has drained.
 * It exits with 1 when no worker became ready.
 */
export function superviseWorkers({ workers, stopGraceMs, logger }: WorkerProcessesOptions): void {
  let stopping = false;
  let everReady = false;
  let exitCode = 0;
  let pauseMs = FIRST_RESTART_MS;
  const running = new Set<Worker>();
  tellWorkersMetrics();

  const start = (): void => {
    const worker = cluster.fork();
    const startedAt = performance.now();
    running.add(worker);
    worker.on('message', (message: unknown) => {
      if (message === WORKER_READY) everReady = true;
    });
    worker.on('error', (error) => logger.warn({ err: error }, 'Sending a message to a worker process failed'));
    worker.once('exit', (code, signal) => {
      running.delete(worker);
      if (stopping || !everReady) {
        if (code !== 0) exitCode = 1;
        stop();
        return;
      }
      if (performance.now() - startedAt > SOUND_MS) pauseMs = FIRST_RESTART_MS;
      logger.error({ pid: worker.process.pid, code, signal, restart_ms: pauseMs }, 'A worker process died');
      setTimeout(() => !stopping && start(), pauseMs);
      pauseMs = Math.min(2 * pauseMs, LAST_RESTART_MS);
    });
  };

  function stop(): void {
    if (running.size === 0) process.exit(exitCode);
    if (stopping) return;
    stopping = true;
    for (const worker of running) worker.process.kill('SIGTERM');
    // Each worker keeps to the grace period. Workers that hang are killed at its end.
    setTimeout(() => {
      for (const worker of running) worker.process.kill('SIGKILL');
      process.exit(1);
    }, stopGraceMs).unref();
  }

  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  for (let n = 0; n < workers; n += 1) start();
}
