import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '@sluice/kernel';
import { tellWorkersMetrics } from '@sluice/telemetry';

/** What a worker tells its primary process once it answers. */
export const WORKER_READY = 'ready';

export interface WorkerProcessesOptions {
  readonly workers: number;
  readonly stopGraceMs: number;
  readonly logger: Logger;
}

const FIRST_RESTART_MS = 100;
const LAST_RESTART_MS = 10_000;
/** Who lived so long did not die of its start. */
const SOUND_MS = 30_000;

/**
 * Runs this very program in so many processes that share its port, and starts anew whichever dies:
 * at once, then after pauses that double up to 10 s. SIGTERM and SIGINT stop them all; the process
 * ends with 0 once each has drained. It ends with 1 when none has ever got ready.
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
    worker.on('error', (error) => logger.warn({ err: error }, 'A worker process could not be told something'));
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
    // Each keeps to the grace period by itself; whatever hangs, all have ended before it has.
    setTimeout(() => {
      for (const worker of running) worker.process.kill('SIGKILL');
      process.exit(1);
    }, stopGraceMs).unref();
  }

  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  for (let n = 0; n < workers; n += 1) start();
}
