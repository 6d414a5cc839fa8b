import { open } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { FileIndex } from '@sluice/contracts';
import { BundleFault } from './bundle-fault';
import { inspectBundle, type ExpectedBundle } from './inspect-bundle';

/** What the thread is started with. */
export interface Inspection {
  readonly path: string;
  /** Where the index of the files goes, as JSON. */
  readonly indexPath: string;
  readonly expected: ExpectedBundle;
}

/** What the thread says before it ends; it fails with any other error. */
export interface Verdict {
  /** Undefined: the bundle is sound. */
  readonly fault: string | undefined;
}

/** Written at a time: the text of a whole index may be larger than this thread's memory. */
const FILES_AT_A_TIME = 500;

async function writeIndex(path: string, { files }: FileIndex): Promise<void> {
  const file = await open(path, 'w');
  try {
    await file.write('{"files":[');
    for (let at = 0; at < files.length; at += FILES_AT_A_TIME) {
      const part = files.slice(at, at + FILES_AT_A_TIME).map((each) => JSON.stringify(each));
      await file.write(`${at === 0 ? '' : ','}${part.join(',')}`);
    }
    await file.write(']}');
  } finally {
    await file.close();
  }
}

async function main(): Promise<void> {
  const { path, indexPath, expected } = workerData as Inspection;
  let fault: string | undefined;
  try {
    const { index } = await inspectBundle(path, expected);
    await writeIndex(indexPath, index);
  } catch (error) {
    if (!(error instanceof BundleFault)) throw error;
    fault = error.message;
  }
  parentPort?.postMessage({ fault } satisfies Verdict);
}

void main();
