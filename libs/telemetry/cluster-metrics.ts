import cluster from 'node:cluster';
import { withTimeout } from '@sluice/kernel';
import { AggregatorRegistry } from 'prom-client';
import { metrics } from './metrics';

interface Asked {
  readonly sluiceMetrics: number;
}

interface Told extends Asked {
  readonly text: string;
}

/** The primary waits 5 s for its workers. */
const PATIENCE_MS = 6_000;

const isAsked = (message: unknown): message is Asked =>
  typeof message === 'object' && message !== null && 'sluiceMetrics' in message;
const isTold = (message: unknown): message is Told => isAsked(message) && 'text' in message;

/** In the primary process: sends each worker that asks the sum of what all of them have measured. */
export function tellWorkersMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    if (!isAsked(message)) return;
    const { sluiceMetrics } = message;
    all.clusterMetrics().then(
      (text) => worker.isConnected() && worker.send({ sluiceMetrics, text } satisfies Told),
      () => undefined,
    );
  });
}

/**
 * In a worker: Prometheus' text of all workers together, whichever is asked; its own alone while the
 * primary is silent.
 */
export function metricsOfAllWorkers(): () => Promise<string> {
  AggregatorRegistry.setRegistries(metrics);
  // Makes this process answer what the primary's asks.
  new AggregatorRegistry();
  const waiting = new Map<number, (text: string) => void>();
  let asked = 0;
  process.on('message', (message: unknown) => {
    if (isTold(message)) waiting.get(message.sluiceMetrics)?.(message.text);
  });
  return async () => {
    const id = ++asked;
    const text = new Promise<string>((resolve) => {
      waiting.set(id, resolve);
      process.send?.({ sluiceMetrics: id } satisfies Asked);
    });
    return withTimeout(text, PATIENCE_MS)
      .catch(() => metrics.metrics())
      .finally(() => waiting.delete(id));
  };
}
