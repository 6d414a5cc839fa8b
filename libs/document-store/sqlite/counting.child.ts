import { openDatabase } from '@sluice/event-store/sqlite/open-file';
import type { Counted } from './counting-process';
import type { Fragment, Record } from './sql';

const path = process.argv[2];
if (path === undefined || process.send === undefined) {
  throw new Error('This file runs as a child process of the SQLite document store.');
}
const database = openDatabase(path, 5000);

// What stops the server reaches its whole group: the server ends this process once it has answered.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', ({ sql, values }: Fragment) => process.send?.(count(sql, values)));

function count(sql: string, values: Fragment['values']): Counted {
  try {
    const records = database
      .prepare(sql)
      .raw()
      .all(...values) as Record[];
    return { records };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}
