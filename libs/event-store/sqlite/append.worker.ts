import { workerData } from 'node:worker_threads';
import { connect, createSchema, MOVED } from './database';
import { GroupWriter, type Append, type Outcome } from './group-writer';
import { placeOf } from './open-file';
import { serveInOrder } from './ordered-thread';

/** Appends of one transaction: bounds how many a failing disk can fail together, and the log that one commit writes. */
const MAX_GROUP = 1_000;

const { path } = workerData as { path: string };
const database = connect(path, createSchema);
const inPlace = placeOf(path);
const writer = new GroupWriter(database);
const moved: Outcome = { kind: 'failed', written: 'no', message: MOVED };

serveInOrder(
  MAX_GROUP,
  (appends: readonly Append[]) => (inPlace() ? writer.write(appends) : appends.map(() => moved)),
  () => database.close(),
);
