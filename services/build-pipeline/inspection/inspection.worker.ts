import { parentPort, workerData } from 'node:worker_threads';
import { BundleFault } from './bundle-fault';
import { inspectBundle, type ExpectedBundle } from './inspect-bundle';

/** What the thread is started with. */
export interface Inspection {
  readonly path: string;
  readonly expected: ExpectedBundle;
}

/** What the thread says before it ends; it fails with any other error. */
export interface Verdict {
  /** Undefined: the bundle is sound. */
  readonly fault: string | undefined;
}

async function main(): Promise<void> {
  const { path, expected } = workerData as Inspection;
  let fault: string | undefined;
  try {
    await inspectBundle(path, expected);
  } catch (error) {
    if (!(error instanceof BundleFault)) throw error;
    fault = error.message;
  }
  parentPort?.postMessage({ fault } satisfies Verdict);
}

void main();
