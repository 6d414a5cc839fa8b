import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { OrderedThread, type OrderedThreadOptions } from './ordered-thread';

/** Doubles numbers; "die" ends it without a reply. Replies name the batch in which their request was answered. */
const SCRIPT = `
  const { parentPort, workerData } = require('node:worker_threads');
  if (workerData.path === 'nowhere') throw new Error('there is no such file');
  let batch = 0;
  parentPort.on('message', ({ requests, close }) => {
    batch += 1;
    if (requests.includes('die')) process.exit(0);
    if (requests.length > 0) parentPort.postMessage(requests.map((number) => [2 * number, batch]));
    if (close) parentPort.close();
  });
  parentPort.postMessage([]);
`;

type Request = number | 'die';
type Reply = readonly [doubled: number, batch: number];

let script: string;
let thread: OrderedThread<Request, Reply>;
const answered = jest.fn();

const threadOn = (path: string, options: Partial<OrderedThreadOptions<Request, Reply>> = {}) =>
  new OrderedThread<Request, Reply>({
    ...{ script, path, defer: setImmediate, answered },
    closed: () => new Error('closed'),
    died: (fault, opened) => new Error(`${fault ?? 'ended'}, ${opened ? 'open' : 'not open'}`),
    ...options,
  });

beforeEach(async () => {
  script = join(temporaryDirectory(), 'doubling.worker.js');
  writeFileSync(script, SCRIPT);
  answered.mockClear();
  thread = threadOn('somewhere');
  await thread.open();
});
afterEach(() => thread.close());

it('answers requests in their order, those of one turn in one batch', async () => {
  const first = Promise.all([1, 2, 3].map((number) => thread.ask(number)));
  expect(await first).toEqual([
    [2, 1],
    [4, 1],
    [6, 1],
  ]);
  expect(await thread.ask(4)).toEqual([8, 2]);
  expect(answered).toHaveBeenLastCalledWith([4], [[8, 2]]);
});

it('fails the requests in flight when the thread dies, and starts another for the next', async () => {
  const asked = await Promise.allSettled([thread.ask(1), thread.ask('die')]);
  expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect((asked[1] as PromiseRejectedResult).reason).toEqual(new Error('ended, open'));
  expect(await thread.ask(5)).toEqual([10, 1]);
});

it('reports why a thread could not open, and rejects its requests', async () => {
  const other = threadOn('nowhere');
  await expect(other.open()).rejects.toThrow('there is no such file, not open');
  await expect(other.ask(1)).rejects.toThrow('there is no such file, not open');
  await other.close();
});

it('answers requests that were sent before it is closed, and none afterwards', async () => {
  const before = thread.ask(1);
  const closed = thread.close();
  await expect(thread.ask(2)).rejects.toThrow('closed');
  expect(await before).toEqual([2, 1]);
  await closed;
});
