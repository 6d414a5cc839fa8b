import Database from 'libsql';
import { parentPort, workerData } from 'node:worker_threads';
import type { Counted, ToCount } from './counting-thread';
import type { Record } from './sql';

if (!parentPort) throw new Error('This file runs as a worker thread of the SQLite document store.');
const port = parentPort;
const database = new Database((workerData as { readonly path: string }).path, { timeout: 5000 });

port.on('message', ({ id, sql, values }: ToCount) => {
  let answer: Counted;
  try {
    answer = {
      id,
      records: database
        .prepare(sql)
        .raw()
        .all(...values) as Record[],
    };
  } catch (error) {
    answer = { id, fault: (error as Error).message };
  }
  port.postMessage(answer);
});
