import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { parcels } from '../parcels.contract';
import { createProjections } from '../projections';
import { countUp } from '../sqlite/second-process.contract';
import { openMongoDocumentStore } from './index';

/** What several-processes.engine.ts runs as a process of its own: `count` or `project` until killed. */
async function main([task, url = '', events = '', times]: readonly string[]): Promise<void> {
  const documents = await openMongoDocumentStore({ url, database: 'unused' });
  if (task === 'count') {
    await countUp(documents, Number(times));
    await documents.close();
    process.disconnect();
    return;
  }
  const projections = createProjections({
    ...{ events: await openSqliteEventStore({ path: events }), documents, projections: [parcels], waitMs: 1_000 },
    report: (message) => void process.stderr.write(`${message}\n`),
  });
  await projections.start();
  process.send?.('started');
}

if (require.main === module) void main(process.argv.slice(2));
