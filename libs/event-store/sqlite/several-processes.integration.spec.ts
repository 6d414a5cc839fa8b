import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { all, newEvent } from '../contract/events.contract';
import { type Appended, START, WrongExpectedRevisionError } from '../port';
import { openSqliteEventStore } from './sqlite-event-store';

let folder: string;
let path: string;

beforeEach(() => {
  folder = temporaryDirectory();
  path = join(folder, 'events.db');
});

const startWriter = (word: string, count: number, writers: number) =>
  fork(require.resolve('./second-process.contract'), [path, word, String(count), String(writers)], {
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });

describe('two processes on one file', () => {
  it('see each event of both once, in one order', async () => {
    const [each, writers] = [60, 8];
    const children = [startWriter('theirs', each, writers), startWriter('others', each, writers)];
    const exits = children.map((child) => once(child, 'exit'));
    const store = await openSqliteEventStore({ path });
    const total = 3 * each * writers;
    const delivered: string[] = [];
    let complete: () => void = () => undefined;
    const everything = new Promise<void>((resolve) => (complete = resolve));
    store.subscribe({
      after: START,
      prefixes: ['ours-', 'theirs-', 'others-'],
      handle: async ({ events }) => {
        await Promise.resolve();
        delivered.push(...events.map(({ id }) => id));
        if (delivered.length >= total) complete();
      },
    });
    const write = async (stream: string) => {
      for (let revision = 0; revision < each; revision += 1) {
        await store.append(stream, revision === 0 ? 'none' : revision - 1, [newEvent()]);
      }
    };
    await Promise.all(Array.from({ length: writers }, (_, writer) => write(`ours-${writer}`)));
    await everything;
    for (const [code] of await Promise.all(exits)) expect(code).toBe(0);
    const stored = await all(store.readAll());
    expect(stored).toHaveLength(total);
    expect(delivered).toEqual(stored.map(({ id }) => id));
    await store.close();
  }, 60_000);

  it('do not both win a revision', async () => {
    const child = startWriter('shared', Infinity, 1);
    const exit = once(child, 'exit');
    const store = await openSqliteEventStore({ path });
    await once(child, 'message');
    let ours: Appended | undefined;
    while (ours === undefined) {
      const [last] = await all(store.readStream('shared-0', { direction: 'backwards', limit: 1 }));
      ours = await store.append('shared-0', last!.revision, [newEvent('Ours')]).catch((error: unknown) => {
        expect(error).toBeInstanceOf(WrongExpectedRevisionError);
        return undefined;
      });
    }
    // The other process goes by the revisions that it knows, so ours is a conflict that ends it.
    const [code] = await exit;
    expect(code).not.toBe(0);
    const events = await all(store.readStream('shared-0'));
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, index) => index));
    expect(events.at(-1)).toMatchObject({ type: 'Ours', revision: ours.revision, position: ours.position });
    await store.close();
  }, 60_000);

  it('lose nothing that was answered when one is killed', async () => {
    const child = startWriter('killed', Infinity, 16);
    const answered = new Map<string, number>();
    await new Promise<void>((enough) => {
      child.on('message', ({ stream, revision }: { stream: string; revision: number }) => {
        answered.set(stream, revision);
        if (revision === 20) enough();
      });
    });
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    const store = await openSqliteEventStore({ path });
    expect(answered.size).toBe(16);
    for (const [stream, revision] of answered) {
      const events = await all(store.readStream(stream));
      expect(events.length).toBeGreaterThan(revision);
      await store.append(stream, events.length - 1, [newEvent()]);
    }
    await store.close();
  }, 60_000);
});
