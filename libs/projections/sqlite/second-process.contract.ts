import { join } from 'node:path';
import type { EventStore } from '@sluice/event-store';
import { openSqliteEventStore } from '@sluice/event-store/sqlite';
import { parcels } from '../contract/parcels.contract';
import type { Collection, DocumentStore, Row } from '@sluice/document-store';
import { recordingLogger } from '@sluice/testing';
import { createProjections } from '../projections';
import { openSqliteDocumentStore } from '@sluice/document-store/sqlite';

interface Counter extends Row {
  readonly count: number;
}

export const COUNTERS: Collection<Counter> = { name: 'counters', indexes: [] };

/** Adds one to the shared counter, so many times, under its version. */
export async function countUp(documents: DocumentStore, times: number): Promise<void> {
  const counters = documents.rows(COUNTERS);
  for (let left = times; left > 0;) {
    const stored = await counters.getVersioned('n');
    const row = { id: 'n', count: (stored?.row.count ?? 0) + 1 };
    if ((await counters.put(row, stored?.version ?? 'absent')) !== undefined) left -= 1;
  }
}

async function project(events: EventStore, documents: DocumentStore): Promise<void> {
  const logger = recordingLogger(({ message }) => void process.stderr.write(`${message}\n`));
  const projections = createProjections({ events, documents, projections: [parcels], waitMs: 1_000, logger });
  await projections.start();
  process.send?.('started');
}

/** What several-processes.spec.ts runs as a process of its own: `count` or `project` until killed. */
async function main([task, folder = '', times]: readonly string[]): Promise<void> {
  const documents = await openSqliteDocumentStore({ path: join(folder, 'documents.db') });
  if (task === 'project') {
    await project(await openSqliteEventStore({ path: join(folder, 'events.db') }), documents);
    return;
  }
  await countUp(documents, Number(times));
  await documents.close();
  process.disconnect();
}

if (require.main === module) void main(process.argv.slice(2));
