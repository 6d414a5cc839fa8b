import { newEvent } from '../contract/events.contract';
import { openSqliteEventStore } from './sqlite-event-store';

/**
 * Forked by several-processes.spec.ts: `FILE STREAM COUNT WRITERS`. Appends COUNT events to each of
 * WRITERS streams `STREAM-{writer}` and sends the parent a message after each answer. COUNT may be Infinity.
 */
async function main([path = '', word = '', count = '0', writers = '1']: readonly string[]): Promise<void> {
  const store = await openSqliteEventStore({ path });
  const write = async (stream: string) => {
    for (let revision = 0; revision < Number(count); revision += 1) {
      await store.append(stream, revision === 0 ? 'none' : revision - 1, [newEvent()]);
      process.send?.({ stream, revision });
    }
  };
  await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(`${word}-${writer}`)));
  await store.close();
  process.disconnect();
}

void main(process.argv.slice(2));
