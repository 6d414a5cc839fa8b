import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import type { AppendMessage, ThreadMessage } from './append-thread';
import { connect, createSchema, holdInPlace } from './database';
import { GroupWriter, type Append, type Outcome } from './group-writer';

/** Appends of one transaction: bounds what a failing disk can fail at once, and the log that one commit writes. */
const MAX_GROUP = 1_000;

if (parentPort === null) throw new Error('append.worker runs in a worker thread.');
const port = parentPort;
const answer = (message: ThreadMessage) => port.postMessage(message);

const { path } = workerData as { path: string };
const database = connect(path, createSchema);
const inPlace = holdInPlace(path);
const writer = new GroupWriter(database);

port.on('message', (first: AppendMessage) => {
  const group: AppendMessage[] = [first];
  let appends = first.appends.length;
  let close = first.close;
  while (!close && appends < MAX_GROUP) {
    const waiting = receiveMessageOnPort(port) as { message: AppendMessage } | undefined;
    if (waiting === undefined) break;
    group.push(waiting.message);
    appends += waiting.message.appends.length;
    close = waiting.message.close;
  }
  if (appends > 0) answer({ kind: 'outcomes', outcomes: write(group.flatMap((message) => message.appends)) });
  if (close) {
    database.close();
    port.close();
  }
});

answer({ kind: 'opened' });

function write(appends: readonly Append[]): Outcome[] {
  try {
    inPlace();
  } catch (error) {
    return appends.map(() => ({ kind: 'failed', written: 'no', message: (error as Error).message }));
  }
  return writer.write(appends);
}
